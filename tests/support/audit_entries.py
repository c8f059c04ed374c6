"""The audit log in tests: entries as whole rows, so that no column of one goes unread."""

from messages_app.audit.models import AuditEntry
from messages_app.audit.services import Actor

# Each value differs from all others.
GRACE = Actor(
    username="grace", user_id=71, token_name="nightly", address="192.0.2.7", request_id="request-of-grace"
)
_COLUMNS = (
    "actor",
    "actor_id",
    "token_name",
    "address",
    "request_id",
    "action",
    "outcome",
    "msg_id",
    "job_id",
    "subject_kind",
    "subject",
    "before_state",
    "after_state",
    "reason",
    "details",
)
_BY_GRACE: dict[str, object] = {
    "actor": "grace",
    "actor_id": 71,
    "token_name": "nightly",
    "address": "192.0.2.7",
    "request_id": "request-of-grace",
    "outcome": "done",
    "msg_id": None,
    "job_id": None,
    "subject_kind": "",
    "subject": "",
    "before_state": "",
    "after_state": "",
    "reason": "",
    "details": {},
}


def by_grace(action: str, **columns: object) -> dict[str, object]:
    """Return the whole row of an action of GRACE; columns that are not named are empty."""
    return _BY_GRACE | {"action": action} | columns


def by_system(action: str, **columns: object) -> dict[str, object]:
    """Return the whole row of an action of the console itself."""
    nobody = {"actor": "system", "actor_id": None, "token_name": "", "address": None, "request_id": ""}
    return _BY_GRACE | nobody | {"action": action} | columns


def audit_rows(*actions: str) -> list[dict[str, object]]:
    """Return the entries of these actions, or all, in the order in which they were written."""
    entries = AuditEntry.objects.order_by("entry_id")
    if actions:
        entries = entries.filter(action__in=actions)
    return list(entries.values(*_COLUMNS))
