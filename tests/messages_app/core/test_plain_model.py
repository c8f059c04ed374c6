from datetime import UTC, datetime

from messages_app.message_store.models import MessageHistory, MessageProcess

NOON = datetime(2026, 11, 21, 12, tzinfo=UTC)


class TestRows:
    def test_are_named_by_their_keys(self):
        assert str(MessageProcess(message_identifier="m-1", status=10)) == "m-1"

    def test_with_several_key_columns_are_named_by_all_of_them(self):
        row = MessageHistory(message_identifier="m-1", processed_timestamp=NOON)
        assert str(row) == "m-1 2026-11-21 12:00:00+00:00"

    def test_have_no_permissions(self):
        assert MessageProcess._meta.default_permissions == ()
