"""A stand-in for the DIGITAL label that the paper uses, from published labels of exposure to language models.

The study "GPTs are GPTs" (Eloundou, Manning, Mishkin and Rock) labels O*NET tasks by how far a language model could
help with them: E0 not, E1 by itself, E2 with software around it. That is exposure and not "can be done by digital
means", so this is a proxy: its thresholds were chosen so that what it leaves of O*NET 30.1 comes near the counts of the
paper (section 3.1), and figures that rest on it say nothing about how well it agrees with the paper's own label.
"""

from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field

from .digital import Digital, split
from .label_file import read_labels
from .tables import OccupationTables

NAME = "proxy"
# The columns of the study's file.
_COLUMNS = {
    "id": "Task ID",
    "occupation": "O*NET-SOC Code",
    "text": "Task",
    "human": "human_exposure_agg",
    "model": "gpt4_exposure",
}
_MISSING = (
    "Get data/full_labelset.tsv of the study (github.com/openai/GPTs-are-GPTs, MIT licence) and set "
    "digital.labels=<path>, or use digital=labels with labels of your own, or digital=none"
)
_CAVEAT = (
    "digital=proxy is tuned on the paper's own counts (246 occupations, 16 sectors, 43 sub-sectors, 891 activities, "
    "3,419 pairs): it stands in for the label used there and can't confirm it"
)


class ExposureProxy(BaseModel):
    """Keeps core tasks that people and GPT-4 both call exposed, in occupations that mostly do such work.

    Args:
        labels: the study's ``full_labelset.tsv``.
        exposed: the labels that count.
        least_tasks: how many such core tasks an occupation needs.
        share: the part of its core tasks that they must be.
        decides: whether this rule alone decides, or the words of a statement must speak of office work as well.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    labels: Path
    exposed: tuple[str, ...] = Field(min_length=1)
    least_tasks: int = Field(ge=1)
    share: float = Field(ge=0, le=1)
    decides: bool = True

    def apply(self, tables: OccupationTables) -> Digital:
        """The tasks that the rule keeps. InputError where file and tables don't fit."""
        labels = read_labels(self.labels, tables, _COLUMNS, "digital.labels", "\t", _MISSING)
        against: dict[str, str] = {}
        for task, statement in tables.tasks.items():
            row = labels.of.get(task)
            if statement.kind != "Core":
                against[task] = "no core task"
            elif row is None:
                against[task] = "no label"
            elif row["human"] not in self.exposed or row["model"] not in self.exposed:
                against[task] = f"labelled {row['human']} by people and {row['model']} by GPT-4"
        for tasks in tables.tasks_of.values():
            core = [task for task in tasks if tables.tasks[task].kind == "Core"]
            exposed = [task for task in core if task not in against]
            if len(exposed) < self.least_tasks or len(exposed) < self.share * len(core):
                why = f"{len(exposed)} of {len(core)} core tasks of the occupation are exposed, too few"
                against |= dict.fromkeys(exposed, why)
        return split(tables, against, NAME, self.decides, (labels.note(NAME), _CAVEAT), self.labels)
