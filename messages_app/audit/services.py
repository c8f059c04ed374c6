"""The only way to write an audit entry: in the transaction of the change that it records."""

from collections.abc import Mapping
from dataclasses import dataclass

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


def record_entry(
    *,
    actor: Actor,
    action: str,
    outcome: AuditEntry.Outcome = AuditEntry.Outcome.DONE,
    msg_id: int | None = None,
    job_id: int | None = None,
    subject_kind: str = "",
    subject: int | str = "",
    before_state: str = "",
    after_state: str = "",
    reason: str = "",
    details: Mapping[str, object] | None = None,
) -> AuditEntry:
    """
    Write one entry in the caller's transaction, so that the change and the entry are committed together.

    Args:
        subject_kind: the kind of another target than a message or job, from audit/views.py.
        subject: the key within that kind.
    """
    return AuditEntry.objects.create(
        actor=actor.username,
        actor_id=actor.user_id,
        token_name=actor.token_name,
        address=actor.address,
        request_id=actor.request_id,
        action=action,
        outcome=outcome,
        msg_id=msg_id,
        job_id=job_id,
        subject_kind=subject_kind,
        subject=str(subject),
        before_state=before_state,
        after_state=after_state,
        reason=reason,
        details=details or {},
    )
