"""
Notices with *Undo*: the next page shows what was done, and for ten seconds a button that sends a form.

The form does what a person could do as well, by the usual address and with the usual permissions.
"""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass

from django.contrib import messages as notices
from django.contrib.messages.storage.base import Message
from django.http import HttpRequest


@dataclass(frozen=True, kw_only=True)
class Undo:
    """
    The form that undoes an action.

    Args:
        address: where it is sent to.
        fields: its values by name.
    """

    address: str
    fields: Mapping[str, str]


def offer_undo(request: HttpRequest, text: str, undo: Undo | None) -> None:
    """Show a notice of success on the next page; with `undo`, it can be undone there."""
    notices.success(request, text, extra_tags="" if undo is None else json.dumps(asdict(undo)))


def read_undo(message: Message) -> Undo | None:
    """Return how the action of a notice is undone; None if it cannot be."""
    return Undo(**json.loads(message.extra_tags)) if message.extra_tags else None
