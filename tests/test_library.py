"""The embedded example library: complete, as hashed, readable, every figure traceable to a published file."""

import csv
import hashlib
import html
import json
import re
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import openpyxl
import pymupdf
import pytest
import xlrd
from docx import Document
from pptx import Presentation

ROOT = Path(__file__).resolve().parents[1]
LIBRARY = ROOT / "examples" / "library"
CORPUS = ROOT.parent / "shared" / "corpus"
FIGURE = re.compile(r"(?<![\w.,-])(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?(?![\w])")
MONTHS = (
    *("January", "February", "March", "April", "May", "June"),
    *("July", "August", "September", "October", "November", "December"),
)
MARKUP = re.compile(r"<style>.*?</style>|<[^>]+>", re.S)


@cache
def manifest() -> tuple[dict[str, str], ...]:
    return tuple(json.loads(line) for line in (LIBRARY / "manifest.jsonl").read_text("utf-8").splitlines())


def corpus(name: str) -> Path:
    """A file of the shared corpus; skips the test where the folder is absent."""
    if not CORPUS.is_dir():
        pytest.skip("needs ../shared/corpus: not in this clone")
    return CORPUS / name


def text_of(path: Path) -> str:
    """All that a file says, read with the plain library of its format."""
    match path.suffix:
        case ".xlsx":
            book = openpyxl.load_workbook(path, data_only=True)
            return "\n".join(
                "\t".join("" if cell is None else str(cell) for cell in row)
                for sheet in book.worksheets
                for row in sheet.iter_rows(values_only=True)
            )
        case ".xls":
            old = xlrd.open_workbook(path)
            return "\n".join(
                "\t".join(str(cell) for cell in sheet.row_values(row))
                for sheet in old.sheets()
                for row in range(sheet.nrows)
            )
        case ".pdf":
            with pymupdf.open(path) as pdf:
                return "\n".join(page.get_text() for page in pdf)
        case ".docx":
            document = Document(str(path))
            cells = [cell.text for table in document.tables for row in table.rows for cell in row.cells]
            return "\n".join([paragraph.text for paragraph in document.paragraphs] + cells)
        case ".pptx":
            parts = []
            for slide in Presentation(str(path)).slides:
                for shape in slide.shapes:
                    if shape.has_text_frame:
                        parts.append(shape.text_frame.text)
                    if shape.has_table:
                        parts += [cell.text for row in shape.table.rows for cell in row.cells]
            return "\n".join(parts)
        case ".html":
            return html.unescape(MARKUP.sub(" ", path.read_text("utf-8")))
        case ".csv":
            text = path.read_text("utf-8")
            delimiter = ";" if text.partition("\n")[0].count(";") else ","
            return "\n".join("\t".join(row) for row in csv.reader(text.splitlines(), delimiter=delimiter))
        case _:
            return path.read_text("utf-8")


def figures(text: str) -> Iterator[float]:
    """Figures of at least three digits that are no years."""
    for match in FIGURE.finditer(text):
        literal = match.group()
        if len(re.sub(r"\D", "", literal).lstrip("0")) >= 3 and not re.fullmatch(r"(?:19|20)\d\d", literal):
            yield float(literal.replace(",", ""))


def table(path: str, delimiter: str = ",") -> list[dict[str, str]]:
    """The rows of a delimited library file below its header, the first row as wide as the widest."""
    with (LIBRARY / path).open(encoding="utf-8", newline="") as handle:
        rows = list(csv.reader(handle, delimiter=delimiter))
    width = max(map(len, rows))
    start = next(index for index, row in enumerate(rows) if len(row) == width)
    return [dict(zip(rows[start], row, strict=True)) for row in rows[start + 1 :] if len(row) == width]


def sheet(path: Path, name: str) -> list[tuple[object, ...]]:
    return list(openpyxl.load_workbook(path, data_only=True)[name].iter_rows(values_only=True))


def number(value: object) -> float:
    return float(str(value).replace(",", ""))


def source_rows(name: str, delimiter: str = ",") -> list[dict[str, str]]:
    with corpus(name).open(encoding="utf-8-sig", newline="") as handle:
        return list(csv.DictReader(handle, delimiter=delimiter))


def source_sheet(name: str, title: str) -> dict[str, tuple[object, ...]]:
    """The rows of a corpus sheet by their first cell."""
    return {str(row[0]).strip(): row for row in sheet(corpus(name), title)}


def library_sheet(path: str, title: str) -> dict[str, tuple[object, ...]]:
    """The rows of a library sheet by their first cell."""
    return {str(row[0]): row for row in sheet(LIBRARY / path, title)}


def test_the_manifest_names_every_file_once_with_its_hash_and_source() -> None:
    paths = [row["path"] for row in manifest()]
    on_disk = {
        str(path.relative_to(LIBRARY))
        for path in LIBRARY.rglob("*")
        if path.is_file() and path.name not in ("manifest.jsonl", "README.md")
    }
    assert sorted(paths) == sorted(on_disk)
    assert len(set(paths)) == len(paths)
    assert len({Path(path).name for path in paths}) == len(paths)
    for row in manifest():
        assert row["sha256"] == hashlib.sha256((LIBRARY / row["path"]).read_bytes()).hexdigest(), row["path"]
        assert row["topic"] == row["path"].split("/")[0]
        for field in ("title", "publisher", "period", "licence", "source"):
            assert row[field].strip(), row["path"]
        assert "layout: CC0-1.0" in row["licence"]
        assert "url" in row


def test_the_library_is_broad_and_small() -> None:
    paths = [LIBRARY / row["path"] for row in manifest()]
    assert len(paths) >= 40
    assert len({path.suffix for path in paths}) >= 8
    assert len({row["topic"] for row in manifest()}) >= 9
    assert max(path.stat().st_size for path in paths) < 60_000
    assert sum(path.stat().st_size for path in paths) < 1_500_000


def test_every_topic_has_tables_a_text_that_quotes_and_a_rule() -> None:
    for topic in {row["topic"] for row in manifest()}:
        rows = [row for row in manifest() if row["topic"] == topic]
        kinds = Counter(Path(row["path"]).suffix for row in rows)
        assert kinds[".xlsx"] + kinds[".csv"] + kinds[".pdf"] >= 3, topic
        assert any(row.get("note", "").startswith("quotes ") for row in rows), topic
        assert any(re.search(r"rule|policy|guide", row["path"]) for row in rows), topic


@pytest.mark.parametrize("path", [row["path"] for row in manifest()])
def test_a_file_opens_with_a_plain_library_and_says_something(path: str) -> None:
    text = text_of(LIBRARY / path)
    assert len(text.split()) > 10
    assert "\ufffd" not in text
    assert not re.search(r"#REF!|#NAME\?|#DIV/0!|\bNaN\b|\bnan\b", text)


def test_pdf_tables_are_ruled() -> None:
    for row in manifest():
        if row["path"].endswith(".pdf"):
            with pymupdf.open(LIBRARY / row["path"]) as pdf:
                found = [table for page in pdf for table in page.find_tables(strategy="lines_strict").tables]
            assert max((table.row_count for table in found), default=0) >= 6, row["path"]


def test_exact_duplicates_are_the_marked_ones() -> None:
    hashes = Counter(row["sha256"] for row in manifest())
    marked = [row for row in manifest() if row.get("note", "").startswith("exact duplicate of ")]
    assert sum(count - 1 for count in hashes.values()) == len(marked) >= 1
    assert all(hashes[row["sha256"]] == 2 for row in marked)


@pytest.mark.parametrize(
    "path", [row["path"] for row in manifest() if row.get("note", "").startswith("quotes ")]
)
def test_a_text_quotes_only_figures_that_stand_in_a_table_of_its_topic(path: str) -> None:
    topic = path.split("/")[0]
    tables = [row["path"] for row in manifest() if row["topic"] == topic and row["path"] != path]
    known = {round(abs(figure), 6) for other in tables for figure in figures(text_of(LIBRARY / other))}
    for other in tables:
        if other.endswith(".xlsx"):
            known |= {round(figure, decimals) for figure in _cells(LIBRARY / other) for decimals in (0, 1, 2)}
    words = len(text_of(LIBRARY / path).split())
    assert 120 <= words <= 600
    quoted = list(figures(text_of(LIBRARY / path)))
    assert len(quoted) >= 3 or topic == "public_health" or topic == "urban_planning"
    assert [figure for figure in quoted if round(figure, 6) not in known] == []


def _cells(path: Path) -> Iterator[float]:
    for one in openpyxl.load_workbook(path, data_only=True).worksheets:
        for row in one.iter_rows(values_only=True):
            yield from (float(cell) for cell in row if isinstance(cell, int | float))


def test_formulas_agree_with_their_stored_values() -> None:
    checked = 0
    for row in manifest():
        if not row["path"].endswith(".xlsx"):
            continue
        values = openpyxl.load_workbook(LIBRARY / row["path"], data_only=True)
        for one in openpyxl.load_workbook(LIBRARY / row["path"]).worksheets:
            for cells in one.iter_rows():
                for cell in cells:
                    span = re.fullmatch(r"=SUM\(([A-Z]+)(\d+):[A-Z]+(\d+)\)", str(cell.value))
                    if span is None:
                        continue
                    column, first, last = span[1], int(span[2]), int(span[3])
                    stored = values[one.title]
                    parts = [stored[f"{column}{line}"].value or 0 for line in range(first, last + 1)]
                    assert stored[cell.coordinate].value == pytest.approx(sum(parts), abs=0.01), row["path"]
                    checked += 1
    assert checked >= 30


def test_tanf_recipients_are_those_of_the_two_workbooks() -> None:
    folder = "social_assistance/tanf_recipients_q1_fy2023_as_of"
    later = {row["State"]: row for row in table(f"{folder}_december_2023.csv")}
    earlier = library_sheet(f"{folder}_march_2023.xlsx", "Recipients")
    old = source_sheet("social_tanf_caseload/fy2022_tanf_caseload.xlsx", "TRec")
    new = source_sheet("social_tanf_caseload/fy2023_tanf_caseload.xlsx", "TRec")
    assert len(later) == 34
    for state, row in later.items():
        assert [number(row[f"Recipients, {month} 2022"]) for month in MONTHS[9:]] == list(new[state][1:4])
        assert list(earlier[state][1:4]) == list(old[state][13:16])
    october = {state: number(row["Recipients, October 2022"]) for state, row in later.items()}
    assert {state for state in october if october[state] != earlier[state][1]} == {
        "California",
        "Indiana",
        "Maine",
    }


def test_cocaine_deaths_are_the_final_and_the_provisional_counts() -> None:
    final = {}
    for row in source_rows("health_overdose_deaths/cocaine_15_16_by_state.txt", delimiter="\t"):
        if row["State"] and row["Deaths"] and row["Deaths"].isdigit():
            final[row["State"], row["Year"]] = int(row["Deaths"])
    provisional = {
        row["State Name"]: row["Data Value"]
        for row in source_rows("health_overdose_deaths/VSRR_Provisional_Drug_Overdose_Death_Counts.csv")
        if (row["Indicator"], row["Year"], row["Month"]) == ("Cocaine (T40.5)", "2016", "December")
    }
    rows = sheet(LIBRARY / "public_health/cocaine_deaths_by_state_2015_2016_final.xlsx", "Deaths")
    states = [row for row in rows if (str(row[0]), "2016") in final]
    assert len(states) >= 40
    assert all(row[1:3] == (final[str(row[0]), "2015"], final[str(row[0]), "2016"]) for row in states)
    for line in table("public_health/provisional_overdose_counts_december_2016.csv"):
        assert number(line["Cocaine deaths, 2016 (provisional)"]) == number(provisional[line["State"]])


def test_tax_collections_are_the_sums_of_twelve_months() -> None:
    sums: Counter[tuple[str, str]] = Counter()
    for row in source_rows("finance_philadelphia_tax_collections/collections__city-tax-collections.csv"):
        if row["kind"] == "total" and row["total"]:
            sums[row["name"], row["fiscal_year"]] += int(float(row["total"]))
    taxes = {"Real estate tax": "real_estate", "Wage tax": "wage", "Sales tax": "sales"}
    rows = sheet(LIBRARY / "public_finance/tax_collections_fy2020_fy2023.xlsx", "Collections")
    found = {str(row[0]): row[1:5] for row in rows if row[0] in taxes}
    for name, source in taxes.items():
        assert list(found[name]) == [sums[source, str(year)] for year in range(2020, 2024)]
    preliminary = {
        row["name"]: float(row["fy21_ytd"] or 0)
        for row in source_rows("finance_philadelphia_tax_collections/city__2021-06-tax.csv")
        if row["kind"] == "total"
    }
    text = text_of(LIBRARY / "public_finance/tax_collections_june_2021_preliminary.pdf")
    assert all(f"{preliminary[source]:,.0f}" in text for source in taxes.values())


def test_obligations_are_those_of_the_quarterly_report() -> None:
    source = {
        (row["dept_name"], row["variable"]): float(row["total"])
        for row in source_rows("finance_philadelphia_budget/obligations__FY21-Q4.csv")
    }
    rows = sheet(LIBRARY / "public_finance/general_fund_obligations_fy2021.xlsx", "Obligations")
    departments = [row for row in rows if (str(row[0]), "Actual") in source]
    assert len(departments) == 32
    for row in departments:
        columns = ("Actual", "Adopted Budget", "Target Budget", "Current Projection")
        assert list(row[1:5]) == [source[str(row[0]), column] for column in columns]


def test_oil_prices_are_the_published_monthly_averages() -> None:
    for name, source in (("WTI", "wti-monthly.csv"), ("Brent", "brent-monthly.csv")):
        prices = {row["Date"][:7]: float(row["Price"]) for row in source_rows(f"energy_eia_prices/{source}")}
        rows = table("energy_prices/crude_oil_spot_prices_monthly_2022_2024.csv")
        assert len(rows) == 36
        for row in rows:
            month, year = row["Month"].split()
            assert number(row[f"{name} ($ per barrel)"]) == prices[f"{year}-{MONTHS.index(month) + 1:02d}"]


def test_federal_production_keeps_both_editions() -> None:
    later: Counter[tuple[str, str]] = Counter()
    for row in source_rows("energy_onrr_resource_revenue/monthly_production.csv"):
        month, _, year = row["Date"].split("/")
        if (row["Land Class"], row["Land Category"]) == ("Federal", "Onshore"):
            later[f"{MONTHS[int(month) - 1]} {year}", row["Commodity"][:4]] += int(row["Volume"])
    earlier: Counter[tuple[str, str]] = Counter()
    source = sheet(corpus("energy_onrr_resource_revenue/monthly_production.xlsx"), "monthly_production")
    for line in source[1:]:
        if (line[2], line[3]) == ("Federal", "Onshore"):
            earlier[f"{str(line[0]).strip()} {line[1]}", str(line[4])[:4]] += int(number(line[5]))
    new = table("energy_production/federal_production_by_month_edition_2021.csv")
    old = sheet(LIBRARY / "energy_production/federal_production_by_month_edition_2020.xlsx", "Production")
    by_month = {str(row[0]): row for row in old}
    assert len(new) == 23
    for row in new:
        assert number(row["Coal, federal onshore (tons)"]) == later[row["Month"], "Coal"]
        assert by_month[row["Month"]][1] == earlier[row["Month"], "Coal"]
    coal = {row["Month"]: number(row["Coal, federal onshore (tons)"]) for row in new}
    assert 1 <= sum(coal[month] != by_month[month][1] for month in coal) < len(coal) / 2


def test_avoided_rates_are_those_of_avert() -> None:
    rows = sheet(corpus("environment_epa_avert_egrid/avert_emission_rates_05_20_25_provisional.xlsx"), "2024")
    start = next(i for i, row in enumerate(rows) if str(row[0]).startswith("Avoided CO2 Rate (lb/MWh)"))
    wind = rows[start + 1].index("Onshore Wind")
    rates = {str(row[0]): float(str(row[wind])) for row in rows[start + 2 : start + 16]}
    found = table("grid_emissions/avoided_co2_rates_by_region_2024_provisional.csv")
    assert {row["Region"] for row in found} == set(rates)
    for row in found:
        assert number(row["CO2 rate, 2024 (lb/MWh), onshore wind"]) == round(rates[row["Region"]], 1)


def test_income_sources_keep_both_editions() -> None:
    def read(name: str) -> dict[str, dict[str, str]]:
        return {row[""]: row for row in source_rows(f"tax_irs_forms_soi/{name}")}

    cps, puf = read("SOI_estimates.csv"), read("puf_stage1__SOI_estimates.csv")
    rows = library_sheet("federal_tax/income_sources_2014_2017.xlsx", "Sources")
    found = table("federal_tax/income_sources_2014_2017_puf_edition.csv")
    other = {row["Source of income"]: row for row in found}
    for name, code in (
        ("Taxable interest", "INTS"),
        ("Net capital gains", "CGNS"),
        ("Ordinary dividends", "DIVS"),
    ):
        for offset, year in enumerate(("2014", "2015", "2016", "2017"), start=1):
            assert rows[name][offset] == int(cps[code][year])
            assert number(other[name][f"Reported amount, {year} ($ thousand)"]) == int(puf[code][year])
    interest = number(other["Taxable interest"]["Reported amount, 2014 ($ thousand)"])
    assert rows["Taxable interest"][1] != interest


def test_majors_and_drivers_are_the_published_ones() -> None:
    published = source_rows("education_college_scorecard/grad-students.csv")
    majors = {row["Major"].casefold(): row for row in published}
    found = table("education/engineering_majors_graduate_degree_holders.csv")
    assert len(found) == 29
    for row in found:
        source = majors[row["Major"].casefold()]
        assert number(row["Earnings, graduate degree ($)"]) == float(source["Grad_median"])
        assert number(row["Graduate degree holders"]) == float(source["Grad_total"])
    drivers = source_rows("transport_usdot_data_programs/bad-drivers__bad-drivers.csv")
    states = {row["State"]: [number(cell) for cell in list(row.values())[1:4]] for row in drivers}
    for row in table("road_safety/fatal_crash_drivers_by_state.csv"):
        assert [number(cell) for cell in list(row.values())[1:]] == states[row["State"]]


def test_no_library_file_is_a_copy_of_a_published_one() -> None:
    lines = corpus("manifest.jsonl").read_text("utf-8").splitlines()
    published = {json.loads(line)["sha256"] for line in lines}
    assert not published & {row["sha256"] for row in manifest()}
