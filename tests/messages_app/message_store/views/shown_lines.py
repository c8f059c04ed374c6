"""Messages of the store with values that all differ, and what their pages show."""

from datetime import UTC, datetime, timedelta

from django.contrib.auth.models import User

from messages_app.message_store.models import MessageLine
from tests.support.page_outlines import outline_of, show_block

NOON = datetime(2026, 11, 2, 12, 0, tzinfo=UTC)


def moment(minute: int) -> datetime:
    return NOON + timedelta(minutes=minute)


def show(name: str, *, block: str = "store_content", user: User | None = None, **values: object) -> list[str]:
    template = f"messages_app/message_store/{name}.html"
    return outline_of(show_block(template, block=block, user=user, **values))


def line(number: int, **columns: object) -> MessageLine:
    values = {
        "message_identifier": f"0193-{number}",
        "has_store": True,
        "has_process": True,
        "message_timestamp": moment(number),
        "source_system": f"system-{number}",
        "source_entity": f"entity-{number}",
        "status": 10,
        "attempts": number + 100,
    }
    return MessageLine(**values | columns)
