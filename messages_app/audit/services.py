"""The only way to write an audit entry: in the transaction of the change that it records."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Required, TypedDict, Unpack

from messages_app.audit.models import AuditEntry


@dataclass(frozen=True, kw_only=True)
class Actor:
    """
    The author of an action, as the interface identified them.

    Args:
        username: the name of the user, or "system" for the console itself.
        user_id: the id of the user; None: the actor is not a user.
        token_name: the name of the API token; empty for a session or the command line.
        address: the IP address of the peer, or None.
        request_id: the id of the HTTP request, or empty.
    """

    username: str
    user_id: int | None = None
    token_name: str = ""
    address: str | None = None
    request_id: str = ""


SYSTEM = Actor(username="system")


class Columns(TypedDict, total=False):
    """
    Columns of an entry.

    Args:
        subject_kind: the kind of another target than a message or job, from audit/subjects.py.
    """

    action: Required[str]
    msg_id: int | None
    job_id: int | None
    subject_kind: str
    before_state: str
    after_state: str
    reason: str


def record_entry(
    *,
    actor: Actor,
    outcome: AuditEntry.Outcome = AuditEntry.Outcome.DONE,
    subject: int | str = "",
    details: Mapping[str, object] | None = None,
    **columns: Unpack[Columns],
) -> AuditEntry:
    """
    Write one entry in the caller's transaction, so that the change and the entry are committed together.

    Args:
        subject: the key within the kind of subject.
    """
    return AuditEntry.objects.create(
        actor=actor.username,
        actor_id=actor.user_id,
        token_name=actor.token_name,
        address=actor.address,
        request_id=actor.request_id,
        outcome=outcome,
        subject=str(subject),
        details=details or {},
        **columns,
    )
