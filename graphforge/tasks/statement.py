"""The task statement: a request as a colleague would write it (docs/design/statements.md).

Its parts come from the case; their order, the way the deliverables are named and the small talk vary by workspace. The
same workspace always gets the same words. What the checks rest on stands in the paragraphs of the pattern and in the
requirements of the deliverables, which are repeated to the letter.
"""

from string import ascii_lowercase

from ..records import Deliverable
from .compose import Composition, View
from .opening import opening

_FOLDERS = (
    "Everything you need is among the files in the folder; not every file there has to be used.",
    "The folder holds more than you need, as folders do.",
    "All material is in the folder. Some of it is there only because it was filed together.",
    "You'll find the files in the folder, along with others that have nothing to do with this.",
    "Please go by the files in the folder alone. Not all of them matter here.",
    "I've left the whole folder as it was, so you'll see files that this doesn't need.",
)
_CLOSINGS = (
    "Please save the results under exactly these names:",
    "What I need back, under these names:",
    "Hand over the following, named as written here:",
    "Please send me:",
    "These are the files I expect from you (keep the names):",
    "To hand in:",
)
_COUNTS = ("no file", "one file", "two files", "three files", "four files", "five files")


def write_statement(view: View, made: Composition, deliverables: tuple[Deliverable, ...]) -> str:
    """The statement q (paper section 3.3)."""
    reason, addressed, deadline = opening(view, made)
    folder = view.pick("folder", *_FOLDERS)
    handed = _deliverables(view, deliverables)
    request = list(made.request)
    greeting = view.pick("greeting", "", "", "", "Hi,", "Hello,", "Good morning,")
    order = view.pick("order", "reason", "addressed", "folder", "names", "split", "request", "short")
    if order == "reason":
        parts = [f"{reason} {addressed}", *request, folder, *handed, deadline]
    elif order == "addressed":
        parts = [reason, " ".join([addressed, deadline]).strip(), *request, *handed, folder]
    elif order == "folder":
        parts = [f"{reason} {folder}", *request, addressed, *handed, deadline]
    elif order == "names":
        names = _names(deliverables)
        parts = [
            f"{reason} Please make {names} of it; {_below(deliverables)}.",
            addressed,
            *request,
            folder,
            *handed,
        ]
        parts.append(deadline)
    elif order == "split":
        parts = [reason, *request, f"{folder} {addressed}", *handed, deadline]
    elif order == "request":
        parts = [f"{reason} {request[0]}", *request[1:], *handed, f"{addressed} {deadline}".strip(), folder]
    else:
        parts = [f"{reason} {addressed}", " ".join(request), *handed, " ".join([folder, deadline]).strip()]
    return "\n\n".join(part for part in (greeting, *parts) if part)


def _deliverables(view: View, deliverables: tuple[Deliverable, ...]) -> list[str]:
    """What to hand over: a list, a lettered list, or sentences. File and requirement stand there to the letter.

    Letters and no numbers: "2." beside "agree" would tell an agent that has opened no file how many rows agree.
    """
    form = view.pick("list", "dashes", "dashes", "letters", "prose", "paragraphs")
    closing = view.pick("closing", *_CLOSINGS)
    if form == "dashes":
        lines = [f"- {one.file}: {one.requirement}" for one in deliverables]
        return [closing, "\n".join(lines)]
    if form == "letters":
        lines = [
            f"{letter}) {one.file}: {one.requirement}"
            for letter, one in zip(ascii_lowercase, deliverables, strict=False)
        ]
        return [closing, "\n".join(lines)]
    if form == "paragraphs":
        return [closing, *(f"{one.file}: {one.requirement}" for one in deliverables)]
    count = _COUNTS[len(deliverables)] if len(deliverables) < len(_COUNTS) else f"{len(deliverables)} files"
    begun = view.pick(
        "prose",
        f"I need {count} back, under these names.",
        f"Please hand in {count}, named as I write them here.",
        f"That makes {count} for you to send; keep the names.",
    )
    first, *others = deliverables
    link = view.pick("link", "Then", "Beside it,", "And", "With it goes")
    told = [
        f"{begun} First {first.file}: {first.requirement}"
        if others
        else f"{begun} {first.file}: {first.requirement}"
    ]
    return [*told, *(f"{link} {one.file}: {one.requirement}" for one in others)]


def _names(deliverables: tuple[Deliverable, ...]) -> str:
    names = [one.file for one in deliverables]
    return names[0] if len(names) == 1 else ", ".join(names[:-1]) + f" and {names[-1]}"


def _below(deliverables: tuple[Deliverable, ...]) -> str:
    return "what goes into it stands below" if len(deliverables) == 1 else "what goes into each stands below"
