"""
Objects of messages. A source finds them, because the CP queue does not know the other stores.

The setting CP_OBJECT_SOURCE names a class with the methods of ObjectSource.
Source: docs/contributing/spec/cp_queue.md, "Operations".
"""

from dataclasses import dataclass
from functools import cache
from typing import Protocol

from django.conf import settings
from django.utils.module_loading import import_string


@dataclass(frozen=True, kw_only=True)
class ObjectInfo:
    """
    Facts about an object.

    Args:
        object_type: None if its source does not know it.
        page_count: pages of its text.
        sha256: of its content as it is stored, in hexadecimal digits.
        reference: the id of the document in its store.
        system: where the document came from; empty if unknown.
        mime_type: guessed from its content.
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
        text: empty if it has none.
        is_too_large: its content is too large and was not read.
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
    """Return the source. Raises ImportError: the setting does not name a class."""
    return _import_source(settings.CP_OBJECT_SOURCE)


@cache
def _import_source(name: str) -> ObjectSource:
    return import_string(name)()
