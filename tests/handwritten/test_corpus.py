"""Three tasks over public files, every question of them answered by hand, and their pools, judged by two others."""

from pathlib import Path

import pytest
from admitted import compare_judges, replayed
from written import CORPUS


@pytest.fixture(scope="module")
def replay(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """The folder of the data, and one for what is made of it."""
    folder = tmp_path_factory.mktemp("corpus")
    return replayed(CORPUS, 3, folder), folder


def test_three_tasks_over_public_files_come_out_admitted(replay: tuple[Path, Path]) -> None:
    data, _ = replay
    assert (data / "admit/admitted.jsonl").is_file()


@pytest.mark.xfail(
    reason="the pools were judged as the files were read before; they are to be judged anew",
    raises=AssertionError,
    strict=True,
)
def test_judges_of_these_pools_agree_with_what_is_known(replay: tuple[Path, Path]) -> None:
    compare_judges(CORPUS, *replay)
