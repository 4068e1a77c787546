"""Briefs that bring sources together: whoever reads a figure reads in the same sentence which file says so."""

from ...records import Series
from ..compose import View, titled


def attribution(view: View) -> str:
    """That every figure of the text names its file. The checks look for both in one sentence."""
    return view.pick(
        "attribution",
        "Attribute every figure in the text: the sentence that gives it also gives the name of its file, as it is in "
        "the folder.",
        "Whoever reads a figure in the text must see who says so, so put the file's name, as it stands in the folder, "
        "into the same sentence.",
        "In the text, no figure goes without its source: name the file (its name in the folder) in the very sentence.",
    )


def called(view: View, series: Series) -> str:
    """A file in the list of what must be stated: its title, and beside it the name to be used in the text."""
    file = view.file(series)
    title = titled(view, file)
    return title if title == file.name else f"{title} ({file.name})"
