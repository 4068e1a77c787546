"""The funnel and the coverage as plain text that fits a terminal."""

from collections.abc import Mapping, Sequence

from .funnel import Coverage, Funnel

Cell = str | int | float


def text_table(header: Sequence[str], rows: Sequence[Sequence[Cell]]) -> str:
    """Columns padded to their widest cell; numbers to the right, floats with three decimals, thousands set apart."""
    texts = [[_text(cell) for cell in row] for row in rows]
    widths = [max(len(line[place]) for line in [list(header), *texts]) for place in range(len(header))]
    right = [any(not isinstance(row[place], str) for row in rows) for place in range(len(header))]
    lines = [_line(header, widths, right), _line(["-" * width for width in widths], widths, right)]
    return "\n".join([*lines, *(_line(row, widths, right) for row in texts)])


def show_columns(columns: Mapping[str, Sequence[Cell]]) -> str:
    """A table given column by column."""
    return text_table(list(columns), list(zip(*columns.values(), strict=True)))


def show_funnel(funnel: Funnel) -> str:
    """A line a stage: what came in, what went out, how many of these beyond one for each input, and every reason of
    rejection with its count."""
    rows = [
        (
            count.stage,
            count.inputs,
            count.outputs,
            ", ".join(
                [
                    *([f"(+{count.repeats} beyond one each)"] if count.repeats else []),
                    *(
                        f"{reason} {number}"
                        for reason, number in sorted(
                            count.rejected.items(), key=lambda one: (-one[1], one[0])
                        )
                    ),
                ]
            ),
        )
        for count in funnel.stages
    ]
    return "Funnel\n\n" + text_table(("stage", "in", "out", "rejected, by reason"), rows)


def show_coverage(coverage: Coverage) -> str:
    """Sectors by patterns, and topics, of the admitted tasks."""
    patterns = list(coverage.patterns)
    letters = {pattern: chr(ord("a") + place) for place, pattern in enumerate(patterns)}
    rows: list[list[Cell]] = [
        [sector, *(coverage.cells[sector].get(pattern, 0) for pattern in patterns), number]
        for sector, number in coverage.sectors.items()
    ]
    rows.append(["all", *coverage.patterns.values(), coverage.admitted])
    head = (
        f"Coverage: {coverage.admitted} admitted tasks over {len(coverage.sectors)} sectors, "
        f"{len(patterns)} patterns, {len(coverage.topics)} topics, {coverage.occupations} occupations"
    )
    legend = "\n".join(f"  {letter} = {pattern}" for pattern, letter in letters.items())
    topics = text_table(("topic", "tasks"), list(coverage.topics.items()))
    table = text_table(("sector", *letters.values(), "all"), rows)
    return f"{head}\n\n{table}\n{legend}\n\n{topics}"


def _text(cell: Cell) -> str:
    if isinstance(cell, str):
        return cell
    return f"{cell:.3f}" if isinstance(cell, float) else f"{cell:,}"


def _line(cells: Sequence[str], widths: Sequence[int], right: Sequence[bool]) -> str:
    padded = (
        cell.rjust(width) if flush else cell.ljust(width)
        for cell, width, flush in zip(cells, widths, right, strict=True)
    )
    return "  ".join(padded).rstrip()
