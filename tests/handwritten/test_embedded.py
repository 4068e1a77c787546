"""A task over the embedded library, every question of it answered by hand."""

from pathlib import Path

from admitted import replayed
from written import EMBEDDED


def test_a_task_over_the_embedded_library_comes_out_admitted(tmp_path: Path) -> None:
    replayed(EMBEDDED, 1, tmp_path)
