"""The digital filter by labels: a file says of each task whether it is digital (AI4Work's annotation, or your own)."""

from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field

from .digital import Digital, split
from .label_file import read_labels
from .tables import OccupationTables

NAME = "labels"


class DigitalLabels(BaseModel):
    """Keeps the tasks whose label is one of ``digital``; a task without a label is left out.

    Args:
        labels: a csv or tsv with a header and a line a task.
        id: its column with the task id.
        label: its column with the label.
        digital: the labels that count as digital, in any case of letters.
        decides: whether the label alone decides, or the words of a statement must speak of office work as well.
        text: its column with the task statement, to count those that have changed since; None: none.
        occupation: its column with the O*NET-SOC code, to refuse those of another taxonomy; None: none.
        delimiter: None: tabs for .tsv, .tab and .txt, commas otherwise.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    labels: Path
    id: str
    label: str
    digital: tuple[str, ...] = Field(min_length=1)
    decides: bool = True
    text: str | None = None
    occupation: str | None = None
    delimiter: str | None = Field(default=None, min_length=1, max_length=1)

    def apply(self, tables: OccupationTables) -> Digital:
        """The tasks labelled digital. InputError where file and tables don't fit."""
        columns = {"id": self.id, "label": self.label, "text": self.text, "occupation": self.occupation}
        labels = read_labels(
            self.labels, tables, columns, "digital", self.delimiter, "Set digital.labels to the label file"
        )
        wanted = {label.casefold() for label in self.digital}
        against: dict[str, str] = {}
        for task in tables.tasks:
            if task not in labels.of:
                against[task] = "no label"
            elif labels.of[task]["label"].casefold() not in wanted:
                against[task] = f"labelled {labels.of[task]['label'] or 'nothing'}"
        return split(tables, against, NAME, self.decides, (labels.note(NAME),), self.labels)
