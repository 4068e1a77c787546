"""The embedded model as it is served: how fast it starts, reads and writes, what it holds in memory, and whether equal
requests give equal text.

    python benchmarks/local_model.py

Fetches the model on first use. Machines are shared and noisy; the share of equal texts is exact.
"""

import http.client
import json
import time
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import yaml

from graphforge.llm.emulation import emulate
from graphforge.llm.local import LocalModel, LocalServer
from graphforge.llm.prompt import Tool, Turn
from graphforge.llm.weights import cache_folder

ROUNDS = 3
SENTENCE = "The level of the river rose by three centimetres a year at twelve stations of the basin. "


def post(server: LocalServer, content: str, **more: Any) -> dict[str, Any]:
    """The answer to one user turn, temperature 0."""
    connection = http.client.HTTPConnection(urlsplit(server.url).netloc, timeout=300)
    headers = {"Content-Type": "application/json", "Authorization": f"Bearer {server.key}"}
    body = {"messages": [{"role": "user", "content": content}], "temperature": 0, **more}
    connection.request("POST", "/v1/chat/completions", json.dumps(body), headers)
    answer: dict[str, Any] = json.loads(connection.getresponse().read())
    connection.close()
    return answer


def peak_megabytes(pid: int) -> float:
    """Most memory the process ever held; 0 where the system doesn't say."""
    status = Path(f"/proc/{pid}/status")
    lines = status.read_text().splitlines() if status.exists() else []
    return next((int(line.split()[1]) / 1024 for line in lines if line.startswith("VmHWM")), 0.0)


def configured() -> LocalModel:
    """The model as conf/llm/local.yaml has it."""
    path = Path(__file__).resolve().parents[1] / "conf" / "llm" / "local.yaml"
    return LocalModel.model_validate(
        {key: value for key, value in yaml.safe_load(path.read_text())["serve"].items() if key != "_target_"}
    )


def main() -> None:
    local = configured()
    path = local.weights.fetch(cache_folder())
    before = time.monotonic()
    local.weights.fetch(cache_folder())
    print(
        f"file              {path.stat().st_size / 1e6:.0f} MB, verified in {time.monotonic() - before:.2f} s"
    )
    before = time.monotonic()
    with local.open() as server:
        print(f"start             {time.monotonic() - before:.2f} s, to the first healthy answer")
        print(f"memory at rest    {peak_megabytes(server.pid):.0f} MB")
        prompts = [f"{SENTENCE * 20}Question {number}: tell a story about it." for number in range(4)]
        texts: dict[str, set[str]] = {prompt: set() for prompt in prompts}
        read, written = [], []
        for turn in range(ROUNDS):
            # Another order each time: what came before must not matter.
            for prompt in prompts[turn:] + prompts[:turn]:
                answer = post(server, prompt, max_tokens=100)
                texts[prompt].add(answer["choices"][0]["message"]["content"])
                read.append(answer["timings"]["prompt_per_second"])
                written.append(answer["timings"]["predicted_per_second"])
        print(
            f"read              {sorted(read)[len(read) // 2]:.0f} tokens/s (median), {local.threads} thread"
        )
        print(f"written           {sorted(written)[len(written) // 2]:.0f} tokens/s (median)")
        equal = sum(len(one) == 1 for one in texts.values())
        print(f"equal texts       {equal} of {len(prompts)} prompts, {ROUNDS} times each, in changing order")

        command = {"type": "object", "properties": {"command": {"type": "string"}}, "required": ["command"]}
        tool = Tool(name="bash", description="Runs a command.", parameters=command)
        turns, schema = emulate(
            [Turn(role="user", content="How many lines has data.csv?")], [tool], bounded=True
        )
        format_ = {"type": "json_schema", "json_schema": {"name": "turn", "schema": schema, "strict": True}}
        before = time.monotonic()
        messages = [{"role": turn.role, "content": turn.content} for turn in turns]
        answer = post(server, "", messages=messages, response_format=format_, max_tokens=200)
        print(
            f"emulated call     {time.monotonic() - before:.1f} s: {answer['choices'][0]['message']['content']!r}"
        )

        post(server, SENTENCE * (local.context // 20), max_tokens=8)
        print(
            f"memory at most    {peak_megabytes(server.pid):.0f} MB, after a prompt that nearly fills the context"
        )


if __name__ == "__main__":
    main()
