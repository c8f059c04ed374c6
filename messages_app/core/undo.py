"""
Notices with *Undo*: the next page shows what was done, and for ten seconds a button that sends a form.

The form is one that a person could send as well, or it has a token with what the action has changed. An
action is undone only if nothing has changed since then, and needs the permission for the action.
"""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from datetime import datetime, timedelta
from typing import Any

from django.contrib import messages as notices
from django.contrib.messages.storage.base import Message
from django.core import signing
from django.http import HttpRequest

from messages_app.core.parameters import single_values
from messages_app.core.problems import bad_field

# The reason in the audit log.
UNDONE = "Undone."

_TOKEN, _TIME = "token", "time"
# A notice stays for ten seconds, and without scripts until the next page.
_MAX_AGE = timedelta(minutes=10)


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


def make_undo(request: HttpRequest, address: str, **values: object) -> Undo:
    """
    Return a form whose address reads these values with `read_undone`.

    Their signature keeps them, the address and the user from being changed.
    """
    salt = _salt_of(request, address)
    text = json.dumps(values, default=_write_time)
    return Undo(address=address, fields={_TOKEN: signing.dumps(text, salt=salt, compress=True)})


def read_undone(request: HttpRequest) -> dict[str, Any]:
    """
    Return the values of a form of `make_undo`.

    Raises:
        Problem: 400, the token is not for this address and user, or too old.
    """
    token = single_values(request.POST, (_TOKEN, "csrfmiddlewaretoken")).get(_TOKEN, "")
    salt = _salt_of(request, request.path)
    try:
        text = signing.loads(token, salt=salt, max_age=_MAX_AGE)
    except signing.BadSignature:
        raise bad_field(
            _TOKEN, "invalid_value", "token must be from a notice of the last ten minutes."
        ) from None
    values: dict[str, Any] = json.loads(text, object_hook=_read_time)
    return values


def _write_time(time: datetime) -> dict[str, str]:
    return {_TIME: time.isoformat()}


def _read_time(part: dict[str, Any]) -> object:
    """Return the time that `_write_time` wrote; any other object unchanged."""
    return datetime.fromisoformat(part[_TIME]) if _TIME in part else part


def _salt_of(request: HttpRequest, address: str) -> str:
    return f"undo {address} {request.user.pk}"


def offer_undo(request: HttpRequest, text: str, undo: Undo | None) -> None:
    """Show a notice of success on the next page; with `undo`, it can be undone there."""
    notices.success(request, text, extra_tags="" if undo is None else json.dumps(asdict(undo)))


def report_undone(request: HttpRequest, subject: str, *, is_undone: bool) -> None:
    """Show on the next page whether `subject`, such as "the incident", was changed back."""
    if is_undone:
        notices.success(request, UNDONE)
    else:
        notices.warning(request, f"Not undone: {subject} has changed since then.")


def read_undo(message: Message) -> Undo | None:
    """Return how the action of a notice is undone; None if it cannot be."""
    return Undo(**json.loads(message.extra_tags)) if message.extra_tags else None
