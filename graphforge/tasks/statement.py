"""The task statement: a request as a colleague would write it, from the occupation's demand and the composition."""

from ..records import Deliverable, Workspace, stable_hash
from .compose import Composition

_OPENINGS = (
    "This belongs to the standing work of our {occupation}: {demand}.",
    "You are helping our {occupation} this week. What they have to do: {demand}.",
    "For the {occupation} I look after, the job at hand is to {demand}.",
    "Our {occupation} are asked to {demand}, and this piece of it is yours.",
)
_FOLDERS = (
    "Everything you need is among the files in the folder; not every file there has to be used.",
    "The folder holds more than you need, as folders do. Use what answers the question.",
    "All material is in the folder. Some of it is there only because it was filed together.",
)
_CLOSINGS = (
    "Please save the results under exactly these names:",
    "What I need back, under these names:",
    "Hand over the following, named as written here:",
)


def write_statement(workspace: Workspace, made: Composition, deliverables: tuple[Deliverable, ...]) -> str:
    """The statement q. Its wording varies by workspace, the same workspace always gets the same words."""
    seed = workspace.seed
    demand = seed.demand.strip().rstrip(".")
    # An abbreviation keeps its capitals, an ordinary first word loses its own inside the sentence.
    if len(demand) > 1 and not demand[1].isupper():
        demand = demand[0].lower() + demand[1:]
    opening = _pick(_OPENINGS, workspace.id, "opening").format(
        occupation=_plural(seed.occupation), demand=demand
    )
    lines = [
        opening,
        *made.request,
        _pick(_FOLDERS, workspace.id, "folder"),
        _pick(_CLOSINGS, workspace.id, "closing"),
    ]
    lines += [f"- {deliverable.file}: {deliverable.requirement}" for deliverable in deliverables]
    return "\n\n".join(lines[: -len(deliverables)]) + "\n\n" + "\n".join(lines[-len(deliverables) :])


def _pick(options: tuple[str, ...], *key: str) -> str:
    return options[int(stable_hash(*key)[:8], 16) % len(options)]


def _plural(occupation: str) -> str:
    """O*NET titles are plural already; only the capitals of a title go."""
    return " ".join(
        word if word.isupper() or not word[1:].islower() else word.lower() for word in occupation.split()
    )
