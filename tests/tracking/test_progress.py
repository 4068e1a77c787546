"""Progress without a terminal: plain lines on stderr."""

import io
import time
from collections.abc import Iterator

import pytest

from graphforge.tracking import progress, track


def test_lines_tell_the_count_and_the_time_left(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(progress, "LINE_SECONDS", 0.02)

    def slow() -> Iterator[int]:
        for item in range(5):
            time.sleep(0.03)
            yield item

    assert list(track(slow(), "reading", 5)) == [0, 1, 2, 3, 4]
    out, err = capsys.readouterr()
    lines = err.splitlines()
    assert out == ""
    assert lines[0].startswith("reading: 1 of 5, about ")
    assert lines[0].endswith(" left")
    assert lines[-1].startswith("reading: 5 of 5 in ")


def test_quick_work_is_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert list(track([], "nothing", 0)) == []
    assert capsys.readouterr().err == "nothing: 0 of 0 in 0 s\n"


def test_the_last_line_tells_where_it_stopped(capsys: pytest.CaptureFixture[str]) -> None:
    def broken() -> Iterator[int]:
        yield 1
        raise ValueError("no more")

    with pytest.raises(ValueError, match="no more"):
        list(track(broken(), "reading", 9))
    assert "9 of 9" not in capsys.readouterr().err


def test_a_terminal_gets_a_bar(monkeypatch: pytest.MonkeyPatch) -> None:
    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    screen = Terminal()
    monkeypatch.setattr("sys.stderr", screen)
    assert list(track(range(3), "reading", 3)) == [0, 1, 2]
    assert "reading" in screen.getvalue()
    assert "3/3" in screen.getvalue()


@pytest.mark.parametrize(
    ("seconds", "text"), [(0.2, "0 s"), (59.4, "59 s"), (125, "2 min 05 s"), (3725, "1 h 02 min")]
)
def test_spans_read_well(seconds: float, text: str) -> None:
    assert progress._span(seconds) == text
