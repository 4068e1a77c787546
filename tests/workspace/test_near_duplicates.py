"""Copies are dropped and editions stay: on made files, on random ones, and on the noted pairs of the corpus."""

import json
import random
import re
from pathlib import Path

import openpyxl
import pytest
from docx import Document as Docx
from hypothesis import given, settings
from hypothesis import strategies as st
from made_library import document, table

from graphforge.records import Document, Family
from graphforge.workspace import Library, LocalSearch
from graphforge.workspace.near_duplicates import (
    Sketch,
    Wording,
    candidates,
    is_copy,
    overlap,
    split,
    split_near_duplicates,
)

ROOT = Path(__file__).resolve().parents[2]
CORPUS = ROOT.parent / "shared" / "corpus"

AREAS = [f"{side} {kind}" for side in ("North", "South", "East", "West", "Upper", "Lower")
         for kind in ("Harbour", "Market", "Valley", "Bridge", "Common", "Mill", "Ferry", "Priory")]  # fmt: skip
PROSE = [
    f"Section {n}. The {area} office keeps a register of permits and reports the {word} of every quarter to the board."
    for n, (area, word) in enumerate(
        zip(AREAS, ["income", "number", "refusal", "review"] * 12, strict=True), 1
    )
]


def rows(step: float = 7.25, title: str = "Permits") -> list[list[object]]:
    return [["Area", title, "Fees"]] + [
        [area, 100 + number * 3, round(number * step + 11, 2)] for number, area in enumerate(AREAS)
    ]


def wording(made: Document, name: str | None = None) -> Wording:
    return Wording.of(name or made.name, made)


def text(name: str, lines: list[str], family: Family = "md") -> Wording:
    return wording(document(name, text=tuple(lines), family=family))


def data(name: str, given: list[list[object]], family: Family = "csv") -> Wording:
    return wording(document(name, (table(given),), family=family))


def both_ways(one: Wording, two: Wording) -> bool:
    assert is_copy(one, two) == is_copy(two, one)
    return is_copy(one, two)


def test_the_same_table_in_another_format_is_a_copy() -> None:
    assert both_ways(data("permits.csv", rows()), data("permits.xlsx", rows(), "xlsx"))


def test_the_same_table_written_otherwise_is_a_copy() -> None:
    written = [[str(cell) if row == 0 or column == 0 else f"{cell:,.2f}" for column, cell in enumerate(cells)]
               for row, cells in enumerate(rows())]  # fmt: skip
    assert both_ways(data("permits.csv", rows()), data("permits out.xlsx", written, "xlsx"))


def test_a_table_cut_off_is_a_copy() -> None:
    whole = rows()
    assert both_ways(data("permits.csv", whole), data("partial.csv", whole[:44]))


def test_one_changed_figure_makes_an_edition_of_data() -> None:
    changed = rows()
    changed[20][1] = changed[21][1]
    assert overlap(data("a.csv", rows()), data("b.csv", changed))[0] > 0.85
    assert not both_ways(data("permits.csv", rows()), data("permits_revised.csv", changed))


def test_a_later_year_makes_an_edition_of_data() -> None:
    def series(last: int) -> list[list[object]]:
        return [["Year", "Permits", "Fees"]] + [
            [str(y), 100 + y % 97, y * 1.25] for y in range(1960, last + 1)
        ]

    assert not both_ways(data("permits.csv", series(2019)), data("permits_new.csv", series(2020)))
    assert not both_ways(data("permits.csv", series(2019)), data("permits.xlsx", series(2021), "xlsx"))


def test_restated_figures_in_another_format_are_an_edition() -> None:
    restated = [[*row[:2], row[2] if number < 5 else round(float(str(row[2])) * 1.02, 2)] if number else row
                for number, row in enumerate(rows())]  # fmt: skip
    assert not both_ways(data("permits.csv", rows()), data("permits.xlsx", restated, "xlsx"))


def test_a_text_in_another_format_is_a_copy_with_header_and_footer() -> None:
    with_footer = [*PROSE[:20], "Page 1 of 2", *PROSE[20:], "Page 2 of 2"]
    assert both_ways(text("guide.docx", PROSE, "docx"), text("guide.pdf", with_footer, "pdf"))


def test_a_text_for_another_year_is_an_edition() -> None:
    dated = [[f"This guide is for the year {year}.", *PROSE] for year in (2022, 2023)]
    one, two = text("2022_guide.pdf", dated[0], "pdf"), text("2023_guide.pdf", dated[1], "pdf")
    assert overlap(one, two)[0] > 0.95
    assert not both_ways(one, two)


def test_another_day_or_limit_makes_an_edition_of_a_text() -> None:
    one = [*PROSE, "Cases were counted as of February 19 by the county."]
    two = [*PROSE, "Cases were counted as of February 26 by the county."]
    assert not both_ways(text("a.pdf", one, "pdf"), text("b.pdf", two, "pdf"))


def test_an_edited_text_is_an_edition() -> None:
    first = [line.replace("keeps a register", "maintains the ledger") for line in PROSE[:4]]
    assert not both_ways(text("draft.md", PROSE), text("final.md", [*first, *PROSE[4:]]))


def test_words_broken_otherwise_are_no_edit() -> None:
    broken = [line.replace("register of permits", "regis ter of permits") if n == 3 else line
              for n, line in enumerate(PROSE)]  # fmt: skip
    assert both_ways(text("a.pdf", PROSE, "pdf"), text("b.pdf", broken, "pdf"))


def test_tables_over_the_same_rows_are_no_copies() -> None:
    other = [["Area", "Complaints", "Fines"]] + [[area, 9 + n * n, n * 13.5] for n, area in enumerate(AREAS)]
    assert not both_ways(data("permits.csv", rows()), data("complaints.csv", other))


def test_short_files_and_pictures_are_compared_by_their_bytes_only() -> None:
    tiny = text("a.txt", ["Nothing to see."], "txt")
    assert not len(tiny.grams) and not len(tiny.signature)
    assert not both_ways(tiny, text("b.txt", ["Nothing to see."], "txt"))


def test_words_are_the_same_however_a_number_is_written() -> None:
    assert split("Café: 1,234.50 and $14,824,858; 007") == ["cafe", "1234.5", "and", "14824858", "007"]


def sketches(wordings: dict[str, Wording]) -> dict[str, Sketch]:
    return {name: Sketch(one.path, len(one.grams), one.signature) for name, one in wordings.items()}


def test_an_edition_is_not_dropped_by_a_chain_of_copies() -> None:
    made = {name: Sketch(name, 50, numpy_ones) for name in "abc"}
    kept, dropped = split_near_duplicates(made, lambda one, two: {one, two} != {"a", "c"})
    assert (kept, dropped) == (["a", "c"], {"b": "a"})


numpy_ones = text("x.md", PROSE).signature


@st.composite
def shelves(draw: st.DrawFn) -> dict[str, Wording]:
    """Some texts with copies and edits of them, by a name that stands for the hash."""
    found: dict[str, Wording] = {}
    for number in range(draw(st.integers(1, 5))):
        start = draw(st.integers(0, 30))
        lines = PROSE[start : start + draw(st.integers(3, 16))]
        if draw(st.booleans()):
            lines = [
                line.replace("board", draw(st.sampled_from(["council", "court", "panel"]))) for line in lines
            ]
        family: Family = draw(st.sampled_from(["md", "pdf", "docx"]))
        found[f"{number}"] = text(f"file {number}.{family}", lines, family)
    return found


@settings(max_examples=60, deadline=None)
@given(shelves(), st.randoms())
def test_the_order_of_the_files_does_not_matter(shelf: dict[str, Wording], order: random.Random) -> None:
    def outcome(names: list[str]) -> tuple[list[str], dict[str, str]]:
        given = sketches({name: shelf[name] for name in names})
        return split_near_duplicates(given, lambda one, two: is_copy(shelf[one], shelf[two]))

    names = list(shelf)
    first = outcome(names)
    order.shuffle(names)
    kept, dropped = outcome(names)
    assert (kept, dropped) == first
    assert sorted([*kept, *dropped]) == sorted(shelf)
    for gone, original in dropped.items():
        assert original in kept and is_copy(shelf[gone], shelf[original])
    assert not any(is_copy(shelf[one], shelf[two]) for one in kept for two in kept if one < two)


@settings(max_examples=60, deadline=None)
@given(shelves())
def test_minhash_proposes_what_the_grams_confirm(shelf: dict[str, Wording]) -> None:
    proposed = set(candidates({name: one.signature for name, one in shelf.items()}))
    for one in shelf:
        for two in shelf:
            if one < two and overlap(shelf[one], shelf[two])[0] >= 0.5:
                assert (one, two) in proposed


def test_an_opened_library_names_the_kept_file(tmp_path: Path) -> None:
    root = tmp_path / "shelf"
    root.mkdir()
    lines = [",".join(map(str, row)) for row in rows()]
    (root / "permits.csv").write_text("\n".join(lines))
    (root / "permits_bom.csv").write_bytes(b"\xef\xbb\xbf" + "\r\n".join(lines).encode())
    lines[5] = lines[5] + "9"
    (root / "permits_revised.csv").write_text("\n".join(lines))
    book = openpyxl.Workbook()
    for row in rows():
        book.active.append(row)
    book.save(root / "permits.xlsx")
    page = Docx()
    for line in PROSE:
        page.add_paragraph(line)
    page.save(root / "guide.docx")
    (root / "guide.md").write_text("\n\n".join(PROSE))

    def opened(cache: Path | None) -> Library:
        return LocalSearch(root=root, file_bytes=1_000_000, workers=1).open(cache)

    found = opened(None)
    assert {one.id: (one.reason, one.detail) for one in found.rejections} == {
        "permits.xlsx": ("near_duplicate", "the same content as permits.csv"),
        "permits_bom.csv": ("near_duplicate", "the same content as permits.csv"),
        "guide.md": ("near_duplicate", "the same content as guide.docx"),
    }
    for _ in range(2):
        again = opened(tmp_path / "cache")
        assert again.rejections == found.rejections
        assert dict(again.documents) == dict(found.documents)


@pytest.mark.slow
def test_the_noted_copies_of_the_corpus_go_and_the_editions_stay(tmp_path: Path) -> None:
    if not CORPUS.is_dir():
        pytest.skip("needs ../shared/corpus: not in this clone")
    found = LocalSearch(root=CORPUS, file_bytes=64 * 2**20, workers=2).open(tmp_path)
    gone = {
        one.id: one.detail.split(" as ", 1)[1]
        for one in found.rejections
        if one.reason.endswith("_duplicate")
    }

    def kept(path: str) -> str:
        return kept(gone[path]) if path in gone else path

    copies, editions = [], []
    for line in (CORPUS / "manifest.jsonl").read_text(encoding="utf-8").splitlines():
        entry = json.loads(line)
        note = entry.get("note") or ""
        told = re.match(
            r"(exact duplicate of|near-duplicate of|other edition or period of the same series as) (.+?)(?: \(|$)",
            note,
        )
        if told:
            pair = [path.split("/", 1)[1] for path in (entry["path"], told[2])]
            (editions if told[1].startswith("other") else copies).append(pair)
    assert (len(copies), len(editions)) == (24, 33)
    assert [pair for pair in copies if kept(pair[0]) != kept(pair[1])] == []
    assert [pair for pair in editions if kept(pair[0]) == kept(pair[1])] == []
