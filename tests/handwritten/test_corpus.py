"""Four tasks over public files, every question of them answered by hand, and their pools, judged by two others."""

from pathlib import Path

from admitted import compare_judges, replayed
from written import CORPUS


def test_four_tasks_over_public_files_come_out_admitted(tmp_path: Path) -> None:
    data = replayed(CORPUS, 4, tmp_path)
    compare_judges(CORPUS, data, tmp_path)
