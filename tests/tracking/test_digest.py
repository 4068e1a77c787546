"""The digests of input datasets are DVC's own hashes."""

import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from graphforge.errors import InputError
from graphforge.tracking import dvc_md5


def dvc(folder: Path, *arguments: str) -> None:
    subprocess.run([sys.executable, "-m", "dvc", *arguments], cwd=folder, check=True, capture_output=True)


def test_files_and_folders_hash_as_dvc_hashes_them(tmp_path: Path) -> None:
    (tmp_path / "tree" / "b").mkdir(parents=True)
    (tmp_path / "tree" / "b" / "x.bin").write_bytes(bytes(range(256)) * 9000)
    (tmp_path / "tree" / "b.txt").write_text("one\r\ntwo\n")
    (tmp_path / "tree" / "a-ü.txt").write_text("")
    (tmp_path / "alone.txt").write_text("alone")
    dvc(tmp_path, "init", "--no-scm")
    dvc(tmp_path, "add", "-q", "tree", "alone.txt")
    for name in ("tree", "alone.txt"):
        out = yaml.safe_load((tmp_path / f"{name}.dvc").read_text())["outs"][0]
        assert dvc_md5(tmp_path / name) == out["md5"]


def test_a_missing_input_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"nothing\.jsonl does not exist"):
        dvc_md5(tmp_path / "nothing.jsonl")
