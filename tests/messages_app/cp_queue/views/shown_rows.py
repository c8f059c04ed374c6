"""Rows of the CP queue with values that all differ, and the lines of its pages."""

from datetime import UTC, datetime, timedelta

from messages_app.cp_queue.models import CpDispatch
from messages_app.cp_queue.selectors import QueueCounts, ServiceState
from messages_app.cp_queue.views import PAGES
from tests.support.page_outlines import outline_of, show_block

NOON = datetime(2026, 11, 2, 12, 0, tzinfo=UTC)


def moment(minute: int) -> datetime:
    return NOON + timedelta(minutes=minute)


def show(name: str, /, *, block: str = "cp_content", **values: object) -> list[str]:
    """Return the lines of a page, as operators see it."""
    return outline_of(markup_of(name, block=block, **values))


def markup_of(name: str, /, *, block: str = "cp_content", **values: object) -> str:
    context = {**PAGES.shared, "counted": 1_000, "may_steer": True, "home": "/cp-queue/"}
    return show_block(f"messages_app/cp_queue/{name}.html", block=block, **context | values)


def counts(number: int, **columns: object) -> QueueCounts:
    values = {
        "name": f"Q{number}",
        "is_known": True,
        "total": number + 1,
        "free": number + 2 + 24,
        "reserved": number + 3,
        "deferred": 11,
        "parked": 13,
        "objects": number + 4,
        "surplus": number + 5,
        "oldest_created": moment(number),
        "newest_created": moment(-number),
        "oldest_age": 60.0,
        "is_from_future": False,
        "per_minute": number + 0.5,
        "retried": number + 6,
        "failed": number + 7,
        "lost": number + 8,
        "is_exact": True,
        "paused_at": None,
    }
    return QueueCounts(**values | columns)


def service(number: int, **columns: object) -> ServiceState:
    values = {
        "service": f"W{number}",
        "first_poll": moment(-number),
        "last_poll": moment(number),
        "queues": f"Q{number},RENDITION",
        "reserved": number + 1,
        "since_unknown": number + 2,
        "longest_since": moment(-number),
        "longest_seconds": 90.0,
        "is_probably_dead": False,
        "lost": number + 3,
    }
    return ServiceState(**values | columns)


def dispatch(number: int, **columns: object) -> CpDispatch:
    values = {
        "dispatch_id": number,
        "at": moment(number + 4),
        "messageguid": f"{number}ABCDEFGH",
        "queuename": f"Q{number}",
        "osid": number + 500,
        "ostype": 65_537,
        "created": moment(number),
        "service": f"W{number}",
        "reason": f"reason {number}",
        "outcome": "done",
        "reserved_at": moment(number + 1),
        "collapsed": number + 1_000,
        "attempts": number + 2_000,
        "actor": f"user-{number}",
    }
    return CpDispatch(**values | columns)
