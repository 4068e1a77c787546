"""What a stage says of its selection: metrics, tables and a heat map for MLflow, a line for whoever waits."""

from collections.abc import Iterable, Mapping, Sequence

from graphforge.records import EXECUTION_PATTERNS, Rejection, Seed
from graphforge.report import Values, heat_map, reach_of
from graphforge.seeds import Candidate, shortage
from pipelines._edge import Desk


def report(
    desk: Desk,
    candidates: Sequence[Candidate],
    selected: Iterable[str],
    seeds: Iterable[Seed],
    asked: int,
    left: Sequence[Rejection],
    noun: str,
) -> None:
    """``selected``: the ids of the candidates that were picked; ``seeds``: the seeds on offer, for their names;
    ``left``: what ``choose`` left out."""
    by_id: Mapping[str, Values] = {one.id: one.values for one in candidates}
    reach = reach_of(list(by_id.values()), [by_id[name] for name in selected])
    names: dict[str, dict[str, str]] = {"sector": {}, "occupation": {}, "dwa": {}}
    for seed in seeds:
        names["sector"][seed.sector] = seed.sector_name
        names["occupation"][seed.occupation_code] = seed.occupation
        names["dwa"][seed.dwa_id] = seed.dwa
    desk.metrics({**reach.metrics(), "asked": asked, "short": max(0, asked - reach.selected)})
    desk.table("coverage", reach.summary())
    desk.table("coverage_by_value", reach.by_value(names))
    desk.table("sector_by_pattern", reach.by_cell(names))
    cells, offered = reach.metrics()["coverage.cells"], reach.metrics()["offered.cells"]
    title = f"{reach.selected:,} {noun}: {cells:.0f} of {offered:.0f} sector x pattern cells on offer"
    desk.figure("sector_by_pattern", heat_map(reach, names["sector"], EXECUTION_PATTERNS, title))
    if (said := shortage(asked, reach.selected, left)) is not None:
        print(f"{noun}: {said}", flush=True)
