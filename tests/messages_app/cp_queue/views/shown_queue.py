"""The lines of the pages of the CP queue."""

from datetime import UTC, datetime, timedelta

from messages_app.cp_queue.models import CpDispatch
from messages_app.cp_queue.selectors import ServiceState
from messages_app.cp_queue.views import PAGES
from tests.support.page_outlines import outline_of, show_block

NOON = datetime(2026, 11, 2, 12, 0, tzinfo=UTC)


def moment(minute: int) -> datetime:
    return NOON + timedelta(minutes=minute)


def markup_of(name: str, /, **values: object) -> str:
    """Return the content of a page, as operators see it."""
    context = {**PAGES.shared, "counted": 1_000, "may_steer": True, "home": "/cp-queue/"}
    return show_block(f"messages_app/cp_queue/{name}.html", block="cp_content", **context | values)


def show(name: str, /, **values: object) -> list[str]:
    """Return the lines of a page, as operators see it."""
    return outline_of(markup_of(name, **values))


def guid(number: int) -> str:
    return f"{number:08d}{'AB' * 12}"


def service(number: int, **columns: object) -> ServiceState:
    values = {
        "service": f"w-{number}",
        "first_poll": moment(-number),
        "last_poll": moment(number),
        "queues": f"Q{number},R{number}",
        "reserved": 1_000 + number,
        "since_unknown": 2_000 + number,
        "longest_since": moment(100 + number),
        "longest_seconds": 60.0 * number,
        "is_probably_dead": False,
        "lost": 3_000 + number,
    }
    return ServiceState(**values | columns)


def dispatch(number: int, **columns: object) -> CpDispatch:
    values = {
        "at": moment(number),
        "messageguid": guid(number),
        "queuename": f"Q{number}",
        "osid": 50 + number,
        "service": f"w-{number}",
        "outcome": "done",
        "reason": f"reason {number}",
        "attempts": 1_000 + number,
        "actor": f"user {number}",
        "reserved_at": moment(-number),
        "collapsed": 2_000 + number,
    }
    return CpDispatch(**values | columns)
