"""
A message as senders write it, read and stored once: one whose identifier exists is dropped.

Both names of the identifier are read, its case does not matter, and a time without zone is UTC. The entity of
data may be missing: processing finds that, and the message ends in 22.

Source: docs/contributing/spec/message_store.md, "Receiving", "Hard cases" cases 13 and 14.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from django.db import transaction

from messages_app.audit import services as audit
from messages_app.audit.models import AuditEntry
from messages_app.core.problems import quote_value, unknown_name
from messages_app.core.statements import Statements
from messages_app.message_store.errors import InvalidInput
from messages_app.message_store.file_store import PathRefused, check_path
from messages_app.message_store.identifiers import new_identifier, read_identifier
from messages_app.message_store.models import MAX_NAME, MessageStore

IDENTIFIERS = ("identifier", "msgid", "guid")
FIELDS = frozenset(
    {
        *IDENTIFIERS,
        "system",
        "entity",
        "timestamp",
        "user",
        "refresh",
        "process",
        "options",
        "data",
        "file_path",
    }
)
# Times that the database and every reader of its rows can hold in any zone.
_FIRST_YEAR, _LAST_YEAR = 1, 9998


@dataclass(frozen=True, kw_only=True)
class NewMessage:
    """
    A message to be stored.

    Args:
        identifier: given or made.
        effective: None: the time at which it is stored.
        data: as it is stored: a text unchanged, anything else as JSON.
        process: process it before the request is answered.
    """

    identifier: str
    system: str | None = None
    entity: str | None = None
    effective: datetime | None = None
    user: str | None = None
    refresh: bool = False
    process: bool = False
    options: str | None = None
    data: str | None = None
    file_path: str | None = None


@dataclass(frozen=True, kw_only=True)
class Allowed:
    """
    The values that a loader's options allow, separated by |; a single one is also the default.

    Empty: anything.

    Source: docs/contributing/spec/message_store.md, "Receiving".
    """

    system: tuple[str, ...] = ()
    entity: tuple[str, ...] = ()
    user: tuple[str, ...] = ()

    def check_value(self, field: str, value: str | None) -> str | None:
        """Return the value of a message. Raises InvalidInput if it is not allowed."""
        allowed = getattr(self, field)
        if not allowed:
            return value
        if value is None and len(allowed) == 1:
            return allowed[0]
        if value in allowed:
            return value
        words = ", ".join(allowed)
        text = f"{field} must be one of {words}; not {quote_value(value)}. (Status 22, message invalid.)"
        raise InvalidInput(field, "invalid_value", text)


ANYTHING = Allowed()


def read_message(values: object, *, allowed: Allowed = ANYTHING) -> NewMessage:
    """
    Return the message of a message object.

    Raises:
        InvalidInput: no object, or a field is unknown or has an invalid value.
    """
    if not isinstance(values, Mapping):
        raise InvalidInput("message", "invalid_value", "A message must be a JSON object.")
    if unknown := sorted(set(values) - FIELDS):
        raise InvalidInput(unknown[0], "unknown_field", unknown_name("field", unknown[0], FIELDS))
    options = values.get("options")
    message = NewMessage(
        identifier=_read_identifier(values),
        system=allowed.check_value("system", _read_name(values, "system")),
        entity=allowed.check_value("entity", _read_name(values, "entity")),
        effective=_read_timestamp(values),
        user=allowed.check_value("user", _read_name(values, "user")),
        refresh=_read_flag(values, "refresh"),
        process=_read_flag(values, "process"),
        options=None if options is None else _as_text("options", options),
        data=_as_text("data", values["data"]) if values.get("data") is not None else None,
        file_path=_read_path(values),
    )
    if message.entity is None and message.data is None and message.file_path is None:
        raise InvalidInput("entity", "required", "entity and data are both missing.")
    return message


def _as_text(field: str, value: object) -> str:
    """Return a value as its column holds it. Raises InvalidInput: the database cannot."""
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return _check_storable(field, text)


def _check_storable(field: str, text: str) -> str:
    try:
        text.encode()
    except UnicodeEncodeError:
        raise InvalidInput(field, "invalid_value", f"{field} has half of a surrogate pair.") from None
    if "\0" in text:
        raise InvalidInput(field, "invalid_value", f"{field} must not contain NUL.")
    return text


def _read_identifier(values: Mapping[str, object]) -> str:
    by_name = {name: values[name] for name in IDENTIFIERS if values.get(name) is not None}
    if len(by_name) > 1:
        raise InvalidInput("identifier", "invalid_value", f"Only one of {', '.join(by_name)} may be given.")
    if not by_name:
        return new_identifier()
    ((name, value),) = by_name.items()
    identifier = read_identifier(value) if isinstance(value, str) else None
    if identifier is None:
        text = (
            f"{name} must be a UUID of 36 characters, as in 123e4567-e89b-12d3-a456-426614174000;"
            f" not {quote_value(value)}. (Status 22, message invalid.)"
        )
        raise InvalidInput(name, "invalid_value", text)
    return identifier


def _read_name(values: Mapping[str, object], field: str) -> str | None:
    value = values.get(field)
    if value is None or value == "":
        return None
    if not isinstance(value, str):
        raise InvalidInput(field, "invalid_value", f"{field} must be text.")
    if len(value) > MAX_NAME:
        raise InvalidInput(field, "too_long", f"{field} must have at most {MAX_NAME} characters.")
    return _check_storable(field, value)


def _read_flag(values: Mapping[str, object], field: str) -> bool:
    value = values.get(field)
    if value is not None and not isinstance(value, bool):
        raise InvalidInput(field, "invalid_value", f"{field} must be true or false.")
    return bool(value)


def _read_timestamp(values: Mapping[str, object]) -> datetime | None:
    text = values.get("timestamp")
    if text is None:
        return None
    try:
        moment = datetime.fromisoformat(text) if isinstance(text, str) and "T" in text else None
    except ValueError:
        moment = None
    if moment is None or not _FIRST_YEAR < moment.year <= _LAST_YEAR:
        words = f"timestamp must be a time like 2026-11-21T10:00:00Z, not {quote_value(text)}."
        raise InvalidInput("timestamp", "invalid_value", words)
    # PostgreSQL refuses offsets of 16 hours and more.
    return moment.astimezone(UTC) if moment.tzinfo else moment.replace(tzinfo=UTC)


def _read_path(values: Mapping[str, object]) -> str | None:
    text = values.get("file_path")
    if text is None:
        return None
    if not isinstance(text, str):
        raise InvalidInput("file_path", "invalid_value", "file_path must be text.")
    try:
        return check_path(_check_storable("file_path", text))
    except PathRefused as refusal:
        raise InvalidInput("file_path", "invalid_value", f"file_path {refusal}") from None


statements = Statements("messages_app.message_store")


@dataclass(frozen=True, kw_only=True)
class Stored:
    """
    The outcome of a message that was sent.

    Args:
        is_dropped: its identifier exists already; nothing was stored or changed.
        is_same: for a dropped message: the stored message has the same content.
    """

    identifier: str
    is_dropped: bool
    is_same: bool = False


# Bytes of data in one statement.
_STATEMENT_BYTES = 1_000_000


def store_message(message: NewMessage, *, actor: audit.Actor) -> Stored:
    """
    Store a message with status 0; drop it, and report this, if its identifier exists
    (docs/contributing/spec/message_store.md, "Hard cases" case 12).

    The effective time is that of storing where none is given. A dropped message leaves an audit entry, so
    that no correction is lost unnoticed.
    """
    # One row is stored, or one audit entry: there is nothing to commit together.
    (stored,) = _insert_messages([message], actor)
    return stored


def store_messages(messages: Sequence[NewMessage], *, actor: audit.Actor) -> list[Stored]:
    """Store messages in one transaction, as calls of `store_message` one after the other would."""
    with transaction.atomic():
        return [stored for part in _split_by_statement(messages) for stored in _insert_messages(part, actor)]


def _split_by_statement(messages: Sequence[NewMessage]) -> Iterator[list[NewMessage]]:
    """Yield the messages of each statement."""
    part: list[NewMessage] = []
    size = 0
    for message in messages:
        part.append(message)
        size += len(message.data or "") + len(message.options or "")
        if size >= _STATEMENT_BYTES:
            yield part
            part, size = [], 0
    if part:
        yield part


def _insert_messages(messages: Sequence[NewMessage], actor: audit.Actor) -> list[Stored]:
    values = {
        "identifiers": [message.identifier for message in messages],
        "systems": [message.system for message in messages],
        "entities": [message.entity for message in messages],
        "effective": [message.effective for message in messages],
        "users": [message.user for message in messages],
        "refresh": [message.refresh for message in messages],
        "options": [message.options for message in messages],
        "data": [message.data for message in messages],
        "file_paths": [message.file_path for message in messages],
    }
    new = {identifier for (identifier,) in statements.fetch_rows("store_messages", values, prepare=True)}
    answers = []
    for message in messages:
        if message.identifier in new:
            new.remove(message.identifier)
            answers.append(Stored(identifier=message.identifier, is_dropped=False))
        else:
            answers.append(_record_drop(message, actor))
    return answers


def _record_drop(message: NewMessage, actor: audit.Actor) -> Stored:
    """Write down that a message was dropped."""
    is_same = _is_same(message)
    audit.record_entry(
        actor=actor,
        action="store_message",
        outcome=AuditEntry.Outcome.REFUSED,
        subject_kind="store_message",
        subject=message.identifier,
        details={"refusal": "identifier_exists", "same_content": is_same},
    )
    return Stored(identifier=message.identifier, is_dropped=True, is_same=is_same)


def _is_same(message: NewMessage) -> bool:
    same_messages = MessageStore.objects.filter(
        pk=message.identifier,
        source_system=message.system,
        source_entity=message.entity,
        refresh=message.refresh,
        options=message.options,
        data=message.data,
        file_path=message.file_path,
    )
    return same_messages.exists()
