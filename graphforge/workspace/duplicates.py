"""Exact duplicates: files with the same bytes, whatever their names."""

from collections.abc import Iterable


def split_duplicates(files: Iterable[tuple[str, str]]) -> tuple[dict[str, str], list[tuple[str, str]]]:
    """Keep one path for each content.

    Takes (path, sha256) pairs; returns the kept path of each hash, and a (dropped path, kept path) pair for every
    other file. The path that comes first in the alphabet is kept, so the order of a folder listing doesn't matter.
    """
    kept: dict[str, str] = {}
    dropped: list[tuple[str, str]] = []
    for path, sha256 in sorted(files):
        if sha256 in kept:
            dropped.append((path, kept[sha256]))
        else:
            kept[sha256] = path
    return kept, dropped
