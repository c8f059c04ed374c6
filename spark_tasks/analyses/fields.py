"""
Names the fields of messages: columns, and paths into payloads and envelopes without positions.

A task numbers the fields that it meets, so that it counts small numbers instead of long paths. Source:
docs/contributing/decisions/0041-analyses.md, "Facts".
"""

from enum import StrEnum
from typing import NamedTuple

# Of one task. Further fields are ignored: payloads with ids as names have any number of them.
MAX_FIELDS = 5_000
MAX_DEPTH = 40
_MAX_NAME_CHARS = 80


class Source(StrEnum):
    """The part of a message that has a field."""

    COLUMN = "column"
    PAYLOAD = "payload"
    ENVELOPE = "envelope"


class Field(NamedTuple):
    """
    A field of messages.

    Args:
        path: the name of a column; /Order/Line/@unit in XML, with local names; $.lines[*].unit in JSON;
            FORMAT or SIZE for the text as a whole.
    """

    source: Source
    path: str

    @property
    def parent(self) -> "Field | None":
        """The element or object around this field; None for columns and for the outermost one."""
        path = self.path
        if self.source is Source.COLUMN or self.is_whole_text:
            return None
        if path.startswith("/"):
            outer = path.rpartition("/")[0]
        elif path.endswith("']"):
            outer = path[: path.rindex("['")]
        else:
            outer = path[: max(path.rfind("."), path.rfind("["))]
        return Field(self.source, outer) if outer else None

    @property
    def is_whole_text(self) -> bool:
        return self.source is not Source.COLUMN and self.path in {FORMAT, SIZE}

    @property
    def is_json(self) -> bool:
        return self.source is not Source.COLUMN and self.path.startswith("$")


# Fields of a text as a whole. No path in XML or JSON looks like these.
FORMAT, SIZE = "format", "size"


class FieldNode:
    """A place in documents. Its children are other places, by the name that the document has for them."""

    __slots__ = ("children", "depth", "field", "number")

    def __init__(self, field: Field, number: int, depth: int) -> None:
        self.field = field
        self.number = number
        self.depth = depth
        self.children: dict[str, FieldNode] = {}


class FieldTree:
    """
    All places that one task has met, numbered from 1.

    Places with the number 0 are beyond MAX_FIELDS or MAX_DEPTH and are ignored.
    """

    def __init__(self) -> None:
        self.fields: list[Field] = [Field(Source.COLUMN, "")]
        self._numbers: dict[Field, int] = {}
        self._beyond = FieldNode(self.fields[0], 0, MAX_DEPTH)
        self.roots = {source: FieldNode(Field(source, ""), 0, 0) for source in Source}

    def number_field(self, field: Field) -> int:
        """Return the number of a field; 0 if there are too many."""
        number = self._numbers.get(field)
        if number is None:
            if len(self.fields) > MAX_FIELDS:
                return 0
            number = self._numbers[field] = len(self.fields)
            self.fields.append(field)
        return number

    def make_child(self, parent: FieldNode, name: str, step: str) -> FieldNode:
        """
        Return the place `name` below another place, and keep it for the next document.

        Args:
            name: as the document writes it, with a namespace prefix.
            step: the addition to the path; two names may have the same one.
        """
        if parent.depth >= MAX_DEPTH:
            return self._beyond
        field = Field(parent.field.source, parent.field.path + step)
        number = self.number_field(field)
        if not number:
            return self._beyond
        child = parent.children[name] = FieldNode(field, number, parent.depth + 1)
        return child


def shorten_name(name: str) -> str:
    """Return a name without its namespace prefix, cut."""
    return name.rpartition(":")[2][:_MAX_NAME_CHARS]


def write_json_step(name: str) -> str:
    """Return the step to a member of a JSON object, in the notation of JSONPath (RFC 9535)."""
    short = name[:_MAX_NAME_CHARS]
    if short.isidentifier():
        return f".{short}"
    escaped = short.replace("\\", "\\\\").replace("'", "\\'")
    return f"['{escaped}']"
