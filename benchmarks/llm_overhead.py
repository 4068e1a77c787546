"""What our client costs a row, beside the raw ``openai`` client and ``litellm`` alone, in one run.

    python benchmarks/llm_overhead.py [--rows 1000] [--at-once 100] [--latency 0.1] [--repeat 1] [--memory]

A server in a process of its own answers every call after the latency. Each arm is a process of its own and asks the
same rows, so many at once; what it imports and its first 20 calls are left out of time and CPU, and are in the peak
of memory. ``ours`` keeps ledger, budget, pace and retries; the others keep nothing. ``litellm, quiet`` is litellm with
its own callbacks and books switched off as ours does it, to show what of the difference that is. ``--memory`` asks
20 times the rows through ours and prints both peaks. Machines are shared and noisy: the ratios are the figures.
"""

import argparse
import asyncio
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable, Iterable
from pathlib import Path
from typing import Any

ARMS = ("openai", "litellm", "litellm, quiet", "ours")
WARM = 20
ANSWER = {
    "id": "chatcmpl-1",
    "object": "chat.completion",
    "created": 1,
    "model": "bench",
    "choices": [{"index": 0, "message": {"role": "assistant", "content": '{"value": 7}'}, "finish_reason": "stop"}],
    "usage": {"prompt_tokens": 50, "completion_tokens": 10, "total_tokens": 60},
}  # fmt: skip

Ask = Callable[[int], Awaitable[Any]]


class Connection(asyncio.Protocol):
    """A connection of the server: reads requests by their Content-Length, answers each after the latency."""

    def __init__(self, latency: float):
        body = json.dumps(ANSWER).encode()
        head = f"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
        self.answer = head.encode() + body
        self.latency = latency
        self.rest = b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self.transport = transport

    def data_received(self, data: bytes) -> None:
        self.rest += data
        while (end := self.rest.find(b"\r\n\r\n")) >= 0:
            head = self.rest[:end].lower()
            place = head.find(b"content-length:")
            size = int(head[place + 15 :].split(b"\r\n", 1)[0]) if place >= 0 else 0
            if len(self.rest) < end + 4 + size:
                return
            self.rest = self.rest[end + 4 + size :]
            asyncio.get_running_loop().call_later(self.latency, self.reply)

    def reply(self) -> None:
        if not self.transport.is_closing():
            self.transport.write(self.answer)


async def serve(latency: float) -> None:
    server = await asyncio.get_running_loop().create_server(
        lambda: Connection(latency), "127.0.0.1", 0, backlog=1024
    )
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()


async def workers(rows: Iterable[int], ask: Ask, at_once: int) -> None:
    """The plainest way to keep so many calls at work."""
    stream = iter(rows)

    async def one() -> None:
        for row in stream:
            await ask(row)

    await asyncio.gather(*(one() for _ in range(at_once)))


async def measure(rows: int, run: Callable[[Iterable[int]], Awaitable[None]]) -> None:
    await run(range(-WARM, 0))
    began, cpu = time.perf_counter(), time.process_time()
    await run(range(rows))
    seconds, cpu = time.perf_counter() - began, time.process_time() - cpu
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(json.dumps({"cpu": cpu / rows, "rate": rows / seconds, "busy": cpu / seconds, "peak": peak}))


async def arm(name: str, base: str, rows: int, at_once: int) -> None:
    def messages(row: int) -> list[dict[str, str]]:
        return [{"role": "user", "content": f"How many in row {row}?"}]

    if name == "openai":
        from openai import AsyncOpenAI

        raw = AsyncOpenAI(base_url=base, api_key="none", max_retries=0)

        async def ask(row: int) -> Any:
            return await raw.chat.completions.create(model="bench", messages=messages(row), max_tokens=50)  # type: ignore[arg-type]

        await measure(rows, lambda some: workers(some, ask, at_once))
    elif name.startswith("litellm"):
        os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"
        import litellm

        if name.endswith("quiet"):
            from litellm._internal_context import is_internal_call

            is_internal_call.set(True)

        async def ask(row: int) -> Any:
            return await litellm.acompletion(
                model="openai/bench", messages=messages(row), max_tokens=50, api_base=base, api_key="none",
                max_retries=0,
            )  # fmt: skip

        await measure(rows, lambda some: workers(some, ask, at_once))
    else:
        from graphforge.llm import Budget, Client, Limits, LlmSettings, Model, Prices, Prompt, Turn, flow

        limits = Limits(
            requests_per_minute=None, tokens_per_minute=None, concurrency=at_once, deadline=60.0, attempts=3,
            backoff=1.0,
        )  # fmt: skip
        model = Model(
            name="openai/bench", key_env=None, api_base=base, answers="schema", tools="native", sees=False,
            max_tokens=50, temperature=None, top_p=None, seed=None, reasoning_effort=None, extra={}, repairs=1,
            prices=Prices(input=1.0, cached=0.1, output=2.0), limits=None, serve=None,
        )  # fmt: skip
        with tempfile.TemporaryDirectory() as scratch:
            settings = LlmSettings(
                mode="record", ledger=Path(scratch) / "llm.db", run="bench", spans=0.0,
                budget=Budget(money=1000.0, tokens=None, estimate="print"), limits=limits,
            )  # fmt: skip
            async with Client({"judge": model}, settings) as client:
                judge = client.role("judge")

                async def ask(row: int) -> Any:
                    text = f"How many in row {row}?"
                    return await judge.say(
                        Prompt(stage="bench", purpose="count", turns=(Turn(role="user", content=text),))
                    )

                async def run(some: Iterable[int]) -> None:
                    async for _ in flow(some, ask, at_once):
                        pass

                await measure(rows, run)


def run_arm(name: str, base: str, rows: int, at_once: int) -> dict[str, float]:
    command = [sys.executable, __file__, "--arm", name, base, "--rows", str(rows), "--at-once", str(at_once)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"{name} failed:\n{done.stderr}")
    found: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    return found


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rows", type=int, default=1000)
    parser.add_argument("--at-once", type=int, default=100)
    parser.add_argument("--latency", type=float, default=0.1, help="seconds")
    parser.add_argument("--repeat", type=int, default=1, help="rounds; each arm shows its best")
    parser.add_argument("--memory", action="store_true", help="ask 20 times the rows through ours, too")
    parser.add_argument("--serve", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("--arm", nargs=2, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.serve:
        asyncio.run(serve(given.latency))
        return
    if given.arm:
        asyncio.run(arm(*given.arm, given.rows, given.at_once))
        return
    command = [sys.executable, __file__, "--serve", "--latency", str(given.latency)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        try:
            assert server.stdout is not None
            base = f"http://127.0.0.1:{server.stdout.readline().strip()}/v1"
            # In turns, so that a busy moment of the machine hits all of them alike.
            rounds = [
                {name: run_arm(name, base, given.rows, given.at_once) for name in ARMS}
                for _ in range(given.repeat)
            ]
            best = {name: min((one[name] for one in rounds), key=lambda found: found["cpu"]) for name in ARMS}
            allowed = given.at_once / given.latency
            print(
                f"{given.rows} rows, {given.at_once} at once, {given.latency:g} s: {allowed:.0f} rows/s allowed"
            )
            for name, found in best.items():
                print(
                    f"{name:15} {found['cpu'] * 1000:6.2f} ms CPU a row {found['rate']:7.0f} rows/s "
                    f"({found['rate'] / allowed:4.0%} of what latency allows, {found['busy']:4.0%} of a core) "
                    f"{found['peak']:6.0f} MB peak"
                )
            print(f"ours / litellm: {best['ours']['cpu'] / best['litellm']['cpu']:.2f} times its CPU a row")
            if given.memory:
                more = run_arm("ours", base, 20 * given.rows, given.at_once)
                print(
                    f"ours, {20 * given.rows} rows: {more['peak']:.0f} MB peak ({best['ours']['peak']:.0f} MB at "
                    f"{given.rows}), {more['cpu'] * 1000:.2f} ms CPU a row, {more['rate']:.0f} rows/s"
                )
        finally:
            server.terminate()


if __name__ == "__main__":
    main()
