"""The collection of bad files and faults made here, read by the real worker: watched from outside the process."""

import hashlib
import io
import json
import random
import re
import shutil
import subprocess
import sys
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import get_args

import pytest

from graphforge.workspace import Attempt, WorkerLimits, WorkerPool
from graphforge.workspace.unreadable import Reason
from tests.workspace import samples
from tests.workspace.test_badfiles import FOLDER, REASONS

ROOT = Path(__file__).parents[2]
PEAK = "tests.workspace.faulty_readers:peak"
LIMITS = WorkerLimits(seconds=60, cpu_seconds=30)
_GIB_IN_KIB = 2**20
needs_collection = pytest.mark.skipif(
    not FOLDER.is_dir(), reason="needs ../shared/badfiles: not in this clone"
)


@pytest.fixture(scope="module")
def pool() -> Iterator[WorkerPool]:
    with WorkerPool(1, LIMITS, PEAK, Attempt) as one:
        yield one


def _read(pool: WorkerPool, paths: list[Path]) -> dict[Path, Attempt]:
    """Every file's attempt; none took more than 1 GiB."""
    jobs = [(path, hashlib.sha256(str(path).encode()).hexdigest()) for path in paths]
    attempts = dict(zip(paths, pool.read(jobs), strict=True))
    for path, attempt in attempts.items():
        kib = re.match(r"\d+", attempt.detail)
        assert kib is None or int(kib[0]) < _GIB_IN_KIB, path
    return attempts


@needs_collection
def test_the_whole_collection(pool: WorkerPool) -> None:
    entries = [json.loads(line) for line in (FOLDER / "manifest.jsonl").read_text().splitlines()]
    assert len(entries) == 59
    paths = {FOLDER / Path(entry["path"]).name: entry["expected"] for entry in entries}
    for path, attempt in _read(pool, list(paths)).items():
        expected = paths[path]
        if expected.startswith("parsed"):
            assert attempt.document is not None, (path, attempt)
            assert attempt.document.blocks or attempt.document.tables, path
            continue
        [known] = [reasons for words, reasons in REASONS.items() if words in expected]
        assert attempt.document is None and attempt.reason in known, (path, attempt)


@needs_collection
def test_no_reader_reaches_outside(tmp_path: Path) -> None:
    """The system calls of the worker on the whole collection: no file but the one at hand, no host, no process."""
    log = tmp_path / "calls"
    code = (
        "from pathlib import Path\n"
        "from graphforge.workspace import Attempt, WorkerLimits, WorkerPool\n"
        f"paths = sorted(Path({str(FOLDER)!r}).iterdir())\n"
        "with WorkerPool(1, WorkerLimits(), 'tests.workspace.faulty_readers:read', Attempt) as pool:\n"
        "    attempts = list(pool.read([(path, '0' * 64) for path in paths]))\n"
        "print(next(attempt.detail for attempt in attempts if attempt.document))"
    )
    calls = "network,open,openat,openat2,creat,execve,unlink,unlinkat,rename,renameat2,mkdir,mkdirat"
    command = ["strace", "-f", "-qq", "-o", str(log), "-e", f"trace={calls}", sys.executable, "-c", code]
    if shutil.which("strace") is None:
        pytest.skip("needs strace")
    if subprocess.run(["strace", "-qq", "-o", str(log), "true"], capture_output=True).returncode:
        pytest.skip("strace may not trace here")
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr[-2000:]
    worker = done.stdout.strip()
    lines = [line.split(None, 1)[1] for line in log.read_text().splitlines() if line.startswith(f"{worker} ")]
    first = next(number for number, line in enumerate(lines) if str(FOLDER) in line)
    readable = [
        str(Path(folder).resolve()) for folder in {sys.prefix, sys.base_prefix, ROOT, *sys.path} if folder
    ]
    opened = 0
    for line in lines[first:]:
        if line.startswith(("+++", "---", "<...")):
            # Its end, a signal, or the second half of a call that another one came between.
            continue
        call = line.split("(", 1)[0]
        assert call in {"open", "openat"}, line
        [name] = re.findall(r'"((?:[^"\\]|\\.)*)"', line)[:1]
        place = name.encode("latin-1", "backslashreplace").decode("unicode_escape").encode("latin-1").decode()
        assert not re.search(r"O_WRONLY|O_RDWR|O_CREAT", line), line
        if place.startswith(str(FOLDER)):
            opened += 1
            continue
        assert place.startswith(tuple(readable)) or place.startswith(
            ("/proc/self/", "/usr/lib", "/lib", "/etc/ld.so")
        ), line
    assert opened >= 59


# --- faults made here


def _flipped(data: bytes, chance: random.Random) -> bytes:
    changed = bytearray(data)
    for _ in range(chance.choice([1, 3, 20, 100])):
        changed[chance.randrange(len(changed))] = chance.randrange(256)
    return bytes(changed)


def _cut(data: bytes, chance: random.Random) -> bytes:
    return data[: chance.randrange(1, len(data))]


def _doubled(data: bytes, chance: random.Random) -> bytes:
    start = chance.randrange(len(data))
    end = min(len(data), start + chance.randrange(1, 2000))
    return data[:end] + data[start:end] * chance.choice([1, 5]) + data[end:]


def _numbers(data: bytes, chance: random.Random) -> bytes:
    found = list(re.finditer(rb"\d+", data))
    for one in chance.sample(found, min(3, len(found))):
        wrong = chance.choice([b"-1", b"9" * 9, b"0", b"4294967296"])[: len(one[0])].ljust(len(one[0]), b"9")
        data = data[: one.start()] + wrong + data[one.end() :]
    return data


def _member(data: bytes, chance: random.Random) -> bytes:
    """One XML part of an office file spoilt, the archive around it sound; other files get flipped bytes."""
    if not data.startswith(b"PK"):
        return _flipped(data, chance)
    target = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as old, zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as new:
        spoilt = chance.choice([name for name in old.namelist() if name.endswith((".xml", ".rels"))])
        how = chance.choice([_flipped, _cut, _doubled, _numbers, None])
        for name in old.namelist():
            if name != spoilt:
                new.writestr(name, old.read(name))
            elif how is not None:
                new.writestr(name, how(old.read(name), chance))
    return target.getvalue()


@pytest.mark.parametrize("make", samples.EVERY, ids=lambda make: make.__name__)
def test_spoilt_files_have_a_reason(tmp_path: Path, make, pool: WorkerPool) -> None:  # type: ignore[no-untyped-def]
    source = make(tmp_path)
    data = source.read_bytes()
    paths = []
    for number in range(40):
        chance = random.Random(number)
        path = tmp_path / f"{number}{source.suffix}"
        path.write_bytes(chance.choice([_flipped, _cut, _doubled, _numbers, _member, _member])(data, chance))
        paths.append(path)
    for path, attempt in _read(pool, paths).items():
        assert attempt.document is not None or attempt.reason in get_args(Reason), (path, attempt)


def _laughs(deep: int = 9) -> bytes:
    levels = "".join(f'<!ENTITY a{n} "{f"&a{n - 1};" * 10}">' for n in range(1, deep + 1))
    return f'<?xml version="1.0"?><!DOCTYPE x [<!ENTITY a0 "ha">{levels}]><x>&a{deep};</x>'.encode()


@pytest.mark.parametrize(
    "make", [samples.xlsx, samples.calc, samples.word, samples.deck], ids=lambda m: m.__name__
)
def test_a_billion_laughs_in_every_part(tmp_path: Path, make, pool: WorkerPool) -> None:  # type: ignore[no-untyped-def]
    source = make(tmp_path)
    with zipfile.ZipFile(source) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    paths = []
    for number, name in enumerate(sorted(part for part in parts if part.endswith((".xml", ".rels")))):
        path = tmp_path / f"{number}{source.suffix}"
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as new:
            for other, data in parts.items():
                new.writestr(other, _laughs() if other == name else data)
        paths.append(path)
    for path, attempt in _read(pool, paths).items():
        # A part that no reader opens does no harm.
        assert attempt.document is not None or attempt.reason in {"xml_entities", "corrupt"}, (path, attempt)
        assert attempt.document is None or "haha" not in attempt.document.line()


def _sheet(body: str) -> bytes:
    namespace = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
    return f'<?xml version="1.0"?><worksheet xmlns="{namespace}">{body}</worksheet>'.encode()


def _with_sheet(folder: Path, name: str, body: str) -> Path:
    source, path = samples.xlsx(folder), folder / f"{name}.xlsx"
    with zipfile.ZipFile(source) as old, zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as new:
        for part in old.namelist():
            new.writestr(part, _sheet(body) if part == "xl/worksheets/sheet1.xml" else old.read(part))
    return path


def _rows(*cells: tuple[str, str]) -> str:
    lines = (f"<row><c r='{place}'>{content}</c></row>" for place, content in cells)
    return f"<sheetData>{''.join(lines)}</sheetData>"


def test_sheets_that_claim_too_much(tmp_path: Path, pool: WorkerPool) -> None:
    one = "<v>1</v>"
    bodies = {
        "corners": (_rows(("A1", one), ("XFD1048576", one)), "too_large"),
        "rows": (_rows(("A1", one), ("B1", one), ("A4294967295", one)), "too_large"),
        "letters": (_rows(("A1", one), ("ZZZZZZZ1", one)), "too_large"),
        "merged": (_rows(("A1", one), ("B1", one)) + "<mergeCell ref='A1:XFD1048576'/>" * 9000, ""),
        "brackets": (_rows(("A1", f"<f>{'(' * 50_000}1{')' * 50_000}</f>")), ""),
        "signs": (_rows(("A1", f"<f>{'-' * 8_000}1</f>")), ""),
        "circle": (_rows(("A1", "<f>B1</f>"), ("B1", "<f>A1</f>")), ""),
        "whole_sheet": (_rows(("A1", "<f>SUMPRODUCT((B1:XFD1048576)*1)</f>")), "too_much_memory"),
        "deep": ("<a>" * 100_000 + "</a>" * 100_000, ""),
    }
    paths = [_with_sheet(tmp_path, name, body) for name, (body, _) in bodies.items()]
    for path, attempt in _read(pool, paths).items():
        reason = bodies[path.stem][1]
        assert attempt.reason == reason and (attempt.document is None) == bool(reason), (path, attempt)


def _pdf(*objects: bytes) -> bytes:
    content = b"%PDF-1.7\n"
    places = []
    for number, body in enumerate(objects, 1):
        places.append(len(content))
        content += b"%d 0 obj\n%b\nendobj\n" % (number, body)
    table = b"".join(b"%010d 00000 n \n" % place for place in places)
    size = len(objects) + 1
    return (
        content
        + b"xref\n0 %d\n0000000000 65535 f \n%b" % (size, table)
        + b"trailer<</Size %d/Root 1 0 R>>\nstartxref\n%d\n%%%%EOF" % (size, len(content))
    )


def _page_of(content: bytes, filters: bytes = b"", more: bytes = b"", *objects: bytes) -> bytes:
    return _pdf(
        b"<</Type/Catalog/Pages 2 0 R>>",
        b"<</Type/Pages/Kids[3 0 R]/Count 1>>",
        b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 99 99]/Contents 4 0 R" + more + b">>",
        b"<</Length %d%b>>stream\n%b\nendstream" % (len(content), filters, content),
        *objects,
    )


def test_pdfs_that_never_end(tmp_path: Path, pool: WorkerPool) -> None:
    catalog = b"<</Type/Catalog/Pages 2 0 R>>"
    resources = b"/Resources<</XObject<</X 5 0 R>>>>"
    again = (
        b"<</Type/XObject/Subtype/Form/BBox[0 0 9 9]" + resources + b"/Length 6>>stream\n/X Do \nendstream"
    )
    bomb = zlib.compress(zlib.compress(bytes(200_000_000)))
    files = {
        "cycle": _pdf(catalog, b"<</Type/Pages/Kids[2 0 R]/Count 1>>"),
        "count": _pdf(
            catalog, b"<</Type/Pages/Kids[3 0 R]/Count 2000000000>>", b"<</Type/Page/Parent 2 0 R>>"
        ),
        "bomb": _page_of(bomb, b"/Filter[/FlateDecode/FlateDecode]"),
        "itself": _page_of(b"/X Do ", b"", resources, again),
        "arrays": _pdf(
            b"<</Type/Catalog/Pages 2 0 R/X " + b"[" * 100_000 + b">>", b"<</Type/Pages/Count 0>>"
        ),
        "outside": _page_of(b"", b"/F(/etc/hostname)"),
    }
    paths = []
    for name, data in files.items():
        paths.append(tmp_path / f"{name}.pdf")
        paths[-1].write_bytes(data)
    for path, attempt in _read(pool, paths).items():
        assert attempt.reason in {"corrupt", "scanned_no_text", "truncated"}, (path, attempt)


def test_a_chart_that_claims_too_many_points(tmp_path: Path, pool: WorkerPool) -> None:
    source, path = samples.deck(tmp_path), tmp_path / "points.pptx"
    with zipfile.ZipFile(source) as old, zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as new:
        for name in old.namelist():
            new.writestr(name, re.sub(rb'ptCount val="\d+"', b'ptCount val="999999999"', old.read(name)))
    [attempt] = _read(pool, [path]).values()
    assert attempt.document is not None and len(attempt.document.tables) == 1
    assert any("claims 999999999 points" in warning for warning in attempt.document.warnings)


def test_texts_that_are_slow_to_match(tmp_path: Path, pool: WorkerPool) -> None:
    files = {
        "comments.html": "<!-- a --> " * 60_000,
        "open.html": "<!--" * 100_000 + "<html>",
        "deep.html": "<div>" * 100_000 + "x",
        "spans.html": "<table>" + ("<tr>" + "<td colspan=9999 rowspan=9999>x</td>" * 50 + "</tr>") * 100,
        "links.md": "x " + "[a](" * 20_000,
        "brackets.md": "x " + "[" * 50_000,
        "stars.md": "*" * 100_000 + " a",
        "pipes.md": "|" * 50_000 + "\n" + "|-" * 25_000 + "\n",
        "quote.csv": 'a,b\n"' + "x,y\n" * 300_000,
        "wide.csv": "a," * 500_000 + "\n1,2\n",
        "deep.json": '{"a":' * 50_000,
        "digits.json": "[" + "9" * 500_000 + "]",
    }
    paths = []
    for name, content in files.items():
        paths.append(tmp_path / name)
        paths[-1].write_text(content)
    quick = WorkerLimits(seconds=30, cpu_seconds=10)
    with WorkerPool(1, quick, PEAK, Attempt) as strict:
        for path, attempt in _read(strict, paths).items():
            assert attempt.document is not None or attempt.reason == "invalid_json", (path, attempt)


def test_archives_that_are_too_much(tmp_path: Path, pool: WorkerPool) -> None:
    inner = io.BytesIO()
    with zipfile.ZipFile(inner, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("0.bin", bytes(5_000_000))
    with zipfile.ZipFile(tmp_path / "nested.xlsx", "w", zipfile.ZIP_DEFLATED) as archive:
        for number in range(300):
            archive.writestr(f"{number}.zip", inner.getvalue())
    with zipfile.ZipFile(tmp_path / "many.docx", "w") as archive:
        archive.writestr("word/document.xml", "<a/>")
        for number in range(11_000):
            archive.writestr(f"{number}", "")
    source = samples.xlsx(tmp_path)
    shutil.copy(source, tmp_path / "up.xlsx")
    with zipfile.ZipFile(tmp_path / "up.xlsx", "a") as archive:
        archive.writestr("../../up.xml", "<a/>")
        archive.writestr("/abs/up.xml", "<a/>")
    for name, part in (("kinds.xlsx", "[Content_Types].xml"), ("kinds.ods", "mimetype")):
        # What tells the kind of a file is unpacked before anything is known of it.
        with zipfile.ZipFile(tmp_path / name, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr(part, bytes(400_000_000))
    paths = [tmp_path / name for name in ("nested.xlsx", "many.docx", "up.xlsx", "kinds.xlsx", "kinds.ods")]
    attempts = _read(pool, paths)
    reasons = [attempt.reason for attempt in attempts.values()]
    assert reasons == ["not_a_workbook", "zip_bomb", "", "not_a_workbook", "not_a_workbook"]
    assert not list(tmp_path.parent.glob("up.xml")) and not list(tmp_path.glob("**/up.xml"))
