"""Answers to every question of a synthesis run, worked out from the request and from nothing else.

::

    with ScriptedServer(lambda body, number: author(body)) as server:
        ...

It plays every role: it states demands, searches, relates, writes tasks, does them, marks and revises, by simple rules
over what it is shown. What it hands over as an agent it computes with a script from the input files, after the words
of the statement. It tries the line and not a model: what it makes is right and dull.
"""

import hashlib
import json
import re
from collections.abc import Callable
from typing import Any

from scripted import Say
from spoken import FENCE

SUBJECTS = (
    "state oil gas production disbursements",
    "balance sheet income statement cash flow",
    "graduates majors engineering field",
    "emission rates region capacity",
    "employment projections wages occupational",
    "tax income returns liability projection",
    "charge card refunds federal workforce",
    "crude oil spot prices yearly",
)
PATTERNS = (
    "reconciliation",
    "comparative_evaluation",
    "data_analysis_and_reporting",
    "monitoring_and_exception_reporting",
)
LOOKS = 6
MEND = "Your last message could not be used as the answer:"
NOT_MADE = "This call was not made"
# Of these kinds of file the script below reads the tables.
READ = ("csv", "xlsx", "html")

Answer = dict[str, Any]


def author(body: dict[str, Any]) -> Say:
    """The answer to one request."""
    users = [turn["content"] for turn in body["messages"] if turn["role"] == "user"]
    # Asked to mend the form of an answer, it answers the question again.
    users = [text for text in users if not text.startswith(MEND)]
    if body.get("tools"):
        return counted(body, agent(body["messages"]))
    asked = frozenset(body["response_format"]["json_schema"]["schema"]["properties"])
    answers: dict[str, Callable[[list[str]], Answer]] = {
        "demands": demands,
        "labels": labels,
        "action": step,
        "carries": relations,
        "feasible": assignment,
        "hopeless": proposal,
        "candidates": marks,
    }
    (answer,) = [make for name, make in answers.items() if name in asked]
    return counted(body, Say(json.dumps(answer(users), ensure_ascii=False)))


def counted(body: dict[str, Any], say: Say) -> Say:
    """With a use of tokens that depends on what was said alone."""
    given, said = len(json.dumps(body["messages"])) // 4, len(say.text) + sum(len(a) for _, a in say.calls)
    return Say(say.text, calls=say.calls, finish=say.finish, usage=(given, 0, said // 4 + 1))


def draw(text: str, many: int) -> int:
    """A number below ``many`` that a text decides."""
    return int(hashlib.sha256(text.encode()).hexdigest()[:8], 16) % many


def blocks(text: str) -> dict[str, str]:
    """The data blocks of a prompt by label."""
    return {re.match(r"<<<data \w+ ([^\n]*)>>>", one[0])[1]: one[2] for one in FENCE.finditer(text)}  # type: ignore[index]


def demands(users: list[str]) -> Answer:
    """What the first task statement says."""
    task = re.search(r"^\[1\] \([^)]*\) (.+)$", blocks(users[0])["passages"], re.M)
    assert task is not None
    return {"demands": [{"demand": task[1][:400], "passages": [1]}]}


def labels(users: list[str]) -> Answer:
    """One of a few patterns."""
    told = "\n".join(blocks(users[0]).values())
    pattern = PATTERNS[draw(told, len(PATTERNS))]
    families = {"input_family": "delimited", "output_family": "spreadsheet"}
    return {"labels": [{"demand": 1, "why": "the work says so", "pattern": pattern, **families}]}


def step(users: list[str]) -> Answer:
    """Search, look into the first results, finish with four of them, with the two that share most row names as core."""
    blank = {"thought": "as planned", "keep": [], "drop": [], "query": "", "file": "", "members": []}
    done = len(users) - 1
    if done == 0:
        subject = SUBJECTS[draw(blocks(users[0])["the work"], len(SUBJECTS))]
        return {**blank, "action": "search", "query": subject}
    found = re.findall(r"^(L\d+) ", blocks(users[1])["search results"], re.M)[:LOOKS]
    if done <= len(found):
        return {**blank, "action": "inspect", "file": found[done - 1]}
    seen = {name: rows(users[place]) for place, name in enumerate(found, 2)}
    pairs = [(one, two) for at, one in enumerate(found) for two in found[at + 1 :]]
    core = max(pairs, key=lambda pair: len(seen[pair[0]] & seen[pair[1]]))
    chosen = [*core, *[name for name in found if name not in core]][:4]
    roles = ("core", "core", "supporting", "ambient")
    members = [
        {"file": name, "role": role, "why": "it fits"} for name, role in zip(chosen, roles, strict=True)
    ]
    return {**blank, "keep": chosen, "action": "finish", "members": members}


def rows(shown: str) -> frozenset[str]:
    """The row names of the tables of a readable file, as far as they are shown."""
    text = "\n".join(blocks(shown).values())
    if not text.startswith(("delimited", "spreadsheet", "page", *READ)):
        return frozenset()
    return frozenset(
        line.split(" | ")[0].strip().casefold() for line in text.split("\n") if line.startswith("  ")
    )


def relations(users: list[str]) -> Answer:
    """The first candidates that are no traps."""
    offered = re.findall(
        r"^(K\d+) (\w+):", blocks(users[0])["candidate relations, found by computation"], re.M
    )
    useful = [name for name, kind in offered if kind not in {"confuser", "threshold", "quote"}]
    chosen = [{"candidate": name, "why": "the work sets them side by side"} for name in useful[:2]]
    reason = "they can be set side by side" if chosen else "nothing belongs together"
    return {"reason": reason, "carries": bool(chosen), "relations": chosen, "nodes": [], "edges": []}


SERIES = re.compile(
    r"^(s\d+) “(.*?)”, of ([^,]+\.(\w+))(?:,.*)?; \d+ rows, named under “(.*)”\n   (.*)$", re.M
)


def assignment(users: list[str]) -> Answer:
    """Two columns side by side with their difference, or one with its shares."""
    graph = blocks(users[0])["evidence graph"]
    known = {one[1]: one for one in SERIES.finditer(graph) if one[4] in READ}
    related = [
        re.findall(r"s\d+", line)[:2]
        for line in re.findall(r"^\S+ \w+ between (s\d+(?:, s\d+)*)", graph, re.M)
    ]
    usable = [pair for pair in related if pair and all(name in known for name in pair)]
    if not usable:
        return {"reason": "no table of these can be read", "feasible": False, "statement": "", "deliverables": [],
                "criteria": [], "penalties": []}  # fmt: skip
    names = usable[0]
    held = [
        [re.sub(r"^\S+ ", "", cell).rpartition(" = ")[0] for cell in known[name][6].split("; ")]
        for name in names
    ]
    items = [item for item in held[0] if all(item in other for other in held)]
    if len(names) == 2:
        columns = {"First": names[0], "Second": names[1], "Difference": f"{names[0]} - {names[1]}"}
        meaning = "Difference means the first figure less the second."
    else:
        columns = {"Figure": names[0], "Share": f"100 * {names[0]} / sum({names[0]})"}
        meaning = "Share means 100 times a figure over the sum of all figures asked for."
    sources = " and ".join(
        f"“{known[name][2]}” of {known[name][3]} (rows under “{known[name][5]}”)" for name in names
    )
    file = "side_by_side.csv"
    statement = (
        f"Please put these figures together for the meeting and hand over {file}: {sources}. {meaning} Round nothing.\n"
        f"Items, one a line and in this order:\n" + "\n".join(f"- {item}" for item in items)
    )
    heads = ", ".join(f"“{name}”" for name in ("Item", *columns))
    place = {"sheet": "", "key": "Item", "where": None}
    criterion = {"file": file, "anchors": [], "expected": None, "computation": None, "value": None}
    criteria = [
        {
            **criterion,
            "requirement": f"The column “{name}” is right",
            "weight": 4,
            "verification": "Compare it with the sources row by row.",
            "checks": [{"kind": "column_values", **place, "column": name, "expression": expression, "words": None,
                        "decimals": 2}],
        }
        for name, expression in columns.items()
    ]  # fmt: skip
    criteria.append(
        {
            **criterion,
            "requirement": "The rows are those asked for, in the order of the request",
            "weight": 2,
            "verification": "Read down the first column.",
            "checks": [],
        }
    )
    return {
        "reason": "the figures can be set side by side",
        "feasible": True,
        "statement": statement,
        "deliverables": [
            {
                "file": file,
                "family": "csv",
                "requirement": f"The columns {heads}, a row for each item.",
                "sheets": [],
            }
        ],
        "criteria": criteria,
        "penalties": [],
    }


def proposal(users: list[str]) -> Answer:
    """Nothing, and for one task in two a sentence more, which voids its pilot."""
    task = blocks(users[0])["task"].split("\n\nDeliverables:")[0]
    more = draw(task, 2) == 0 and len(users) == 1
    return {
        "reasons": ["statement: it should say how items without a figure are shown"] if more else [],
        "statement": f"{task}\nLeave the cell of a missing figure empty." if more else None,
        "deliverables": [],
        "criteria": [],
        "penalties": [],
        "drop": [],
        "hopeless": None,
    }


def marks(users: list[str]) -> Answer:
    """Full marks for whoever has the rows that the task names, in its order."""
    shown = blocks(users[0])
    wanted = re.findall(r"^- (.+)$", shown["task"], re.M)
    ids = re.findall(r"^criterion (\S+) ", shown["rubric"], re.M)
    many = max(map(int, re.findall(r"^Candidate (\d+) handed over:", users[0], re.M)))
    found = []
    for number in range(1, many + 1):
        handed = [text for label, text in shown.items() if label.startswith(f"candidate {number}, ")]
        places = [handed[0].find(item) for item in wanted] if handed else [-1]
        right = -1 not in places and places == sorted(places)
        said = "the rows stand as asked" if right else "rows are missing or out of order"
        found.append(
            {
                "candidate": number,
                "criteria": [{"id": name, "evidence": said, "fraction": float(right)} for name in ids],
                "penalties": [],
            }
        )
    return {"candidates": found}


SCRIPT = """import csv
import json
import re
import sys

ASKED = json.loads(open("asked.json", encoding="utf-8").read())


def fold(value):
    return re.sub(r"[^a-z0-9]+", " ", str("" if value is None else value).lower()).strip()


def grids(path):
    if path.endswith(".csv"):
        with open(path, encoding="utf-8-sig", newline="") as handle:
            return [list(csv.reader(handle))]
    if path.endswith(".xlsx"):
        import openpyxl

        book = openpyxl.load_workbook(path, data_only=True)
        return [[list(row) for row in sheet.iter_rows(values_only=True)] for sheet in book]
    from lxml import html

    tables = html.parse(path).getroot().iter("table")
    return [[[cell.text_content() for cell in row.iter("td", "th")] for row in table.iter("tr")] for table in tables]


def number(value):
    text = re.sub(r"[,$% ]", "", str("" if value is None else value))
    text = re.sub(r"^\\((.*)\\)$", r"-\\1", text)
    try:
        return float(text)
    except ValueError:
        return None


def column(source):
    for grid in grids("inputs/" + source["file"]):
        for at, row in enumerate(grid):
            heads = [fold(cell) for cell in row]
            if fold(source["measure"]) not in heads or fold(source["key"]) not in heads:
                continue
            key, place = heads.index(fold(source["key"])), heads.index(fold(source["measure"]))
            found = {}
            for line in grid[at + 1 :]:
                if len(line) > max(key, place) and number(line[place]) is not None:
                    found.setdefault(fold(line[key]), number(line[place]))
            return found
    sys.exit("there is no such column: " + source["measure"])


columns = [column(source) for source in ASKED["sources"]]
cells = [[one.get(fold(item)) for one in columns] for item in ASKED["items"]]
with open("outputs/" + ASKED["deliverable"], "w", encoding="utf-8", newline="") as handle:
    out = csv.writer(handle)
    out.writerow(ASKED["heads"])
    total = sum(line[0] for line in cells if line[0] is not None)
    for item, line in zip(ASKED["items"], cells):
        if None in line:
            last = ""
        else:
            last = line[0] - line[1] if len(line) == 2 else 100 * line[0] / total
        out.writerow([item, *line, last])
print(len(cells), "rows")
"""


def agent(messages: list[dict[str, Any]]) -> Say:
    """Look round, write the script, run it, look at what it wrote, end."""
    request = next(turn["content"] for turn in messages if turn["role"] == "user")
    statement = request.split("\n\nTo hand over:")[0]
    deliverable = re.search(r"hand over (\S+\.csv)", statement)
    assert deliverable is not None
    sources = [
        {"measure": one[0], "file": one[1], "key": one[2]}
        for one in re.findall(r"“([^”]*)” of (\S+) \(rows under “([^”]*)”\)", statement)
    ]
    items = re.findall(r"^- (.+)$", statement, re.M)
    heads = ["Item", "First", "Second", "Difference"] if len(sources) == 2 else ["Item", "Figure", "Share"]
    asked = {"sources": sources, "items": items, "heads": heads, "deliverable": deliverable[1]}
    turns: list[tuple[str, dict[str, Any]]] = [
        ("bash", {"command": "ls inputs; sleep 0.2"}),
        ("write_file", {"path": "asked.json", "content": json.dumps(asked, ensure_ascii=False)}),
        ("write_file", {"path": "make.py", "content": SCRIPT}),
        ("bash", {"command": "python3 make.py"}),
        ("view_file", {"path": f"outputs/{deliverable[1]}"}),
    ]
    results = [turn["content"] for turn in messages if turn["role"] == "tool"]
    done = sum(not result.startswith(NOT_MADE) for result in results)
    if done >= len(turns):
        return Say(f"{deliverable[1]} holds the figures asked for.")
    name, arguments = turns[done]
    return Say(calls=((name, json.dumps(arguments, ensure_ascii=False)),), finish="tool_calls")
