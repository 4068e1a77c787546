"""Pages as images: what a model that sees is shown and what is kept of it, and that one that doesn't hears nothing."""

import base64
import hashlib
import io
import random
import shutil
import struct
import zlib
from collections.abc import Callable, Mapping
from pathlib import Path

import pymupdf
import pytest
from agent_cases import SANDBOX, write_table
from PIL import Image
from test_bwrap import BWRAP, WHY_NOT
from test_native import ROWS, Player, reply, turns_of, use, work

from graphforge.agents import Sandbox, SandboxRoom
from graphforge.agents.page import LONGEST, PageView, show_page
from graphforge.llm import IMAGE_TOKENS
from graphforge.records import Trajectory

SANDBOXES = [
    SANDBOX,
    pytest.param(BWRAP, marks=pytest.mark.skipif(bool(WHY_NOT), reason=WHY_NOT)),
]
SOFFICE = Path(shutil.which("soffice") or "/nowhere/soffice").resolve()
# A format is a part of LibreOffice that may be left out: Calc, Writer, Impress.
PARTS = {"xlsx": "libsclo.so", "docx": "libswlo.so", "pptx": "libsdlo.so"}
# The prompt of a model that does not see, as it was before any model could: recorded answers are found by it.
BLIND = "96626e12658125e5414c5781e46d3c79ed73b0f02c856676f42e1c8f2e52a22d"


def shown(sandbox: Sandbox, name: str, fill: Callable[[SandboxRoom], object], page: int = 1) -> PageView:
    with sandbox.open() as room:
        fill(room)
        return show_page(room, name, page)


def copied(path: Path) -> Callable[[SandboxRoom], object]:
    return lambda room: shutil.copyfile(path, room.workspace / path.name)


def three_pages(folder: Path) -> Path:
    document = pymupdf.open()
    for number in range(3):
        document.new_page(width=595, height=842).draw_rect((0, 0, 595, 842), fill=(number == 1, 0, 0))
    document.save(folder / "three.pdf")
    return folder / "three.pdf"


def picture(view: PageView) -> Image.Image:
    assert view.exit_code == 0, view.output
    image = Image.open(io.BytesIO(view.image))
    assert image.format == "PNG" and max(image.size) <= LONGEST
    return image.convert("RGB")


@pytest.mark.parametrize("sandbox", SANDBOXES)
def test_a_page_of_a_pdf(sandbox: Sandbox, tmp_path: Path) -> None:
    view = shown(sandbox, "three.pdf", copied(three_pages(tmp_path)), page=2)
    image = picture(view)
    assert image.height == LONGEST and image.getpixel((5, 5)) == (255, 0, 0)
    assert view.output == (
        f"three.pdf, page 2 of 3, shown as an image of {image.width} x 1568 pixels (sha256 {view.sha256})"
    )
    # The same in every run.
    assert shown(sandbox, "three.pdf", copied(tmp_path / "three.pdf"), page=2) == view


def test_a_page_that_is_not_there_is_said(tmp_path: Path) -> None:
    view = shown(SANDBOX, "three.pdf", copied(three_pages(tmp_path)), page=4)
    assert (view.exit_code, view.output, view.image) == (
        1,
        "there is no page 4 in three.pdf; it has 3\n",
        b"",
    )


@pytest.mark.parametrize(("kind", "size"), [("png", (300, 200)), ("jpg", (4000, 1000)), ("webp", (64, 64))])
def test_an_image(kind: str, size: tuple[int, int], tmp_path: Path) -> None:
    Image.new("RGB", size, "#00ff00").save(tmp_path / f"a.{kind}")
    image = picture(shown(SANDBOX, f"a.{kind}", copied(tmp_path / f"a.{kind}")))
    # Never larger than it is.
    assert image.size == (size if max(size) <= LONGEST else (1568, 392))
    assert image.getpixel((3, 3))[1] >= 250


def test_what_is_transparent_is_white_and_a_gif_has_pages(tmp_path: Path) -> None:
    frames = [Image.new("RGBA", (20, 20), color) for color in ("#ff0000ff", "#0000ff00")]
    frames[0].save(tmp_path / "a.tiff", save_all=True, append_images=frames[1:])
    view = shown(SANDBOX, "a.tiff", copied(tmp_path / "a.tiff"), page=2)
    assert "page 2 of 2" in view.output and picture(view).getpixel((3, 3)) == (255, 255, 255)


@pytest.mark.parametrize("family", PARTS)
@pytest.mark.skipif(bool(WHY_NOT), reason=WHY_NOT)
def test_office_files_as_they_are_printed(family: str, tmp_path: Path) -> None:
    if not SOFFICE.with_name(PARTS[family]).is_file():
        pytest.skip(f"LibreOffice is not installed, or not its part for {family}")
    path = write_table(tmp_path, "table", family, ROWS)  # type: ignore[arg-type]
    view = shown(
        BWRAP.model_copy(update={"open_files": 256, "memory_together": 2 * 1024**3}), path.name, copied(path)
    )
    assert "page 1 of 1" in view.output
    # There is something on it.
    assert picture(view).convert("L").getextrema()[0] < 100


def test_office_files_without_libreoffice_are_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write_table(tmp_path, "table", "xlsx", ROWS)
    (tmp_path / "bin").mkdir()
    plain = SandboxRoom.environment
    only = {name: shutil.which(name) for name in ("bash", "cat")}
    for name, place in only.items():
        (tmp_path / "bin" / name).symlink_to(str(place))

    def environment(room: SandboxRoom) -> dict[str, str]:
        env = plain(room)
        return env | {"PATH": f"{env['PATH'].split(':')[0]}:{tmp_path / 'bin'}"}

    monkeypatch.setattr(SandboxRoom, "environment", environment)
    view = shown(SANDBOX, "table.xlsx", copied(path))
    assert view.exit_code == 1 and "can't be shown as an image here" in view.output


@pytest.mark.parametrize("sandbox", SANDBOXES)
@pytest.mark.parametrize(
    ("name", "content", "why"),
    [
        ("notes.pdf", b"only words", "notes.pdf is no PDF file"),
        ("notes.txt", b"only words", "has no pages that can be shown"),
        ("broken.pdf", b"%PDF-1.7\nnothing more", "broken.pdf"),
        ("notes.png", b"only words", "notes.png can't be rendered"),
        ("cut.png", b"\x89PNG\r\n\x1a\n\0\0", "cut.png can't be rendered"),
    ],
)
def test_what_has_no_pages_is_refused_in_words(sandbox: Sandbox, name: str, content: bytes, why: str) -> None:
    view = shown(sandbox, name, lambda room: (room.workspace / name).write_bytes(content))
    assert view.exit_code == 1 and why in view.output and view.image == b""


def bomb(width: int, height: int) -> bytes:
    """A small PNG file that claims to be large: a row is all the data there is."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    head = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    rows = zlib.compress(bytes(width + 1))
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", rows) + chunk(b"IEND", b"")


def test_an_image_that_would_take_all_memory_is_refused() -> None:
    view = shown(
        SANDBOX, "bomb.png", lambda room: (room.workspace / "bomb.png").write_bytes(bomb(60_000, 60_000))
    )
    assert view.exit_code == 1 and "has more than 60,000,000 pixels" in view.output


@pytest.mark.parametrize("sandbox", SANDBOXES)
def test_a_link_to_an_outside_file_is_not_followed(sandbox: Sandbox, tmp_path: Path) -> None:
    outside = three_pages(tmp_path)
    view = shown(sandbox, "link.pdf", lambda room: (room.workspace / "link.pdf").symlink_to(outside))
    assert (view.exit_code, view.image) == (1, b"") and "there is no file ./link.pdf" in view.output


def test_what_a_command_puts_in_the_images_place_is_checked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As if a command had got between the rendering and our reading."""
    Image.new("RGB", (30, 30)).save(tmp_path / "a.png")
    plain = SandboxRoom.run

    def show(put: Callable[[Path], object]) -> PageView:
        def run(room: SandboxRoom, command: str) -> object:
            result = plain(room, command)
            place = room.tmp / "shown-page.png"
            place.unlink()
            put(place)
            return result

        monkeypatch.setattr(SandboxRoom, "run", run)
        return shown(SANDBOX, "a.png", copied(tmp_path / "a.png"))

    wrong: list[Callable[[Path], object]] = [
        lambda place: place.symlink_to(tmp_path / "a.png"),
        lambda place: place.mkdir(),
        lambda place: place.write_bytes(bomb(60_000, 60_000)),
        lambda place: place.write_bytes(bomb(1569, 10)),
        lambda place: place.write_bytes((tmp_path / "a.png").read_bytes()[:40]),
        lambda place: place.write_bytes(bytes(3_000_001)),
        lambda place: Image.new("RGB", (30, 30)).save(place, "JPEG"),
    ]
    for put in wrong:
        view = show(put)
        assert (view.exit_code, view.image) == (1, b"") and "no image that can be shown" in view.output
    assert show(lambda place: Image.new("RGB", (30, 30)).save(place)).exit_code == 0


def test_a_page_full_of_noise_is_made_smaller_until_it_fits(tmp_path: Path) -> None:
    noise = Image.frombytes("RGB", (1200, 1200), random.Random(1).randbytes(3 * 1200**2))
    noise.save(tmp_path / "noise.png", compress_level=1)
    view = shown(SANDBOX, "noise.png", copied(tmp_path / "noise.png"))
    assert 500 < picture(view).width < 1200 and len(view.image) <= 3_000_000


class Seer(Player):
    """A player that sees; an image counts as the estimate says."""

    sees = True

    async def say(self, prompt):
        answer = await super().say(prompt)
        images = sum(len(turn.images) for turn in prompt.turns)
        usage = answer.usage.model_copy(update={"input": answer.usage.input + IMAGE_TOKENS * images})
        return answer.model_copy(update={"usage": usage})


@pytest.fixture
def inputs(tmp_path: Path) -> Mapping[str, Path]:
    return {
        "first.csv": write_table(tmp_path, "first", "csv", ROWS),
        "second.xlsx": write_table(tmp_path, "second", "xlsx", ROWS),
    }


DRAW = """
import pymupdf
document = pymupdf.open()
for number in range(9):
    document.new_page().insert_text((72, 72), str(number))
document.save('a.pdf')
"""


def seeing(*calls: list) -> Seer:
    draw = reply("", use("bash", command=f"python3 - <<'EOF'\n{DRAW}\nEOF"))
    return Seer(turns_of(draw, *(reply("", *one) for one in calls)).policy)


def test_a_model_that_sees_is_shown_the_page_and_the_record_keeps_it(
    inputs: Mapping[str, Path], tmp_path: Path
) -> None:
    player = seeing([use("view_page", path="a.pdf", page=2), use("bash", command="echo after")])
    done = work(player, inputs, tmp_path / "keep")
    assert done.status == "completed"
    assert [tool.name for tool in player.prompts[0].tools] == ["bash", "write_file", "view_file", "view_page"]
    (message,) = [message for message in done.messages if message.images]
    (sha256,) = message.images
    kept = (tmp_path / "keep" / sha256).read_bytes()
    assert hashlib.sha256(kept).hexdigest() == sha256
    assert (
        message.content.startswith("a.pdf, page 2 of 9, shown as an image of ") and sha256 in message.content
    )
    (turn,) = [turn for turn in player.prompts[-1].turns if turn.images]
    assert turn.images == (f"data:image/png;base64,{base64.b64encode(kept).decode()}",)
    assert turn.content == message.content and turn.call == "call_2"
    assert done.kept() == [sha256]
    assert Trajectory.model_validate_json(done.line()) == done
    # Again, and the same bytes.
    assert work(seeing([use("view_page", path="a.pdf", page=2), use("bash", command="echo after")]), inputs,
                tmp_path / "again").line() == done.line()  # fmt: skip


def test_a_model_that_does_not_see_is_told_nothing_of_it(inputs: Mapping[str, Path], tmp_path: Path) -> None:
    player = turns_of(reply("", use("view_page", path="a.pdf")))
    done = work(player, inputs, tmp_path)
    assert hashlib.sha256(player.prompts[0].model_dump_json().encode()).hexdigest() == BLIND
    ((_, answer),) = done.tool_calls()
    assert answer is not None and answer.exit_code == 2
    assert "there is no tool 'view_page'; there are bash, write_file, view_file." in answer.content
    # Nor does the record look different.
    assert "images" not in done.line()


def test_images_count_for_the_context_and_go_with_old_outputs(
    inputs: Mapping[str, Path], tmp_path: Path
) -> None:
    player = seeing(*([use("view_page", path="a.pdf", page=page)] for page in range(1, 8)))
    done = work(player, inputs, tmp_path, context_tokens=8000)
    assert done.status == "completed" and "dropped to make room" in done.detail
    counts = [sum(len(turn.images) for turn in prompt.turns) for prompt in player.prompts]
    assert max(counts) <= 4 and counts[-1] >= 1
    # The newest is there, the first is gone in words too, and the record still has all.
    turns = player.prompts[-1].turns
    assert next(turn for turn in turns if turn.call == "call_8").images
    assert next(turn for turn in turns if turn.call == "call_2").content.startswith(
        "[This output was dropped"
    )
    assert sum(len(message.images) for message in done.messages) == 7
    assert all((tmp_path / sha256).is_file() for sha256 in done.kept())
