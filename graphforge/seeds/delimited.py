"""A csv or tsv file of the user's with a header, as rows of named values; faults name file, line and column."""

import csv
from collections.abc import Iterator, Mapping
from pathlib import Path

from graphforge.errors import InputError

_TABS = frozenset({".tsv", ".tab", ".txt"})


def delimited_rows(
    path: Path, columns: Mapping[str, str | None], key: str, delimiter: str | None, missing: str
) -> Iterator[tuple[str, dict[str, str]]]:
    """Each row as (where it stands, our name of a column to its stripped value).

    ``columns`` maps our names to those in the file; None for a column that the file doesn't have, whose values are
    empty. ``key`` is the configuration key of ``columns``, which the remedies name; ``missing`` is what to do where
    there is no file. ``delimiter`` None: tabs for .tsv, .tab and .txt, commas otherwise. Quoting is csv's own.
    """
    between = delimiter or ("\t" if path.suffix.lower() in _TABS else ",")
    if not path.is_file():
        raise InputError(f"The file {path} does not exist", missing)
    rows = 0
    try:
        with path.open(encoding="utf-8-sig", newline="") as handle:
            reader = csv.reader(handle, delimiter=between, strict=True)
            header = [name.strip() for name in next(reader, [])]
            for ours, theirs in columns.items():
                if theirs is not None and theirs not in header:
                    what = f"The file {path} has no column '{theirs}'"
                    raise InputError(what, f"Set {key}.{ours} to one of: {', '.join(filter(None, header))}")
            places = {
                ours: None if theirs is None else header.index(theirs) for ours, theirs in columns.items()
            }
            for row in reader:
                if not any(cell.strip() for cell in row):
                    continue
                where = f"{path} line {reader.line_num}"
                if len(row) != len(header):
                    what = f"{where} has {len(row)} fields where the header has {len(header)}"
                    raise InputError(what, "Mend the row, or set the delimiter")
                rows += 1
                yield (
                    where,
                    {ours: "" if place is None else row[place].strip() for ours, place in places.items()},
                )
    except UnicodeDecodeError:
        raise InputError(f"The file {path} is no UTF-8 text", "Save it as UTF-8") from None
    except csv.Error as error:
        raise InputError(f"The file {path} can't be read ({error})", "Mend its quoting") from None
    except OSError as error:
        what = f"The file {path} can't be read ({error.strerror})"
        raise InputError(what, "Check the file's permissions") from None
    if not rows:
        raise InputError(f"The file {path} has a header but no rows", "Fill it")
