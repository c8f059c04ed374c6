"""The lines of the pages of the document history."""

from datetime import UTC, datetime, timedelta

from messages_app.document_history.models import DocumentTrigger
from messages_app.document_history.views import PAGES
from tests.support.page_outlines import outline_of, show_block

NOON = datetime(2026, 11, 2, 12, 0, tzinfo=UTC)


def moment(minute: int) -> datetime:
    return NOON + timedelta(minutes=minute)


def show(name: str, /, *, block: str = "document_content", **values: object) -> list[str]:
    """Return the lines of a page, as administrators see it."""
    context = {**PAGES.shared, "counted": 1_000, "may_change": True, "may_resolve": True, "may_sweep": True}
    return outline_of(
        show_block(f"messages_app/document_history/{name}.html", block=block, **context | values)
    )


def trigger(number: int, **columns: object) -> DocumentTrigger:
    values = {"name": f"trigger {number}", "history_ttl_seconds": 60 * number, "created_at": moment(number)}
    return DocumentTrigger(trigger_id=f"t-{number}", **values | columns)
