"""
Rows for tests: one function a table, columns by name, ids from the hub's own sequence.

`make_message(state="FAILED")` stores a believable message with that state; every other column has a default.
"""

from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from functools import cache
from itertools import chain

from django.contrib.auth import get_user_model
from django.contrib.auth.hashers import get_hasher
from django.contrib.auth.models import Group
from django.db import connection

from messages_app.messages.hub_columns import MessageColumns
from messages_app.messages.models import (
    ArchiveMessage,
    ExternalCall,
    Funnel,
    Message,
    Request,
    Response,
)
from messages_app.shared.message_states import ExternalCallState, MessageState

NOON = datetime(2026, 11, 1, 12, 0, tzinfo=UTC)
PAYLOAD = '<order xmlns="urn:test"><id>7</id><customer>Ada Lovelace</customer></order>'
PASSWORD = "a long test password"


def next_id() -> int:
    """Return a fresh id from the sequence that all hub tables share."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT nextval('hibernate_sequence')")
        return cursor.fetchone()[0]


def message_columns(msg_id: int, **columns: object) -> dict[str, object]:
    """Return the columns of a message: the defaults of these tests under what `columns` names."""
    received = columns.get("receive_timestamp", NOON + timedelta(seconds=msg_id % 10**9))
    return {
        "msg_id": msg_id,
        "correlation_id": f"corr-{msg_id}",
        "msg_timestamp": received,
        "receive_timestamp": received,
        "service_name": "billing",
        "source_system": "CRM",
        "state": MessageState.NEW,
        "operation_name": "createInvoice",
        "payload": PAYLOAD,
        "envelope": f"<envelope>{PAYLOAD}</envelope>",
    } | columns


def _make(model: type[MessageColumns], columns: dict[str, object]) -> MessageColumns:
    msg_id = columns.pop("msg_id") if "msg_id" in columns else next_id()
    row = model.objects.create(**message_columns(msg_id, **columns))
    row.refresh_from_db()
    return row


def make_message(**columns: object) -> Message:
    return _make(Message, columns)


def store_messages(rows: Iterable[dict[str, object]]) -> None:
    """Store very many messages of `message_columns` in one statement, all with the same columns."""
    rows = iter(rows)
    first = next(rows)
    with (
        connection.cursor() as cursor,
        cursor.copy(f"COPY message ({', '.join(first)}) FROM STDIN") as copying,
    ):
        for row in chain([first], rows):
            copying.write_row([str(value) if isinstance(value, str) else value for value in row.values()])


def make_messages(count: int, *, first: datetime = NOON, step: timedelta = timedelta(seconds=1)) -> None:
    """Store many messages in one step, OK and received a step apart, and let the planner see them."""
    with connection.cursor() as cursor:
        cursor.execute(_MANY, [first, step, MessageState.OK, count])
        cursor.execute("ANALYZE message")


_MANY = """
INSERT INTO message (msg_id, correlation_id, msg_timestamp, receive_timestamp, service_name, source_system,
                     state, operation_name, payload)
SELECT id, 'corr-' || id, at, at, 'billing', 'CRM', state, 'createInvoice', '<a/>'
  FROM (SELECT nextval('hibernate_sequence') AS id, %s::timestamptz + n * %s::interval AS at, %s AS state
          FROM generate_series(0, %s - 1) AS n) AS numbered
"""


def make_archived_message(**columns: object) -> ArchiveMessage:
    return _make(ArchiveMessage, {"state": MessageState.OK} | columns)


def make_external_call(message: Message, **columns: object) -> ExternalCall:
    call_id = next_id()
    defaults = {
        "msg_id": message.msg_id,
        "operation_name": "direct:billing",
        "state": ExternalCallState.OK,
        "entity_id": f"entity-{call_id}",
        "msg_timestamp": message.msg_timestamp,
        "creation_timestamp": message.receive_timestamp,
        "last_update_timestamp": message.receive_timestamp,
    }
    return ExternalCall.objects.create(call_id=call_id, **defaults | columns)


def make_request(message: Message | None, **columns: object) -> Request:
    """Store a request; without a message it is a synchronous exchange's."""
    req_id = next_id()
    defaults = {
        "msg_id": message.msg_id if message else None,
        "res_join_id": f"join-{req_id}",
        "uri": "http://billing.example/ws",
        "req_envelope": PAYLOAD,
        "req_timestamp": message.receive_timestamp if message else NOON,
    }
    return Request.objects.create(req_id=req_id, **defaults | columns)


def make_response(request: Request | None, **columns: object) -> Response:
    """Store a response; without a request it is one that could not be paired."""
    defaults = {
        "req_id": request.req_id if request else None,
        "res_envelope": PAYLOAD,
        "res_timestamp": (request.req_timestamp if request else NOON) + timedelta(milliseconds=80),
        "msg_id": request.msg_id if request else None,
    }
    return Response.objects.create(res_id=next_id(), **defaults | columns)


def make_funnel(message: Message, *, funnel_value: str) -> Funnel:
    return Funnel.objects.create(funnel_id=next_id(), msg_id=message.msg_id, funnel_value=funnel_value)


@cache
def _hashed_password(algorithm: str) -> str:
    """Hash PASSWORD once a run: it is slow on purpose."""
    hasher = get_hasher(algorithm)
    return hasher.encode(PASSWORD, hasher.salt())


def make_user(*roles: str, username: str = "ada", **columns: object) -> object:
    """Store a user who has the roles named (messages_app/access/roles.py), with PASSWORD."""
    password = _hashed_password(get_hasher().algorithm)
    user = get_user_model().objects.create(username=username, password=password, **columns)
    user.groups.set(Group.objects.filter(name__in=roles))
    return user
