"""Finds messages by their business keys, live and archived, and lists the definitions."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import datetime

from django.db.models import QuerySet

from messages_app.business_keys.models import KeyDefinition
from messages_app.core.statements import Statements
from messages_app.shared.key_extraction import trim_value

statements = Statements("messages_app.business_keys")

# The maximum number of results, without further pages: a value with more does not identify an order.
MAX_RESULTS = 200
MAX_NEWEST = 15
# Operations are offered from this many of the newest messages.
_LAST_MESSAGES, _MAX_OPERATIONS = 2_000, 200
# Follows every other character in the order of the column, which is that of bytes.
_LAST_CHARACTER = "\U0010ffff"


@dataclass(frozen=True, kw_only=True)
class KeyMatch:
    """
    A value of a key in one message.

    Attributes:
        live: the message is in the hub's table; archived: it is in the archive, in tables or Parquet files.
    """

    definition_id: int
    name: str
    sensitive: bool
    value: str
    msg_id: int
    receive_timestamp: datetime
    live: bool
    archived: bool


@dataclass(frozen=True, kw_only=True)
class NewestValue:
    """A value of a key in one of the newest messages."""

    name: str
    value: str
    msg_id: int
    receive_timestamp: datetime


def find_value(value: str, *, may_view_payload: bool) -> list[KeyMatch]:
    """Return the messages with this value, newest first. Blanks are compared as they are stored."""
    values = {"value": trim_value(value), "may_view": may_view_payload, "most": MAX_RESULTS}
    return statements.fetch_records("values_equal", values, KeyMatch)


def find_existing(values: Collection[str], *, may_view_payload: bool) -> Mapping[str, str]:
    """Return the values that a message has, each with the name of its key."""
    parameters = {"values": list(values), "may_view": may_view_payload, "most": MAX_RESULTS}
    return dict(statements.fetch_rows("values_existing", parameters))


def find_prefix(prefix: str, *, may_view_payload: bool, most: int = MAX_RESULTS) -> list[KeyMatch]:
    """Return the messages with a value that begins with a text, in the order of the values."""
    values = {
        "prefix": prefix,
        "end": prefix + _LAST_CHARACTER,
        "may_view": may_view_payload,
        "most": most,
    }
    return statements.fetch_records("values_with_prefix", values, KeyMatch)


def keys_of_message(msg_id: int, *, may_view_payload: bool) -> list[tuple[str, str]]:
    """Return the name and value of each key of a message."""
    values = {"msg_id": msg_id, "may_view": may_view_payload, "most": MAX_RESULTS}
    return [(name, value) for name, value in statements.fetch_rows("keys_of_message", values)]


def list_newest_values(*, may_view_payload: bool) -> list[NewestValue]:
    """Return the values of the newest messages that have some."""
    values = {"last": MAX_RESULTS, "may_view": may_view_payload, "most": MAX_NEWEST}
    return statements.fetch_records("newest_values", values, NewestValue)


def list_recent_operations() -> list[tuple[str, str]]:
    """Return the services and operations of the newest live messages."""
    values = {"last": _LAST_MESSAGES, "most": _MAX_OPERATIONS}
    return [(service, operation) for service, operation in statements.fetch_rows("recent_operations", values)]


def list_definitions() -> QuerySet[KeyDefinition]:
    """Return the definitions by service, operation and name."""
    return living_definitions().order_by("service_name", "operation_name", "name", "definition_id")


def living_definitions() -> QuerySet[KeyDefinition]:
    """Return the definitions that are not deleted."""
    return KeyDefinition.objects.filter(deleted_at__isnull=True)
