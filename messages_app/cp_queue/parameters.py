"""
Checks the vendor's parameters: invalid ones are refused, none is cut, and only comma-separated lists are
trimmed.

Source: docs/contributing/spec/cp_queue.md, "Decisions" (names, lists, GUIDs), "Hard cases" case 20;
docs/contributing/spec/bad_input.md, "CP queue".
"""

import re
from collections.abc import Collection, Sequence

from messages_app.core.problems import InvalidField
from messages_app.cp_queue.states import MAX_GUID, MAX_INT, MAX_NAME, MAX_REASON
from messages_app.shared.visible_text import is_blank

# A longer list is a mistake, because no service serves that many queues.
MAX_QUEUES = 100
_GUID = re.compile(rf"[0-9A-Fa-f]{{{MAX_GUID}}}")
# Unicode's categories Cc and Cs: control characters and halves of surrogate pairs.
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\ud800-\udfff]")
_UNSTORABLE = re.compile(r"[\x00\ud800-\udfff]")


class InvalidParameter(InvalidField):
    """A parameter has an invalid value. `field` is its name in the calls of the vendor."""


def queue_names(queues: str | Sequence[str], *, field: str = "QueueNames") -> list[str]:
    """
    Return the queues of a comma-separated list, trimmed and without empty ones, or of several names, which
    are taken exactly; each once.

    Raises:
        InvalidParameter: it is empty, has more than MAX_QUEUES names, or one that is not a name.
    """
    names = list(dict.fromkeys(split_names(queues) if isinstance(queues, str) else queues))
    if not names:
        raise InvalidParameter(field, "required", f"{field} must name at least one queue.")
    if len(names) > MAX_QUEUES:
        raise InvalidParameter(field, "too_many", f"{field} may name at most {MAX_QUEUES} queues.")
    check = _check_name if isinstance(queues, str) else _stored_name
    return [check(field, name) for name in names]


def split_names(text: str) -> list[str]:
    """Return the names of a comma-separated list as the vendor's calls have it, trimmed and not empty."""
    return [name for part in text.split(",") if (name := part.strip())]


def stored_queue_name(name: str, *, field: str = "QueueName") -> str:
    """
    Return the name exactly as it is: a row of another writer may have any blanks and control characters.

    Raises:
        InvalidParameter: it is empty, or no row can have it.
    """
    return _stored_name(field, name)


def stored_service_name(name: str) -> str:
    """Return the name of a service that may hold messages, like stored_queue_name."""
    return _stored_name("ServiceName", name)


def _stored_name(field: str, name: str) -> str:
    if not name:
        raise InvalidParameter(field, "required", f"{field} must not be empty.")
    _check_length(field, name)
    if _UNSTORABLE.search(name):
        raise InvalidParameter(field, "invalid_value", f"{field} must not contain NUL.")
    return name


def new_queue_names(queues: Sequence[str], *, field: str = "QueueNames") -> list[str]:
    """
    Return the queues that messages are created in; the list may be empty.

    Raises:
        InvalidParameter: as queue_names; or no list could name a queue, because it contains a comma, or
            begins or ends with a blank; or it has control characters.
    """
    for name in queues:
        if "," in name:
            raise InvalidParameter(field, "invalid_value", "A queue name must not contain a comma.")
        if name != name.strip():
            text = "A new queue name must not begin or end with a blank, because lists of queues are trimmed."
            raise InvalidParameter(field, "invalid_value", text)
        _check_name(field, name)
    return queue_names(queues, field=field) if queues else []


def is_queue_name(text: str) -> bool:
    """Whether a queue may have this name; it need not exist."""
    try:
        return text != "" and new_queue_names([text]) == [text]
    except InvalidParameter:
        return False


def queues_or_all(names: Collection[str] | None) -> list[str] | None:
    """Return the queues of a condition as statements take them; None means all queues."""
    return None if names is None else sorted(names)


def service_name(name: str, *, field: str = "ServiceName") -> str:
    """
    Return the name of a service that polls or dispatches, as it is: "A" and "A " are two services.

    Raises:
        InvalidParameter: it is blank, longer than MAX_NAME, or has control characters.
    """
    if not name.strip():
        raise InvalidParameter(field, "required", f"{field} must not be empty.")
    return _check_name(field, name)


def message_guid(text: str, *, field: str = "MessageGUID") -> str:
    """
    Return the GUID as it was given; guids.py finds the stored spelling.

    Raises:
        InvalidParameter: it is not 32 hexadecimal digits; dashes and braces are not allowed.
    """
    if not _GUID.fullmatch(text):
        words = f"{field} must be {MAX_GUID} hexadecimal digits without separators."
        raise InvalidParameter(field, "required" if not text else "invalid_value", words)
    return text


def stored_guid(text: str, *, field: str = "MessageGUID") -> str:
    """
    Return the text as it was given: a row of another writer may have it as its key.

    Raises:
        InvalidParameter: no row can have it.
    """
    if not text or len(text) > MAX_GUID or _CONTROL.search(text):
        return message_guid(text, field=field)
    return text


def dispatch_reason(text: str) -> str:
    """
    Return the reason without blanks around it.

    Raises:
        InvalidParameter: it is blank, longer than MAX_REASON, or has a NUL.
    """
    reason = text.strip()
    if is_blank(reason):
        raise InvalidParameter("Reason", "required", "Reason must not be empty.")
    if len(reason) > MAX_REASON:
        raise InvalidParameter("Reason", "too_long", f"Reason must have at most {MAX_REASON} characters.")
    if "\0" in reason:
        raise InvalidParameter("Reason", "invalid_value", "Reason must not contain NUL.")
    return reason


def whole_number(number: int, *, field: str) -> int:
    """Return an object's id or type. Raises InvalidParameter: it does not fit the vendor's column."""
    if not 0 <= number <= MAX_INT:
        raise InvalidParameter(field, "out_of_range", f"{field} must be from 0 to {MAX_INT}.")
    return number


def _check_length(field: str, name: str) -> None:
    if len(name) > MAX_NAME:
        raise InvalidParameter(
            field, "too_long", f"A name in {field} must have at most {MAX_NAME} characters."
        )


def _check_name(field: str, name: str) -> str:
    _check_length(field, name)
    if _CONTROL.search(name):
        raise InvalidParameter(field, "invalid_value", f"{field} must not contain control characters.")
    return name
