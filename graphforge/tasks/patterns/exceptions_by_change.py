"""An exception report over two periods: the rows that rose (or fell) by more than the percentage the request names."""

from ...records import DerivedColumn, Fact, Keep, Output, Plan, Relation, Section, stable_hash
from ..compose import (
    Composition,
    Stated,
    View,
    about,
    citations,
    key_label,
    labels,
    no_totals,
    noun,
    nouns,
    read_column,
    sheet,
    sources,
)
from ._periods import both_periods, changes, left_out

# Percentages that people draw a line at, the most usual first. None has three digits: a request must hold no figure
# that an answer may be.
_ROUND = (10, 5, 20, 50, 25, 2, 1, 15, 30, 40, 3, 75, 60, 80, 90, 0.5)
# No row is nearer to the bound, in points: whoever rounds to one decimal gets the same exceptions.
_CLEAR = 0.1
_MEANT = 0.2

REASONS = (
    "For the watch list I need the {rows} where {about} moved further than they should.",
    "Most changes in {about} need no comment; I want the ones that do.",
    "We follow {about} period by period, and it's time to report the exceptions.",
    "Which {rows} are out of line in {about}, compared with the period before?",
    "I've been asked to explain the large movements in {about}, so I have to know which {rows} they are in.",
)


def exceptions_by_change(view: View, relation: Relation) -> Composition | None:
    """From a growth relation: a workbook of the exceptions with their change in percent, and a note.

    The bound is a round one from the evidence (:func:`bound_of`); None where there is none.
    """
    if len(relation.series) != 2:
        return None
    newer, older = (view.series[name] for name in relation.series)
    found = bound_of([percent for _, percent in changes(view, newer, older)], view.workspace.id)
    if found is None:
        return None
    above, bound = found
    late, early = labels(view, (newer, older))
    key = key_label(newer)
    book, note = "exceptions.xlsx", "exceptions_note.docx"
    rate = "Change (%)"
    moved = "rose" if above else "fell"
    plan = Plan(
        key_label=key,
        reads=(read_column(view, "older", older, early), read_column(view, "newer", newer, late)),
        derived=(
            DerivedColumn(alias="rate", label=rate, operation="percent_change", arguments=("newer", "older")),
            DerivedColumn(
                alias="flag",
                label="Exception",
                operation="above" if above else "below",
                arguments=("rate",),
                constant=bound if above else -bound,
            ),
        ),
        keep=Keep(column="flag", equals="yes"),
        order_by="rate",
        descending=above,
        facts=(
            Fact(name="flagged", operation="count", decimals=0),
            Fact(name="compared", operation="matched", decimals=0),
            Fact(name="furthest", operation="top" if above else "bottom", column="rate"),
            Fact(name="furthest_rate", operation="maximum" if above else "minimum", column="rate"),
        ),
        outputs=(
            Output(
                file=book,
                family="xlsx",
                title=f"Exceptions: {moved} by more than {bound:g} percent",
                sheet="Exceptions",
                columns=("older", "newer", "rate"),
            ),
            Output(
                file=note,
                family="docx",
                title="Exceptions from one period to the next",
                sections=(
                    Section(
                        heading="Exceptions",
                        paragraphs=(
                            "Of {compared} rows compared, {flagged} are exceptions.",
                            "The furthest beyond the bound is {furthest}, with a change of {furthest_rate} percent.",
                        ),
                    ),
                    Section(
                        heading="Basis",
                        paragraphs=(
                            f"The change is {late} less {early}, in percent of the latter. An exception {moved} by "
                            f"more than {bound:g} percent.",
                        ),
                    ),
                ),
            ),
        ),
        citations=citations(view, ((older, early), (newer, late))),
    )
    row, rows = noun(newer), nouns(newer)
    change = "rise" if above else "fall"
    limit = f"{bound:g} percent"
    what = view.pick(
        "what",
        f"List every {row} whose figure {moved} by more than {limit} from the older to the newer, and no other. The "
        "change is newer less older, in percent of the older figure.",
        f"An exception is a {row} whose figure {moved} by more than {limit}: newer less older, in percent of the older "
        "figure. I want all the exceptions and nothing else in the list.",
        f"Work out the change of each {row} in percent of its older figure (newer less older, over older), and keep "
        f"those whose figure {moved} by more than {limit}.",
    )
    exact = view.pick(
        "exact",
        f"Decide on the unrounded percentage; a {change} of exactly {limit} is no exception.",
        f"A {change} of {limit} to the dot doesn't count, and please don't round before you decide.",
        f"Go by the percentage as it comes out, without rounding. Exactly {limit} is still in order.",
    )
    order = view.pick(
        "order",
        f"Put the largest {change} first.",
        f"The largest {change} goes to the top.",
        f"Sort them from the largest {change} to the smallest.",
    )
    if not above:
        order += view.pick("sign", " Falls carry a minus sign.", " A fall is a negative change.")
    request = (
        f"{both_periods(view, newer, older, (late, early))} {what} {exact}",
        f"{order} {left_out(view, newer)} {no_totals(view)}",
    )
    used = "file" if view.file(newer) == view.file(older) else "files"
    note_form = view.pick(
        "note",
        "half a page with the headings “Exceptions”, “Basis” (what was compared, and the bound) and “Sources”.",
        "a short note under the headings “Exceptions”, “Basis”, which says what was compared and where the bound "
        "lies, and “Sources”.",
        "not more than half a page: “Exceptions”, “Basis” (how the change is worked out and where the line is) and "
        "“Sources” as headings.",
    )
    return Composition(
        plan=plan,
        series={"older": older.id, "newer": newer.id},
        request=request,
        about=about(view, (newer, older), dated=False),
        reasons=REASONS,
        forms={
            book: f"{sheet(view, 'Exceptions', (key, early, late, rate))}, the exceptions only, the change as a live "
            f"formula; {sources(view, used)}.",
            note: f"{note_form} Percentages to two decimals.",
        },
        stated=(
            Stated(note, "flagged", f"states how many {rows} are exceptions", ("exceptions",)),
            Stated(note, "compared", f"states how many {rows} were compared in all"),
            Stated(note, "furthest", f"names the {row} with the largest {change}"),
            Stated(note, "furthest_rate", f"states the largest {change} in percent"),
        ),
    )


def bound_of(percents: list[float], salt: str) -> tuple[bool, float] | None:
    """Whether rises (True) or falls are the exceptions, and by more than how many percent; None where no bound is fair.

    At least two rows lie beyond the bound and at most half of them, none of them within a tenth of a point of it, and
    no count that the note must state is the bound itself. Among such bounds the one that about a fifth of the rows lie
    beyond; of both directions, where both have one, ``salt`` chooses.
    """
    found: dict[bool, float] = {}
    for above in (True, False):
        moved = percents if above else [-percent for percent in percents]
        fair = [
            bound
            for bound in _ROUND
            if 2 <= (beyond := sum(percent > bound for percent in moved)) <= len(moved) / 2
            and all(abs(percent - bound) > _CLEAR for percent in moved)
            and bound not in (beyond, len(moved))
        ]
        if fair:
            found[above] = min(
                fair, key=lambda bound: abs(sum(percent > bound for percent in moved) / len(moved) - _MEANT)
            )
    if not found:
        return None
    sides = sorted(found)
    above = sides[int(stable_hash(salt, "side")[:8], 16) % len(sides)]
    return above, found[above]
