"""Groups of failures with numbers and times that all differ."""

from datetime import UTC, datetime, timedelta

from messages_app.messages.failures.listing import GroupLine, Windows
from messages_app.messages.failures.models import ErrorCode, FailureGroup
from messages_app.messages.metrics.failing import FailingNow

RESTART = "/jobs/new/?kind=restart&state=FAILED&failure_group=40&canary=20"
FAILED = "/messages/?state=FAILED&failure_group=40"
SNOOZED, NEW = "Snoozed since", "New since"
NOON = datetime(2026, 11, 2, 12, 0, tzinfo=UTC)
KNOWN = ErrorCode(code="E103", description="The target is slow", action="Wait")
FAILING = FailingNow(count=1_201, as_of=None, groups={}, kinds={}, ungrouped=1_202, is_by_group=True)


def moment(minute: int) -> datetime:
    return NOON + timedelta(minutes=minute)


def group(group_id: int, **columns: object) -> FailureGroup:
    values = {
        "service_name": f"service-{group_id}",
        "operation_name": f"operation-{group_id}",
        "failed_error_code": "E103",
        "summary": "timed out",
        "example": "E103: timed out after 7 s",
        "failures": group_id + 1_000,
        "first_seen": moment(-group_id),
        "last_seen": moment(group_id),
        "state": "new",
        "state_at": moment(group_id + 1),
        "owner": f"owner-{group_id}",
        "ticket": f"T-{group_id}",
        "note": f"note {group_id}",
    }
    return FailureGroup(group_id=group_id, **values | columns)


def line(number: int, **columns: object) -> GroupLine:
    windows = Windows(hour=number + 1, hours_3=number + 2, day=number + 3, days_7=number + 4)
    values = {"group": group(number), "failing_now": number + 5, "is_exact": True, "error_code": KNOWN}
    return GroupLine(**{"windows": windows} | values | columns)
