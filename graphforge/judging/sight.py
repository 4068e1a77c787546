"""What a model grader is given to work with: a model to ask, and functions that read what it may look at."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from ..llm import Speaker
from ..records import Anchor, TaskSpec

Read = Callable[[], Sequence[str]]
"""Gives the lines of a file, when they are wanted."""


def _no_sources(spec: TaskSpec) -> Mapping[str, Read]:
    return {}


@dataclass(frozen=True)
class Sight:
    """``passage`` reads the text at an anchor, with a row's header or a paragraph's neighbours.

    A passage may begin with heading lines (``-- sheet 'Cargo' --``, ``row| A | B``); those of one file that begin
    alike are shown under one heading. It raises a GraphForgeError where there is nothing to read.
    ``sources`` gives the input files of a task by name; only a grader that reads whole files asks for them.
    """

    speaker: Speaker
    passage: Callable[[Anchor], str]
    sources: Callable[[TaskSpec], Mapping[str, Read]] = _no_sources
