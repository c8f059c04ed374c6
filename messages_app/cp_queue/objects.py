"""
Where the objects are that messages are about: the room asks a source, and knows no store.

The setting CP_OBJECT_SOURCE names a class with the methods of ObjectSource.
Source: docs/spec/cp_queue.md, "Operations".
"""

from dataclasses import dataclass
from functools import cache
from typing import Protocol

from django.conf import settings
from django.utils.module_loading import import_string


@dataclass(frozen=True, kw_only=True)
class ObjectInfo:
    """
    What is known of an object.

    Args:
        object_type: None: its source does not know.
        page_count: pages of its text.
        sha256: of its content as it is stored, in hexadecimal digits.
        reference: the id of the document in its store.
        system: where the document came from; empty: no one knows.
        mime_type: what its content looks like.
        has_text: whether there is a full text.
    """

    object_type: int | None
    page_count: int
    sha256: str
    reference: str
    system: str
    mime_type: str
    has_text: bool


@dataclass(frozen=True, kw_only=True)
class FullText:
    """
    The text of an object.

    Args:
        text: empty: it has none.
        is_too_large: it was not read, as its content is larger than what is read.
        msg_id, stored_message: the message whose content it is, for the audit.
    """

    text: str
    is_too_large: bool
    msg_id: int | None = None
    stored_message: str | None = None


class ObjectSource(Protocol):
    """Gives the objects; each method returns None for an object that it does not know."""

    def object_info(self, osid: int) -> ObjectInfo | None: ...

    def full_text(self, osid: int) -> FullText | None: ...


def object_source() -> ObjectSource:
    """Return the source. Raises ImportError: the setting names none."""
    return _made(settings.CP_OBJECT_SOURCE)


@cache
def _made(name: str) -> ObjectSource:
    return import_string(name)()
