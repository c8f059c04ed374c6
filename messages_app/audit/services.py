"""The one way an audit entry is written: in the transaction of the change that it names."""

from collections.abc import Mapping
from dataclasses import dataclass

from messages_app.audit.models import AuditEntry


@dataclass(frozen=True, kw_only=True)
class Actor:
    """
    Who acts, as the interface saw them.

    Args:
        username: the user's name, or "system" for the console's own work.
        token_name: the API token's name, empty for a session or the command line.
        address: the peer's IP address, None where there is none.
        request_id: the id of the HTTP request, empty where there is none.
    """

    username: str
    token_name: str = ""
    address: str | None = None
    request_id: str = ""


SYSTEM = Actor(username="system")


def record(
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
    Write one entry, in the caller's transaction: neither it nor the change is there without the other.

    Args:
        subject_kind: what else than a message or a job it is about, a kind of audit/views.py.
        subject: the key within that kind.
    """
    return AuditEntry.objects.create(
        actor=actor.username,
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
