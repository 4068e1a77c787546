"""Renders the reference agent's analysis script from a plan.

The script is what a careful analyst would leave behind: it names the columns after their labels, reads them from
the original files, computes step by step, and writes the deliverables. It holds no result: every figure is
computed when it runs.
"""

import keyword
import re
from collections.abc import Iterable, Sequence

from ..errors import RecordError
from ..records import (
    ONE_ARGUMENT,
    CellLocator,
    DerivedColumn,
    Fact,
    Output,
    Plan,
    PointerLocator,
    QuotedColumn,
    ReadColumn,
    Section,
    TableCellLocator,
    normalize,
)
from . import bricks

# Members of a row and names of the template that a column may not take.
_RESERVED = {"key"}
_PLACEHOLDER = re.compile(r"\{([A-Za-z0-9][A-Za-z0-9_.:-]*)\}")
_WIDTH = 110
_TEXT_WIDTH = 84
# How long a fact is in the source of a script, roughly: {facts['name']}.
_FACT_WIDTH = 12
_MAY_DIVIDE_BY_ZERO = ("ratio", "percent_change", "projection", "share")
# Operations whose functions take the column's constant as their last argument.
_WITH_CONSTANT = ("agreement", "above", "below", "scaled", "apportioned")


def render(plan: Plan) -> str:
    """The whole script. RecordError where the plan can't be executed as it stands."""
    names = _column_names(plan)
    setup = "\n".join(
        [
            'INPUTS = Path("inputs")',
            'OUTPUTS = Path("outputs")',
            "",
            "# How the columns are headed in the deliverables.",
            *_mapping(
                "LABELS", {"key": plan.key_label, **{names[one.alias]: one.label for one in _columns(plan)}}
            ),
            "",
            "# Where the figures come from.",
            "SOURCES = [",
            *(_tuple_lines(citation.file, citation.used_for) for citation in plan.citations),
            "]",
        ]
    )
    body = "\n\n".join(
        block for block in (_reading(plan, names), _computing(plan, names), _facts(plan, names)) if block
    )
    body += "\n\n" + "\n".join(_writing(plan, names))
    titles = list(dict.fromkeys(output.title for output in plan.outputs))
    docstring = "; ".join(titles).replace("\\", "/").replace('"', "'")
    summary = (
        f"{docstring}.\n\nReads the original files in inputs/ and writes the deliverables into outputs/.\n"
    )
    return bricks.script(summary, setup, body)


def text_literal(text: str) -> str:
    """A Python string literal, in double quotes unless that needs more escapes."""
    quoted = repr(text)
    if quoted.startswith('"') or ('"' in text and "'" not in text):
        return quoted
    return _double_quoted(text)


def _double_quoted(text: str) -> str:
    quoted = repr(text)
    if quoted.startswith('"'):
        return quoted
    return '"' + quoted[1:-1].replace("\\'", "'").replace('"', '\\"') + '"'


def _columns(plan: Plan) -> list[ReadColumn | QuotedColumn | DerivedColumn]:
    return [*plan.reads, *plan.quoted, *plan.derived]


def _column_names(plan: Plan) -> dict[str, str]:
    """Alias to the name a column bears in the script: its label as an identifier."""
    names: dict[str, str] = {}
    for column in _columns(plan):
        words = normalize(column.label).split()
        while len("_".join(words)) > 28 and len(words) > 1:
            words.pop()
        name = re.sub(r"[^a-z0-9_]", "", "_".join(words))[:28].strip("_") or "column"
        if name[0].isdigit() or keyword.iskeyword(name) or name in _RESERVED:
            name = f"column_{name}"
        unique, count = name, 2
        while unique in names.values():
            unique, count = f"{name}_{count}", count + 1
        names[column.alias] = unique
    return names


def _mapping(name: str, entries: dict[str, str]) -> list[str]:
    pairs = [f"    {text_literal(key)}: {text_literal(value)}," for key, value in entries.items()]
    return [f"{name} = {{", *pairs, "}"]


def _tuple_lines(*texts: str) -> str:
    line = f"    ({', '.join(text_literal(text) for text in texts)}),"
    if len(line) <= 110:
        return line
    return "\n".join(["    (", *(f"        {text_literal(text)}," for text in texts), "    ),"])


def _reading(plan: Plan, names: dict[str, str]) -> str:
    """Read each table once, then the columns from it."""
    tables: dict[str, str] = {}
    lines = ["# 1. Read the columns from the original files."]
    for read in plan.reads:
        call = reader(read)
        if call not in tables:
            stem = (
                re.sub(r"[^a-z0-9]+", "_", normalize(read.file.rsplit(".", 1)[0]))[:32].strip("_") or "file"
            )
            stem = f"file_{stem}" if stem[0].isdigit() else stem
            name, count = f"{stem}_rows", 2
            while name in tables.values():
                name, count = f"{stem}_{count}_rows", count + 1
            tables[call] = name
            lines.append(f"{name} = {call}")
    lines.append("columns = {")
    for read in plan.reads:
        key, value = _place_in_row(read)
        # Rows that were looked up by name are the whole table.
        at = (
            f"range({len(read.names)})"
            if reader(read).startswith("read_pdf_rows(")
            else row_ranges(read.rows)
        )
        arguments = f"{tables[reader(read)]}, key={key}, value={value}, at={at}"
        line = f"    {text_literal(names[read.alias])}: column({arguments}),"
        if len(line) <= _WIDTH:
            lines.append(line)
        else:
            lines += [f"    {text_literal(names[read.alias])}: column(", f"        {arguments}", "    ),"]
    for quoted in plan.quoted:
        lines += _quoted(quoted, names[quoted.alias])
    lines.append("}")
    first = text_literal(names[plan.reads[0].alias])
    lines += [
        "",
        "# 2. Match the rows by name: those that every column has, in the order of the first.",
        f"first = columns[{first}]",
        "shared = [name for name in first if all(name in values for values in columns.values())]",
        "for label, values in columns.items():",
        "    left_out = [values[name][0] for name in values if name not in shared]",
        '    print(f"{LABELS[label]}: {len(values)} values, {len(left_out)} without a partner {left_out[:5]}")',
        "if not shared:",
        '    raise SystemExit("No row name occurs in every column: nothing can be compared")',
        "rows = [",
        '    {"key": first[name][0], **{label: values[name][1] for label, values in columns.items()}}',
        "    for name in shared",
        "]",
        'print(f"{len(rows)} rows matched")',
    ]
    return "\n".join(lines)


def _quoted(column: QuotedColumn, name: str) -> list[str]:
    """A column of figures that running text states, each checked against the text when the script runs."""
    lines = [
        f"    # As the text of {column.file} states them; each wording is looked up in the text.",
        f"    {text_literal(name)}: quoted(",
        f"        {text_reader(column.family, column.file)},",
        "        {",
    ]
    lines += [
        f"            {text_literal(figure.entity)}: ({text_literal(figure.literal)}, {figure.number!r}),"
        for figure in column.figures
    ]
    return [*lines, "        },", "    ),"]


def text_reader(family: str, file: str) -> str:
    """The call that reads the running text of a file."""
    path = f"INPUTS / {text_literal(file)}"
    if family in ("pdf", "docx", "pptx", "html"):
        return f"{family}_text({path})"
    if family in ("txt", "md", "csv", "json"):
        return f"decoded({path})"
    raise RecordError(f"The plan quotes the text of {file}, a {family} file", "Compile the task again")


def reader(read: ReadColumn) -> str:
    """The call that reads the table of a column."""
    path = f"INPUTS / {text_literal(read.file)}"
    place = read.place
    match read.family, place:
        case "xlsx" | "xls" | "ods", CellLocator():
            return f"read_sheet({path}, {text_literal(place.sheet)})"
        case "csv", CellLocator():
            return f"read_csv({path})"
        case "txt", CellLocator():
            return f"read_csv({path})"
        case "pdf", TableCellLocator() if place.page is not None and read.names:
            names = _wrapped_list([text_literal(name) for name in read.names], indent=0, lead=60)
            key = f", key={read.key_column}" if read.key_column else ""
            return f"read_pdf_rows({path}, page={place.page}, index={place.table}, names={names}{key})"
        case "pdf", TableCellLocator() if place.page is not None:
            return f"read_pdf_table({path}, page={place.page}, index={place.table})"
        case "html" | "docx" | "pptx" | "md", TableCellLocator():
            return f"read_{read.family}_table({path}, {place.table})"
        case "json", PointerLocator():
            return f"read_json({path}, {text_literal(array_pointer(read, place))})"
    raise RecordError(
        f"The plan reads {read.alias} from a {read.family} file at a {place.kind} place, which holds no column",
        "Compile the task again",
    )


def array_pointer(read: ReadColumn, place: PointerLocator) -> str:
    """The array of objects that holds the value at ``place`` (``<array>/<row>/<member>``)."""
    steps = place.pointer.split("/")
    if len(steps) < 3:
        raise RecordError(
            f"The plan reads {read.alias} at the pointer {place.pointer!r}, which lies in no array of objects",
            "Compile the task again",
        )
    return "/".join(steps[:-2])


def _place_in_row(read: ReadColumn) -> tuple[str, str]:
    """How a row gives the key and the value: by position, or by member for JSON."""
    if isinstance(read.place, CellLocator | TableCellLocator):
        return str(read.key_column), str(read.place.column)
    return text_literal(read.key_name), text_literal(read.value_name)


def row_ranges(rows: Sequence[int]) -> str:
    """Row numbers as Python source: ``range(5, 45)``, or several ranges where there are gaps."""
    runs: list[list[int]] = []
    for row in rows:
        if runs and row == runs[-1][1]:
            runs[-1][1] += 1
        else:
            runs.append([row, row + 1])
    if len(runs) == 1:
        return f"range({runs[0][0]}, {runs[0][1]})"
    parts = [str(start) if end == start + 1 else f"*range({start}, {end})" for start, end in runs]
    return _wrapped_list(parts, indent=8, lead=60)


def _wrapped_list(parts: list[str], indent: int, lead: int) -> str:
    """``[a, b, c]`` on one line where it fits, otherwise on several."""
    flat = f"[{', '.join(parts)}]"
    if len(flat) + lead <= 110:
        return flat
    lines, current = [], ""
    for part in parts:
        if current and len(current) + len(part) + indent + 4 > 108:
            lines.append(current.rstrip())
            current = ""
        current += f"{part}, "
    lines.append(current.rstrip())
    pad = " " * (indent + 4)
    return "[\n" + "\n".join(pad + line for line in lines) + "\n" + " " * indent + "]"


def _computing(plan: Plan, names: dict[str, str]) -> str:
    """Derived columns in order, then the selection and the order of the rows."""
    if not (plan.derived or plan.keep or plan.order_by or plan.limit):
        return ""
    lines = ["# 3. Compute, row by row."]
    open_loop = False
    for column in plan.derived:
        target = f"row[{text_literal(names[column.alias])}]"
        cells = [f"row[{text_literal(names[alias])}]" for alias in column.arguments]
        _check_arguments(column)
        if column.operation in ("allocation", "cumulative_share"):
            figures = _whole_column(column, [names[alias] for alias in column.arguments])
            lines += [f"for row, figure in zip(rows, {figures}, strict=True):", f"    {target} = figure"]
            open_loop = False
            continue
        extra = [f"{column.constant or 0.0!r}"] if column.operation in _WITH_CONSTANT else []
        extra += [f"{bound!r}" for bound in column.bounds]
        if column.operation in ("share", "apportioned"):
            total = _total_name(names, column)
            line = f"{total} = math.fsum(numbers(rows, {text_literal(names[column.arguments[0]])}))"
            if line not in lines:
                lines.append(line)
                open_loop = False
            extra = [total, *extra]
        arguments = ", ".join([*cells, *extra])
        if not open_loop:
            lines.append("for row in rows:")
            open_loop = True
        lines.append(f"    {target} = {column.operation}({arguments})")
    if plan.keep:
        cell = f"row[{text_literal(names[plan.keep.column])}]"
        lines.append(f"rows = [row for row in rows if {cell} == {text_literal(plan.keep.equals)}]")
        lines.append('print(f"{len(rows)} rows kept")')
    if plan.order_by:
        lines.append(
            f"rows = ordered(rows, {text_literal(names[plan.order_by])}, descending={plan.descending})"
        )
    if plan.limit:
        lines.append(f"rows = rows[:{plan.limit}]")
    return "\n".join(lines)


def _whole_column(column: DerivedColumn, names: list[str]) -> str:
    """The call that computes a column from all rows at once."""
    if column.operation == "allocation":
        part, base = map(text_literal, names)
        return f"balanced(rows, {part}, {base}, {column.constant!r})"
    return f"cumulative_shares(rows, {text_literal(names[0])})"


def _check_arguments(column: DerivedColumn) -> None:
    wanted = 1 if column.operation in ONE_ARGUMENT else 2
    if len(column.arguments) != wanted:
        what = f"The derived column {column.alias} ({column.operation}) has {len(column.arguments)} arguments"
        raise RecordError(f"{what}, not {wanted}", "Compile the task again")


def _total_name(names: dict[str, str], column: DerivedColumn) -> str:
    return f"total_{names[column.arguments[0]]}"


def _facts(plan: Plan, names: dict[str, str]) -> str:
    """The named figures of the running text."""
    if not plan.facts:
        return ""
    lines = ["# 4. Figures for the text.", "facts = {"]
    lines += [f"    {text_literal(fact.name)}: {_fact(fact, names)}," for fact in plan.facts]
    lines += ["}", "for name, figure in facts.items():", '    print(f"{name}: {figure}")']
    return "\n".join(lines)


def _fact(fact: Fact, names: dict[str, str]) -> str:
    column = "" if fact.column is None else text_literal(names[fact.column])
    values = f"numbers(rows, {column})"
    if not column and fact.operation not in ("count", "matched", "constant"):
        raise RecordError(
            f"The fact {fact.name} ({fact.operation}) names no column", "Compile the task again"
        )
    match fact.operation:
        case "sum":
            return f"show(math.fsum({values}), {fact.decimals})"
        case "mean":
            return f"show(mean({values}), {fact.decimals})"
        case "maximum":
            return f"show(max({values}, default=None), {fact.decimals})"
        case "minimum":
            return f"show(min({values}, default=None), {fact.decimals})"
        case "top" | "bottom":
            return f"extreme(rows, {column}, largest={fact.operation == 'top'})"
        case "count":
            return 'f"{len(rows):,}"'
        case "matched":
            return 'f"{len(shared):,}"'
        case "count_equal":
            return f"count_equal(rows, {column}, {text_literal(fact.word or '')})"
        case "sum_equal":
            of = text_literal(names[fact.of or ""])
            word = text_literal(fact.word or "")
            return f"show(sum_equal(rows, {column}, {word}, {of}), {fact.decimals})"
        case "constant":
            return f"show({fact.number!r}, {fact.decimals})"


def _writing(plan: Plan, names: dict[str, str]) -> list[str]:
    """One call a deliverable."""
    lines = ["# 5. Write the deliverables.", "OUTPUTS.mkdir(exist_ok=True)"]
    for output in plan.outputs:
        lines += ["", *_output(plan, output, names)]
    return lines


def _output(plan: Plan, output: Output, names: dict[str, str]) -> list[str]:
    path = f"OUTPUTS / {text_literal(output.file)}"
    totals = "[" + ", ".join(text_literal(names[alias]) for alias in output.totals) + "]"
    match output.family:
        case "xlsx":
            shown = _with_arguments(plan, output.columns)
            formulas, parameters = _formulas(plan, shown, names)
            notes = [line for section in output.sections for line in (section.heading, *section.paragraphs)]
            return [
                "write_workbook(",
                f"    {path},",
                f"    title={text_literal(output.title)},",
                f"    sheet_name={text_literal(output.sheet or 'Data')},",
                f"    headers={_headers(shown, names, 4)},",
                "    rows=rows,",
                *_argument("formulas", formulas),
                f"    totals={totals},",
                *_argument("parameters", parameters),
                *_further_sheets(output, names),
                *_text_argument("notes", notes, plan),
                "    sources=SOURCES,",
                ")",
            ]
        case "csv":
            return [
                f"headers = {_headers(output.columns, names, 0)}",
                f"write_csv({path}, headers, rows, totals={totals})",
            ]
        case "docx" | "pdf":
            sections = list(output.sections)
            if not any(section.heading.casefold() == "sources" for section in sections):
                sections.append(Section(heading="Sources"))
            lines = [f"headers = {_headers(output.columns, names, 0)}", "sections = ["]
            for section in sections:
                lines += ["    (", f"        {text_literal(section.heading)},"]
                lines += _text_lines(section.paragraphs, plan, 8)
                lines += [f"        {section.table},", "    ),"]
            return [
                *lines,
                "]",
                f"table = table_of(headers, rows{f'[:{output.first}]' if output.first else ''}, totals={totals})",
                f"write_{output.family}({path}, {text_literal(output.title)}, sections, table, SOURCES)",
            ]


def _further_sheets(output: Output, names: dict[str, str]) -> list[str]:
    """What a workbook's sheets of assumptions and of sums by class are called, where they are asked for."""
    lines = []
    if output.assumptions is not None:
        asked = output.assumptions
        texts = ", ".join(text_literal(text) for text in (asked.sheet, asked.name, asked.figure))
        lines.append(f"    parameter_sheet=({texts}),")
    if output.summary is not None:
        wanted = output.summary
        lines += [
            "    summary={",
            f'        "sheet": {text_literal(wanted.sheet)},',
            f'        "by": {text_literal(names[wanted.by])},',
            f'        "of": {text_literal(names[wanted.of])},',
            f'        "words": [{", ".join(text_literal(word) for word in wanted.words)}],',
            f'        "headings": [{", ".join(text_literal(one) for one in wanted.headings)}],',
            "    },",
        ]
    return lines


def _headers(aliases: Iterable[str], names: dict[str, str], indent: int) -> str:
    wanted = [text_literal(name) for name in ("key", *(names[alias] for alias in aliases))]
    return f"{{name: LABELS[name] for name in {_wrapped_list(wanted, indent=indent, lead=48)}}}"


def _with_arguments(plan: Plan, aliases: Sequence[str]) -> list[str]:
    """The columns of a sheet: those asked for, then those that their formulas refer to."""
    derived = {column.alias: column for column in plan.derived}
    shown = list(dict.fromkeys(aliases))
    for alias in shown:
        if alias in derived:
            shown += [argument for argument in derived[alias].arguments if argument not in shown]
    return shown


def _formulas(plan: Plan, shown: list[str], names: dict[str, str]) -> tuple[list[str], list[str]]:
    """Lines of the two dicts that a workbook needs: formulas by column, and the parameters they refer to."""
    whole = not (plan.keep or plan.limit)
    formulas, parameters = [], []
    blank: set[str] = set()
    for column in plan.derived:
        may_miss = bool(blank & set(column.arguments))
        if may_miss or column.operation in _MAY_DIVIDE_BY_ZERO:
            blank.add(column.alias)
        if column.alias not in shown:
            continue
        name = names[column.alias]
        a, *others = [f"{{{names[alias]}}}" for alias in column.arguments]
        b = others[0] if others else ""
        match column.operation:
            case "difference":
                formula = f"{a}-{b}"
            case "ratio":
                formula = f"{a}/{b}"
            case "projection":
                formula = f"{a}*{a}/{b}"
            case "percent_change":
                formula = f"100*({a}-{b})/{b}"
            case "share":
                # The share is of all matched rows; where the sheet shows only some, their sum stands apart.
                base = names[column.arguments[0]]
                total = f"SUM({{all_{base}}})" if whole else f"{{at_total_{base}}}"
                formula = f"100*{a}/{total}"
                if not whole:
                    label = f"Total of {_label(plan, column.arguments[0])} over all matched rows"
                    parameters.append(
                        f"{text_literal(f'total_{base}')}: ({text_literal(label)}, total_{base}),"
                    )
            case "distance":
                formula = f"ABS({a}-{b})"
            case "scaled":
                formula = f"{a}*(1+{{at_rate_{name}}}/100)"
                parameters.append(
                    f"{text_literal(f'rate_{name}')}: ({text_literal(column.label)}, {column.constant!r}),"
                )
            case "apportioned" | "allocation":
                base = names[column.arguments[-1]]
                amount = f"{{at_amount_{base}}}"
                parameters.append(
                    f"{text_literal(f'amount_{base}')}: ({text_literal('Amount')}, {column.constant!r}),"
                )
                if column.operation == "apportioned":
                    formula = f"ROUND({amount}*{a}/SUM({{all_{base}}}),0)"
                else:
                    part = names[column.arguments[0]]
                    formula = f"{a}+IF({b}=MAX({{all_{base}}}),{amount}-SUM({{all_{part}}}),0)"
            case "cumulative_share":
                base = names[column.arguments[0]]
                formula = f"100*SUM({{first_{base}}}:{a})/SUM({{all_{base}}})"
            case "abc_class":
                formula = f'IF({a}<={{at_first_{name}}},"A",IF({a}<={{at_second_{name}}},"B","C"))'
                for place, word, bound in zip(("first", "second"), "AB", column.bounds, strict=True):
                    meaning = text_literal(f"Class {word} up to (cumulative, %)")
                    parameters.append(f"{text_literal(f'{place}_{name}')}: ({meaning}, {bound!r}),")
            case "agreement":
                formula = f'IF(ABS({a}-{b})<={{at_limit_{name}}},"agrees","differs")'
            case "above" | "below":
                sign = ">" if column.operation == "above" else "<"
                formula = f'IF({a}{sign}{{at_limit_{name}}},"yes","no")'
                # A blank text counts as larger than any number.
                formula = f'IF({a}="","",{formula})' if may_miss else formula
        if column.operation in ("agreement", "above", "below"):
            label = "Tolerance" if column.operation == "agreement" else "Limit"
            label = f"{label} for {column.label}"
            parameters.append(
                f"{text_literal(f'limit_{name}')}: ({text_literal(label)}, {column.constant or 0.0!r}),"
            )
        if column.operation in _MAY_DIVIDE_BY_ZERO or (
            may_miss and column.operation not in ("above", "below")
        ):
            formula = f'IFERROR({formula},"")'
        formulas.append(f"{text_literal(name)}: {text_literal('=' + formula)},")
    return formulas, list(dict.fromkeys(parameters))


def _label(plan: Plan, alias: str) -> str:
    return next(column.label for column in _columns(plan) if column.alias == alias)


def _argument(name: str, entries: list[str]) -> list[str]:
    if not entries:
        return [f"    {name}={{}},"]
    return [f"    {name}={{", *(f"        {entry}" for entry in entries), "    },"]


def _text_argument(name: str, texts: Sequence[str], plan: Plan) -> list[str]:
    lines = _text_lines(texts, plan, 4)
    return [lines[0].replace("[", f"{name}=[", 1), *lines[1:]]


def _text_lines(texts: Sequence[str], plan: Plan, indent: int) -> list[str]:
    """A list of texts as source lines, the facts filled in when the script runs."""
    pad = " " * indent
    if not texts:
        return [f"{pad}[],"]
    lines = [f"{pad}["]
    for text in texts:
        pieces = _pieces(text, {fact.name for fact in plan.facts})
        if len(pieces) == 1:
            lines.append(f"{pad}    {pieces[0]},")
        else:
            lines += [f"{pad}    (", *(f"{pad}        {piece}" for piece in pieces), f"{pad}    ),"]
    return [*lines, f"{pad}],"]


def _pieces(text: str, facts: set[str]) -> list[str]:
    """The text as string literals of a handy length; ``{name}`` becomes the fact of that name."""
    chunks = [""]
    for word in re.findall(r"\s*\S+\s*$|\s*\S+", text) or [text]:
        length = len(chunks[-1]) + len(word) + _FACT_WIDTH * len(_PLACEHOLDER.findall(chunks[-1] + word))
        if chunks[-1] and length > _TEXT_WIDTH:
            # The space between two words ends the upper line.
            stripped = word.lstrip()
            chunks[-1] += word[: len(word) - len(stripped)]
            chunks.append(stripped)
        else:
            chunks[-1] += word
    return [_piece(chunk, facts) for chunk in chunks]


def _piece(chunk: str, facts: set[str]) -> str:
    named = _PLACEHOLDER.findall(chunk)
    if unknown := sorted(set(named) - facts):
        raise RecordError(
            f"A paragraph of the plan names the unknown facts {unknown}", "Compile the task again"
        )
    if not named:
        return text_literal(chunk)
    parts = _PLACEHOLDER.split(chunk)
    source = ""
    for position, part in enumerate(parts):
        if position % 2:
            source += f"{{facts['{part}']}}"
        else:
            source += _double_quoted(part)[1:-1].replace("{", "{{").replace("}", "}}")
    return f'f"{source}"'
