"""Four tasks over public files that people answered every question of, and their pools, which two others judged."""

from pathlib import Path

from admitted import compare_judges, replayed
from written import CORPUS


def test_four_tasks_over_public_files_come_out_admitted(tmp_path: Path) -> None:
    data = replayed(CORPUS, 4, tmp_path)
    compare_judges(CORPUS, data, tmp_path)
