"""An OpenAI-compatible chat server on loopback that does what a script says: late, refusing, cut off, wrong.

::

    with ScriptedServer(lambda body, number: Say("hello")) as server:
        server.base, server.bodies
"""

import asyncio
import json
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Say:
    """One answer. ``status`` other than 200 is an error; ``cut`` closes the connection within the body, ``raw``
    replaces the body, ``drop`` closes without a word, ``delay`` comes before everything."""

    text: str = ""
    delay: float = 0.0
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    finish: str = "stop"
    calls: tuple[tuple[str, str], ...] = ()
    cut: bool = False
    drop: bool = False
    raw: str | None = None
    usage: tuple[int, int, int] | None = (100, 40, 10)
    message: str = "as the script says"

    def body(self, number: int) -> str:
        if self.raw is not None:
            return self.raw
        if self.status != 200:
            return json.dumps({"error": {"message": self.message, "type": "scripted", "code": None}})
        message: dict[str, Any] = {"role": "assistant", "content": self.text}
        if self.calls:
            message["tool_calls"] = [
                {"id": f"call_{n}", "type": "function", "function": {"name": name, "arguments": arguments}}
                for n, (name, arguments) in enumerate(self.calls)
            ]
        said: dict[str, Any] = {
            "id": f"chatcmpl-{number}",
            "object": "chat.completion",
            "created": 1,
            "model": "scripted",
            "choices": [{"index": 0, "message": message, "finish_reason": self.finish}],
        }
        if self.usage is not None:
            given, cached, output = self.usage
            said["usage"] = {
                "prompt_tokens": given,
                "completion_tokens": output,
                "total_tokens": given + output,
                "prompt_tokens_details": {"cached_tokens": cached},
            }
        return json.dumps(said)


Script = Callable[[dict[str, Any], int], Say]


class ScriptedServer:
    """``bodies`` are the requests in the order they came, ``headers`` theirs, ``busiest`` the most at once."""

    def __init__(self, script: Script):
        self._script = script
        self.bodies: list[dict[str, Any]] = []
        self.headers: list[dict[str, str]] = []
        self.busy = 0
        self.busiest = 0
        self.base = ""
        self._loop = asyncio.new_event_loop()
        self._ready = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)

    def __enter__(self) -> "ScriptedServer":
        self._thread.start()
        assert self._ready.wait(10)
        return self

    def __exit__(self, *_: object) -> None:
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(10)

    def _run(self) -> None:
        asyncio.set_event_loop(self._loop)

        async def start() -> None:
            server = await asyncio.start_server(self._serve, "127.0.0.1", 0, backlog=512)
            self.base = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/v1"
            self._ready.set()

        self._loop.run_until_complete(start())
        self._loop.run_forever()
        for task in asyncio.all_tasks(self._loop):
            task.cancel()
        self._loop.run_until_complete(asyncio.sleep(0))
        self._loop.close()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while True:
                head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
                headers = dict(line.lower().split(": ", 1) for line in head[1:] if ": " in line)
                body = json.loads(await reader.readexactly(int(headers.get("content-length", "0"))) or b"{}")
                number = len(self.bodies)
                self.bodies.append(body)
                self.headers.append(headers)
                self.busy += 1
                self.busiest = max(self.busiest, self.busy)
                try:
                    say = self._script(body, number)
                    if say.delay:
                        await asyncio.sleep(say.delay)
                finally:
                    self.busy -= 1
                if say.drop:
                    writer.transport.abort()
                    return
                data = say.body(number).encode()
                extra = "".join(f"{name}: {value}\r\n" for name, value in say.headers.items())
                writer.write(
                    f"HTTP/1.1 {say.status} X\r\nContent-Type: application/json\r\n{extra}"
                    f"Content-Length: {len(data)}\r\n\r\n".encode()
                    + (data[: len(data) // 2] if say.cut else data)
                )
                await writer.drain()
                if say.cut:
                    writer.close()
                    return
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        finally:
            writer.close()
