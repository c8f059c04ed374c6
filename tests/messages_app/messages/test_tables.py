import pytest
from django.db import connection

from messages_app.messages.archive_totals import archive_totals
from messages_app.messages.models import ArchiveMessage, Message
from messages_app.messages.parquet_archive.models import ColdFile
from messages_app.messages.tables import (
    ARCHIVE,
    LIVE,
    MessageNotFound,
    first_found,
    locate_all,
    locate_message,
)
from tests.support.factories import make_archived_message, make_message
from tests.support.views import put_behind_views

pytestmark = pytest.mark.django_db


class TestFirstFound:
    def test_looks_in_the_live_tables_again_after_the_files(self):
        asked = []

        def read(tables):
            asked.append("live" if tables is LIVE else "archive" if tables is ARCHIVE else "other")
            return "found" if len(asked) == 4 else None

        assert first_found(read, lambda: asked.append("file")) == "found"
        assert asked == ["live", "archive", "file", "live"]

    def test_stops_at_the_first_place(self):
        assert first_found(lambda tables: "live" if tables is LIVE else "archive", lambda: "file") == "live"


class TestLocate:
    def test_returns_whether_a_message_is_archived(self):
        live, archived = make_message(), make_archived_message()
        assert locate_message(live.pk, lambda rows: rows.only("state")) == (live, False)
        assert locate_message(archived.pk, lambda rows: rows.only("state")) == (archived, True)

    def test_rejects_unknown_ids(self):
        with pytest.raises(MessageNotFound, match="No message has the id 999999"):
            locate_message(999_999, lambda rows: rows)


class TestLocateAll:
    def test_finds_live_and_archived_messages_and_leaves_out_unknown_ids(self):
        live, archived = make_message(), make_archived_message()
        found = locate_all([archived.pk, 999_999, live.pk], lambda rows: rows)
        assert {key: type(row) for key, row in found.items()} == {
            live.pk: Message,
            archived.pk: ArchiveMessage,
        }

    def test_prefers_the_live_message(self):
        live = make_message(state="OK")
        make_archived_message(msg_id=live.pk, state="FAILED")
        assert locate_all([live.pk], lambda rows: rows)[live.pk].state == "OK"

    def test_queries_no_further_table_after_a_match(self, django_assert_num_queries):
        ids = [make_message().pk, make_message().pk]
        with django_assert_num_queries(1):
            locate_all(ids, lambda rows: rows)


class TestArchiveTotals:
    def test_counts_the_tables_behind_views(self):
        make_archived_message()
        with connection.cursor() as cursor:
            cursor.execute("ANALYZE archive_message; ANALYZE archive_request")
        found = [total for total in archive_totals() if "message" in total.table or "request" in total.table]
        put_behind_views("archive_message", "archive_request")
        assert found[0].rows == 1
        assert archive_totals()[0] == found[0]
        assert found[1] in archive_totals()

    def test_names_the_table_whose_size_is_added_to_that_of_the_files(self):
        assert not [total for total in archive_totals() if "Parquet" in total.table]
        ColdFile.objects.create(
            part_id=1, table_name="message", path="p", rows=5, first_id=1, last_id=5, bytes=9_000, sha256="s"
        )
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_total_relation_size('cold_message')")
            (size,) = cursor.fetchone()
        total = archive_totals()[-1]
        assert (total.table, total.stored_bytes) == ("Parquet files, with cold_message", 9_000 + size)
