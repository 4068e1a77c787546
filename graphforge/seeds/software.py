"""Which software shows what kind of office work."""

from collections.abc import Mapping

from graphforge.records import InputFamily

# The software that shows an occupation to work on such files, by commodity title.
SOFTWARE: Mapping[InputFamily, tuple[str, ...]] = {
    "spreadsheet": ("Spreadsheet software",),
    "delimited": ("Data base user interface and query software", "Data base management system software"),
    "document": ("Word processing software", "Office suite software", "Document management software"),
    "presentation": ("Presentation software",),
    "page": ("Web page creation and editing software", "Internet browser software"),
    "data": ("Geographic information system", "Object or component oriented development software"),
}
OFFICE = frozenset(title for titles in SOFTWARE.values() for title in titles)
