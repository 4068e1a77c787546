"""A sweep over strategies ends with a table that compares them, printed and logged on the parent run."""

from typing import Any

from graphforge.report import compare, show_columns
from graphforge.tracking import SweepRun


class ComparedSweep(SweepRun):
    """Hydra callback (``hydra.callbacks`` in ``conf/config.yaml``)."""

    def on_multirun_end(self, config: Any, **_: Any) -> None:
        """The comparison, where the stage reports what it covers, and the end of the parent run."""
        table = compare(self.children())
        if table["run"]:
            self.table("comparison", table)
            print(
                f"\nWhat each run selected (H: entropy in bits; cells: sector x pattern)\n\n{show_columns(table)}"
            )
        super().on_multirun_end(config)
