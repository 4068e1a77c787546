"""What kinds of files a workspace really holds: the dimensions of the second balancing (paper section 3.1)."""

from collections.abc import Mapping

from ..records import Family, InputFamily, Workspace

INPUT_FAMILIES: Mapping[Family, InputFamily | None] = {
    "pdf": "document",
    "docx": "document",
    "txt": "document",
    "md": "document",
    "xlsx": "spreadsheet",
    "xls": "spreadsheet",
    "ods": "spreadsheet",
    "csv": "delimited",
    "pptx": "presentation",
    "html": "page",
    "json": "data",
    "image": None,
}


def families(workspace: Workspace) -> Mapping[str, tuple[str, ...]]:
    """The workspace's values of each dimension that only its files decide.

    ``input_family``: the families of all its files, of which a seed only proposed one; ``core_family``: those of
    the files that drive the computation; ``topic``: what the files are about. Sorted, without repeats.
    """

    def distinct(formats: list[Family]) -> tuple[str, ...]:
        return tuple(sorted({family for one in formats if (family := INPUT_FAMILIES[one]) is not None}))

    return {
        "input_family": distinct([file.family for file in workspace.files]),
        "core_family": distinct([file.family for file in workspace.with_role("core")]),
        "topic": (workspace.topic,),
    }
