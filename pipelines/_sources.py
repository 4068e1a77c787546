"""The occupations of a run after the digital filter, with a few lines on what the source holds and what is left."""

from collections.abc import Sequence

from graphforge.config import Config
from graphforge.records import Rejection
from graphforge.seeds import Digital, OccupationTables, Survey
from pipelines._edge import Desk


def sources(config: Config, desk: Desk) -> tuple[OccupationTables, Sequence[Rejection]]:
    """The tables to propose from, and a rejection for each task that the filter leaves out.

    Both files are logged as inputs, the counts as metrics ``source.*`` and ``digital.*``.
    """
    tables: OccupationTables = config.occupations.load()
    if tables.origin is not None:
        desk.source(tables.origin)
    held = Survey.of(tables)
    desk.metrics(held.metrics("source"))
    print(f"occupations: {tables.name or 'the source'}: {held.whole()}", flush=True)
    if not tables.lists_software:
        print("occupations: the source lists no software, so 'no_software' can't be told")
    filtered: Digital = config.digital.apply(tables)
    for path in filtered.sources:
        desk.source(path)
    for note in filtered.notes:
        print(note, flush=True)
    if filtered.rejections:
        left = Survey.of(filtered.tables)
        desk.metrics(left.metrics("digital"))
        print(f"digital: left are {left.left()}", flush=True)
    return filtered.tables, filtered.rejections
