"""On a hub without the console's indexes, the search names the ids that it could not look up in time."""

from collections.abc import Iterator

import pytest
from django.db import OperationalError, connection

from messages_app.core.search_results import Kind
from messages_app.messages.attachment import missing_indexes
from messages_app.messages.id_lookup import look_up
from tests.support.attached import AttachedHub, attached_hub, locked


@pytest.fixture
def hub(django_db_setup, django_db_blocker) -> Iterator[AttachedHub]:
    with django_db_blocker.unblock(), attached_hub("CleverBus 1.1") as attached:
        yield attached


class TestLookUp:
    def test_finds_the_rest_and_names_what_it_did_not_read(self, hub: AttachedHub):
        with locked(f"{hub.place}.external_call"), locked("archive_external_call"):
            *others, unread = look_up("7")
        assert [(kind.title, [hit.name for hit in kind.hits]) for kind in others][:1] == [
            ("Message id", ["7"])
        ]
        ids = ("External call id", "External call id in the archive")
        title = f"Not searched: {', '.join(ids)}, Entity id of an external call in the archive"
        assert unread == Kind(title=title, name="unread", hits=[], note=missing_indexes())
        assert unread.note.startswith("The tables of the hub lack the console's indexes")

    def test_reports_any_other_error(self, hub: AttachedHub):
        with connection.cursor() as cursor:
            cursor.execute("SET lock_timeout = '50ms'")
        with locked("archive_message"), pytest.raises(OperationalError, match="lock timeout"):
            [*look_up("7")]
