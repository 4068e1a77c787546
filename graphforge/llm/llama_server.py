"""The process that serves the embedded model: a program of its own, started by :mod:`graphforge.llm.local`.

It reads its settings as one JSON line from stdin, starts xllamacpp's OpenAI-compatible server on loopback, writes
``{"url": …}`` as one line to stdout and serves until stdin ends or its parent is gone, whichever way it went.
It imports nothing of this package, so that it starts fast and holds no more memory than the model needs.
"""

import json
import os
import select
from typing import Any

# How long a parent's death can go unnoticed where a process that it forked still holds the pipe to us.
_PATROL_SECONDS = 1.0


def main() -> None:
    """Serve until the parent goes. The settings: model, alias, key, threads, context, seed, parent."""
    answer = os.dup(1)
    # What the library prints must not be taken for our answer.
    os.dup2(2, 1)
    settings = json.loads(_line(0))
    server = _start(settings)
    os.write(answer, json.dumps({"url": server.listening_address}).encode() + b"\n")
    os.close(answer)
    while os.getppid() == settings["parent"]:
        ready, _, _ = select.select([0], [], [], _PATROL_SECONDS)
        if ready and os.read(0, 4096) == b"":
            break
    # Without the library's own farewell, which waits for answers that nobody will read.
    os._exit(0)


def _start(settings: dict[str, Any]) -> Any:
    import xllamacpp

    params = xllamacpp.CommonParams()
    params.model.path = settings["model"]
    params.model_alias = {settings["alias"]}
    params.api_keys = [settings["key"]]
    params.hostnames = ["127.0.0.1"]
    # 0: the system chooses a free one, and no other process can take it in between.
    params.port = 0
    params.cors_origins = ""
    params.n_ctx = settings["context"]
    params.sampling.seed = settings["seed"]
    # One request at a time and nothing reused from the one before: with a reused prefix the same prompt is summed
    # in other batches, and the text differs now and then even at temperature 0.
    params.n_parallel = 1
    params.cache_prompt = False
    params.cache_ram_mib = 0
    for threads in (params.cpuparams, params.cpuparams_batch):
        threads.n_threads = settings["threads"]
    params.n_threads_http = 2
    params.n_gpu_layers = 0
    params.fit_params = False
    params.warmup = False
    params.offline = True
    params.ui = False
    params.endpoint_slots = False
    params.verbosity = 0
    return xllamacpp.Server(params)


def _line(handle: int) -> bytes:
    """One line, read byte by byte: a buffer would swallow what select must see."""
    line = bytearray()
    while (byte := os.read(handle, 1)) not in (b"", b"\n"):
        line += byte
    return bytes(line)


if __name__ == "__main__":
    main()
