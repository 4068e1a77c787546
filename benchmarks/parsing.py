"""Reading files beside the bare libraries and other readers, on the same files in one run.

    python benchmarks/parsing.py [folder] [--every 6] [--formats pdf xlsx ...] [--python PATH] [--repeat 1]
    python benchmarks/parsing.py [folder] --whole [--workers 2]

The folder is ``../shared/corpus`` beside the repository by default. Every arm is a process of its own; what it imports
is left out, its CPU seconds are counted. ``--every n`` takes each n-th file of a format, in the order of their paths:
pdfplumber and markitdown take minutes for all. ``--python`` names an interpreter in whose environment the other
readers (and their versions) are: ``python -m venv peers; peers/bin/pip install pdfplumber 'markitdown[all]'``. What
isn't installed there is said and left out.

Units: pages (pdf), cells of the rectangles that calamine gives (xlsx, xls) or of the rows (csv), paragraphs outside
tables and table cells as python-docx gives them (docx), slides (pptx), kilobytes of the file (others). ``ours`` is the
whole parse: text, tables with header, kinds, units, periods and keys, a locator each. ``ours, text`` is a pdf's words
and text blocks with their boxes, font sizes and weights. ``ours, cells`` is a workbook's or a csv's values, formulas
and merged ranges before they are typed. docling is named where it is installed, and left out: it needs
models from a hub, which this benchmark doesn't fetch.

Quality: ``parsing_cells.jsonl`` holds cells that were read by eye off 28 rendered pages of pdfs: sha256, page (from
1), the row's label, words over the column, the value. A cell is *in its row* where a reader's table has a row with the
label in one cell and the value as the whole text of another, and *found* where the texts over that other cell, too,
hold every word of the column's label (an empty or covered cell of an upper row counts as its left neighbour's). Spaces,
case and the kind of dash don't count, nor does a currency sign. The same rule for all.

``--whole`` opens the whole folder as a run does, twice with one cache, and prints the wall time, the CPU time of all
processes (from the usage of children) and the most memory that they held together. That is the sum of their
resident sets every 50 ms, so pages that they share count in each. Machines are shared and noisy: ratios are the
figures.
"""

import argparse
import hashlib
import importlib.util
import json
import os
import resource
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

REPOSITORY = Path(__file__).resolve().parents[1]
SAMPLE = Path(__file__).with_name("parsing_cells.jsonl")
Rows = list[list[str | None]]


# --- arms: each gets a path; it reads the file and drops what it read


def ours(path: Path) -> None:
    from graphforge.workspace import parse

    parse(path)


def ours_text(path: Path) -> None:
    from graphforge.workspace.formats import pdf

    document = pdf.open_pdf(path)
    sizes: Counter[float] = Counter()
    for page in document:
        pdf.page_text(page, sizes)
    document.close()


def ours_cells(path: Path) -> None:
    from graphforge.workspace.formats import delimited, workbook
    from graphforge.workspace.limits import ParseLimits

    if path.suffix == ".csv":
        delimited.read(path, ParseLimits())
    else:
        workbook.read(path, "xls" if path.suffix == ".xls" else "xlsx", ParseLimits())


def mupdf_text(path: Path) -> None:
    import pymupdf

    with pymupdf.open(path) as document:
        for page in document:
            page.get_text()


def mupdf_dict(path: Path) -> None:
    """Blocks, lines and spans with boxes and fonts, no pictures."""
    import pymupdf

    with pymupdf.open(path) as document:
        for page in document:
            page.get_text("dict", flags=pymupdf.TEXTFLAGS_DICT & ~pymupdf.TEXT_PRESERVE_IMAGES)


def mupdf_same(path: Path) -> None:
    """What ours is made of: the same text page as words and as spans with fonts."""
    import pymupdf

    flags = pymupdf.TEXTFLAGS_DICT & ~pymupdf.TEXT_PRESERVE_IMAGES
    with pymupdf.open(path) as document:
        for page in document:
            text = page.get_textpage(flags=flags)
            page.get_text("words", textpage=text)
            page.get_text("dict", textpage=text)


def mupdf_tables(path: Path) -> None:
    for _ in mupdf_grids(path, None):
        pass


def mupdf_grids(path: Path, pages: set[int] | None, **settings: Any) -> Iterator[tuple[int, Rows]]:
    import pymupdf

    if hasattr(pymupdf, "no_recommend_layout"):
        pymupdf.no_recommend_layout()
    with pymupdf.open(path) as document:
        for page in document:
            if pages is None or page.number in pages:
                for table in page.find_tables(**settings).tables:
                    yield page.number, table.extract()


def plumber_text(path: Path) -> None:
    import pdfplumber

    with pdfplumber.open(path) as document:
        for page in document.pages:
            page.extract_text()
            page.close()


def plumber_tables(path: Path) -> None:
    for _ in plumber_grids(path, None):
        pass


def plumber_grids(path: Path, pages: set[int] | None, **settings: Any) -> Iterator[tuple[int, Rows]]:
    import pdfplumber

    with pdfplumber.open(path) as document:
        for number, page in enumerate(document.pages):
            if pages is None or number in pages:
                for table in page.extract_tables(settings):
                    yield number, table
            page.close()


def ours_grids(path: Path, pages: set[int] | None) -> Iterator[tuple[int, Rows]]:
    from graphforge.workspace import parse

    for table in parse(path).tables:
        number = getattr(table.origin, "page", None)
        if pages is None or number in pages:
            names: list[str | None] = [column.name for column in table.columns]
            yield number or 0, [names, *([None if c is None else str(c) for c in row] for row in table.grid)]


def calamine(path: Path) -> None:
    from python_calamine import CalamineWorkbook

    book = CalamineWorkbook.from_path(str(path))
    for name in book.sheet_names:
        book.get_sheet_by_name(name).to_python()


def openpyxl_rows(path: Path) -> None:
    import openpyxl

    book = openpyxl.load_workbook(path, read_only=True, data_only=True)
    for sheet in book.worksheets:
        for _ in sheet.iter_rows(values_only=True):
            pass
    book.close()


def csv_module(path: Path) -> None:
    import csv

    csv.field_size_limit(2**31 - 1)
    with path.open(encoding="utf-8", errors="replace", newline="") as handle:
        list(csv.reader(handle))


def python_docx(path: Path) -> None:
    docx_pieces(path)


def docx_pieces(path: Path) -> int:
    import docx

    document = docx.Document(str(path))
    texts = [paragraph.text for paragraph in document.paragraphs]
    texts += [cell.text for table in document.tables for row in table.rows for cell in row.cells]
    return len(texts)


def python_pptx(path: Path) -> None:
    import pptx

    for slide in pptx.Presentation(str(path)).slides:
        for shape in slide.shapes:
            if shape.has_text_frame:
                shape.text_frame.text  # noqa: B018
            elif shape.has_table:
                for row in shape.table.rows:
                    for cell in row.cells:
                        cell.text  # noqa: B018


def lxml_text(path: Path) -> None:
    import lxml.html

    lxml.html.parse(str(path)).getroot().text_content()


def markitdown(path: Path) -> None:
    from markitdown import MarkItDown

    MarkItDown().convert(str(path))


ARMS: dict[str, tuple[str, Callable[[Path], None]]] = {
    "ours": ("graphforge", ours),
    "ours, text": ("graphforge", ours_text),
    "ours, cells": ("graphforge", ours_cells),
    "PyMuPDF get_text()": ("pymupdf", mupdf_text),
    "PyMuPDF get_text(dict)": ("pymupdf", mupdf_dict),
    "PyMuPDF words and dict": ("pymupdf", mupdf_same),
    "PyMuPDF find_tables": ("pymupdf", mupdf_tables),
    "pdfplumber extract_text": ("pdfplumber", plumber_text),
    "pdfplumber extract_tables": ("pdfplumber", plumber_tables),
    "calamine": ("python_calamine", calamine),
    "openpyxl, read-only": ("openpyxl", openpyxl_rows),
    "csv module": ("csv", csv_module),
    "python-docx": ("docx", python_docx),
    "python-pptx, text": ("pptx", python_pptx),
    "lxml, text": ("lxml", lxml_text),
    "markitdown": ("markitdown", markitdown),
}

# Per format: the unit, the arms. Ratios are to the second column's arm.
FORMATS: dict[str, tuple[str, str, tuple[str, ...]]] = {
    "pdf": (
        "pages",
        "PyMuPDF get_text()",
        (
            "PyMuPDF get_text()", "PyMuPDF get_text(dict)", "PyMuPDF words and dict", "ours, text",
            "pdfplumber extract_text", "ours", "PyMuPDF find_tables", "pdfplumber extract_tables", "markitdown",
        ),
    ),
    "xlsx": ("cells", "calamine", ("calamine", "ours, cells", "ours", "openpyxl, read-only", "markitdown")),
    "xls": ("cells", "calamine", ("calamine", "ours, cells", "ours", "markitdown")),
    "csv": ("cells", "csv module", ("csv module", "ours, cells", "ours", "markitdown")),
    "docx": ("pieces", "python-docx", ("python-docx", "ours", "markitdown")),
    "pptx": ("slides", "python-pptx, text", ("python-pptx, text", "ours", "markitdown")),
    "html": ("kB", "lxml, text", ("lxml, text", "ours", "markitdown")),
    "md": ("kB", "ours", ("ours",)),
    "txt": ("kB", "ours", ("ours",)),
    "json": ("kB", "ours", ("ours",)),
}  # fmt: skip

FINDERS: dict[str, tuple[str, Callable[[Path, set[int] | None], Iterator[tuple[int, Rows]]]]] = {
    "ours": ("graphforge", ours_grids),
    "PyMuPDF find_tables": ("pymupdf", mupdf_grids),
    "PyMuPDF, lines_strict": ("pymupdf", lambda path, pages: mupdf_grids(path, pages, strategy="lines_strict")),
    "pdfplumber": ("pdfplumber", plumber_grids),
    "pdfplumber, text": (
        "pdfplumber",
        lambda path, pages: plumber_grids(
            path, pages, vertical_strategy="text", horizontal_strategy="text"
        ),
    ),
}  # fmt: skip


def count(path: Path) -> int:
    """The units of a file, as its bare library counts them."""
    suffix = path.suffix.removeprefix(".")
    if suffix == "pdf":
        import pymupdf

        with pymupdf.open(path) as document:
            return int(document.page_count)
    if suffix in {"xlsx", "xls"}:
        from python_calamine import CalamineWorkbook

        book = CalamineWorkbook.from_path(str(path))
        return sum(len(row) for name in book.sheet_names for row in book.get_sheet_by_name(name).to_python())
    if suffix == "csv":
        import csv

        csv.field_size_limit(2**31 - 1)
        with path.open(encoding="utf-8", errors="replace", newline="") as handle:
            return sum(map(len, csv.reader(handle)))
    if suffix == "docx":
        return docx_pieces(path)
    if suffix == "pptx":
        import pptx

        return len(pptx.Presentation(str(path)).slides)
    return path.stat().st_size // 1024


def quiet() -> None:
    """Readers print and log remarks on files; the last line must be ours."""
    import logging
    import warnings

    logging.disable(logging.CRITICAL)
    warnings.simplefilter("ignore")


def run_here(kind: str, name: str, request: Any) -> Any:
    """What a child process does: time an arm, find the tables, or count."""
    quiet()
    if kind == "count":
        return sum(count(Path(path)) for path in request)
    if kind == "grids":
        find = FINDERS[name][1]
        return [[path, page, rows] for path, pages in request for page, rows in find(Path(path), set(pages))]
    arm = ARMS[name][1]
    # Once before the clock: imports and the first use of a library.
    arm(Path(request[0]))
    failed = 0
    start = time.process_time()
    for path in request:
        try:
            arm(Path(path))
        except Exception:  # noqa: BLE001 - another reader's errors have no common base; they are counted.
            failed += 1
    return {"cpu": time.process_time() - start, "failed": failed}


def run(python: str, kind: str, name: str, request: Any) -> Any:
    """The answer of a child process."""
    environment = {**os.environ, "PYTHONPATH": str(REPOSITORY)}
    done = subprocess.run(
        [python, str(Path(__file__)), "--child", kind, name],
        input=json.dumps(request),
        capture_output=True,
        text=True,
        check=False,
        env=environment,
    )
    if done.returncode:
        raise SystemExit(f"{kind} {name} failed:\n{done.stderr}")
    return json.loads(done.stdout.splitlines()[-1])


def installed(python: str, module: str) -> bool:
    """Whether an interpreter has a module."""
    if python == sys.executable:
        return importlib.util.find_spec(module) is not None
    code = f"import importlib.util,sys; sys.exit(importlib.util.find_spec({module!r}) is None)"
    return not subprocess.run([python, "-c", code], capture_output=True, check=False).returncode


def home_of(module: str, python: str) -> str | None:
    """The interpreter that runs an arm: ours runs here, the others in ``python`` where they are there, else here."""
    if module != "graphforge" and installed(python, module):
        return python
    return sys.executable if installed(sys.executable, module) else None


def speed(folder: Path, formats: list[str], every: int, python: str, repeat: int) -> None:
    """The table of speeds."""
    for form in formats:
        unit, named, arms = FORMATS[form]
        paths = [str(path) for path in sorted(folder.rglob(f"*.{form}"))][::every]
        if not paths:
            print(f"{form}: no files")
            continue
        units = run(sys.executable, "count", "", paths)
        print(f"\n{form}: {len(paths)} files, {units} {unit}")
        homes = {name: home_of(ARMS[name][0], python) for name in arms}
        rounds = [
            {name: run(home, "time", name, paths) for name, home in homes.items() if home}
            for _ in range(repeat)
        ]
        best = {
            name: min((one[name] for one in rounds), key=lambda found: found["cpu"]) for name in rounds[0]
        }
        for name in arms:
            if homes[name] is None:
                print(f"  {name:28} not installed")
                continue
            found = best[name]
            rate = units / max(found["cpu"], 1e-9)
            ratio = best[named]["cpu"] / max(found["cpu"], 1e-9)
            note = f", {found['failed']} files failed" if found["failed"] else ""
            print(
                f"  {name:28} {found['cpu']:8.2f} CPU s {rate:11,.1f} {unit}/CPU s  {ratio:7.2f} x {named}{note}"
            )
        if form == "pdf":
            for peer in ("PyMuPDF find_tables", "pdfplumber extract_tables"):
                if peer in best:
                    print(f"  tables: ours {best[peer]['cpu'] / best['ours']['cpu']:.1f} times {peer}")
            docling = "installed, but left out" if home_of("docling", python) else "not installed"
            print(f"  {'docling':28} {docling}: it needs models from a hub")


def folded(text: str | None) -> str:
    """Text without spaces, case, currency signs and kinds of dashes."""
    text = "".join((text or "").split()).casefold().replace("$", "")
    return text.translate(dict.fromkeys(map(ord, "‐‑‒–—−"), "-"))


def score(rows: Rows, row: str, column: str, value: str) -> tuple[bool, bool]:
    """Whether a table holds a cell in its row, and whether under its column's label as well."""
    label, wanted = folded(row), folded(value)
    words = [folded(word) for word in column.split()]
    width = max(map(len, rows), default=0)
    above = [""] * width
    in_row = False
    for line in rows:
        texts = [folded(text) for text in line]
        for place, text in enumerate(texts):
            if text == wanted and any(
                label in other for spot, other in enumerate(texts) if spot != place and other
            ):
                in_row = True
                if all(word in above[place] for word in words):
                    return True, True
        left = ""
        for place, text in enumerate(texts):
            left = text or left
            above[place] += " " + left
    return in_row, False


def quality(folder: Path, python: str) -> None:
    """The share of the cells read by eye that each finder has right."""
    cells = [json.loads(line) for line in SAMPLE.read_text(encoding="utf-8").splitlines()]
    wanted = {cell["sha256"] for cell in cells}
    paths = {}
    for path in sorted(folder.rglob("*.pdf")):
        digest = hashlib.sha256(path.read_bytes()).hexdigest()
        if digest in wanted:
            paths.setdefault(digest, str(path))
    cells = [cell for cell in cells if cell["sha256"] in paths]
    if not cells:
        print("\ntable cells: none of the sample's files is in the folder")
        return
    pages = {
        sha256: sorted({cell["page"] - 1 for cell in cells if cell["sha256"] == sha256}) for sha256 in paths
    }
    print(f"\ntable cells: {len(cells)} read by eye off {sum(map(len, pages.values()))} pages")
    results: dict[str, list[tuple[bool, bool]]] = {}
    for name, (module, _) in FINDERS.items():
        home = home_of(module, python)
        if home is None:
            print(f"  {name:28} not installed")
            continue
        grids = run(home, "grids", name, [[paths[sha256], pages[sha256]] for sha256 in sorted(paths)])
        found = []
        for cell in cells:
            on_page = [
                rows
                for path, page, rows in grids
                if path == paths[cell["sha256"]] and page == cell["page"] - 1
            ]
            scores = [score(rows, cell["row"], cell["column"], cell["value"]) for rows in on_page]
            found.append((any(a for a, _ in scores), any(b for _, b in scores)))
        results[name] = found
        print(
            f"  {name:28} found {sum(b for _, b in found) / len(cells):6.1%}"
            f"   in their row {sum(a for a, _ in found) / len(cells):6.1%}"
        )
    if results:
        print(f"\n  {'found, page by page':58}" + "".join(f"{name[:22]:>24}" for name in results))
        for sha256, path in sorted(paths.items(), key=lambda item: item[1]):
            for page in pages[sha256]:
                own = [
                    n for n, cell in enumerate(cells) if cell["sha256"] == sha256 and cell["page"] == page + 1
                ]
                shares = [f"{sum(found[n][1] for n in own)}/{len(own)}" for found in results.values()]
                title = f"{Path(path).name[:48]} page {page + 1}"
                print(f"  {title:58}" + "".join(f"{share:>24}" for share in shares))


def open_whole(folder: Path, cache: Path, workers: int) -> dict[str, float]:
    """What the child of ``--whole`` does."""
    from graphforge.workspace import LocalSearch

    start = time.monotonic()
    library = LocalSearch(root=folder, file_bytes=64 * 2**20, workers=workers).open(cache=cache)
    return {
        "wall": time.monotonic() - start,
        "files": len(library.files),
        "rejected": len(library.rejections),
    }


def resident(root: int) -> int:
    """Bytes in memory of a process and all below it."""
    parents: dict[int, int] = {}
    sizes: dict[int, int] = {}
    for entry in Path("/proc").iterdir():
        if not entry.name.isdigit():
            continue
        try:
            stat = (entry / "stat").read_text().rsplit(")", 1)[1].split()
            parents[int(entry.name)] = int(stat[1])
            sizes[int(entry.name)] = int((entry / "statm").read_text().split()[1]) * os.sysconf(
                "SC_PAGE_SIZE"
            )
        except OSError:
            # It ended meanwhile.
            continue
    family = {root}
    while more := {pid for pid, parent in parents.items() if parent in family} - family:
        family |= more
    return sum(sizes.get(pid, 0) for pid in family)


def whole(folder: Path, workers: int) -> None:
    """Open the whole folder twice with one cache, as a run does."""
    with tempfile.TemporaryDirectory() as scratch:
        for turn in ("first", "second"):
            before = resource.getrusage(resource.RUSAGE_CHILDREN)
            start = time.monotonic()
            command = [sys.executable, str(Path(__file__)), "--child", "whole", str(workers)]
            environment = {**os.environ, "PYTHONPATH": str(REPOSITORY)}
            with subprocess.Popen(
                command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment
            ) as child:
                peak = 0
                ended = threading.Event()

                def watch(pid: int = child.pid, ended: threading.Event = ended) -> None:
                    nonlocal peak
                    while not ended.wait(0.05):
                        peak = max(peak, resident(pid))

                watcher = threading.Thread(target=watch, daemon=True)
                if Path("/proc/self/statm").exists():
                    watcher.start()
                output, _ = child.communicate(json.dumps([str(folder), scratch]))
                ended.set()
            if child.returncode:
                raise SystemExit("the child failed")
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
            found = json.loads(output.splitlines()[-1])
            cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
            print(
                f"{turn:6} run: {found['files']:.0f} files read, {found['rejected']:.0f} rejected, {workers} workers: "
                f"{time.monotonic() - start:.1f} s with starting ({found['wall']:.1f} s without), {cpu:.1f} CPU s, "
                f"peak {peak / 2**20:.0f} MiB together, largest process {after.ru_maxrss / 1024:.0f} MiB"
            )


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path, nargs="?", default=REPOSITORY.parent / "shared" / "corpus")
    parser.add_argument("--every", type=int, default=6, help="take each n-th file of a format")
    parser.add_argument("--formats", nargs="+", choices=tuple(FORMATS), default=list(FORMATS))
    parser.add_argument("--python", default=sys.executable, help="the interpreter with the other readers")
    parser.add_argument("--repeat", type=int, default=1, help="rounds; the best of each arm counts")
    parser.add_argument("--whole", action="store_true", help="open the whole folder twice with one cache")
    parser.add_argument("--workers", type=int, default=2, help="processes that parse, with --whole")
    parser.add_argument("--child", nargs=2, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.child:
        kind, name = given.child
        request = json.loads(sys.stdin.read())
        if kind == "whole":
            answer: Any = open_whole(Path(request[0]), Path(request[1]), int(name))
        else:
            answer = run_here(kind, name, request)
        print("\n" + json.dumps(answer))
        return
    if not given.folder.is_dir():
        raise SystemExit(f"{given.folder} is no folder: name one with files")
    if given.whole:
        whole(given.folder, given.workers)
        return
    speed(given.folder, given.formats, given.every, given.python, given.repeat)
    if "pdf" in given.formats:
        quality(given.folder, given.python)


if __name__ == "__main__":
    main()
