from datetime import timedelta

import pytest
from django.db import connection

from messages_app.first_page.tiles import WINDOWS, tiles
from messages_app.jobs.models import Job
from messages_app.messages.failing.joining import join
from messages_app.messages.models import Message
from messages_app.messages.rollups.folding import fold
from messages_app.web.clock import database_clock
from tests.factories import make_message
from tests.plans import reads_of

pytestmark = pytest.mark.django_db


def content(name: str) -> dict:
    fold()
    (tile,) = (tile for tile in tiles() if tile.name == name)
    assert tile.fault == ""
    return tile.content


def ago(**span: int):
    return database_clock() - timedelta(**span)


class TestTiles:
    def test_tell_what_fails_now_and_whether_it_grows(self):
        for minutes in (5, 10, 70):
            make_message(state="FAILED", receive_timestamp=ago(minutes=minutes))
        make_message(state="PARTLY_FAILED", receive_timestamp=ago(minutes=5))
        found = content("failing")
        assert (found["count"], found["by_state"]) == (4, {"FAILED": 3, "PARTLY_FAILED": 1})
        assert (found["last_hour"], found["hour_before"]) == (2, 1)

    def test_tell_what_waits_too_long(self):
        make_message(state="PROCESSING", last_process_timestamp=ago(minutes=20))
        make_message(state="PROCESSING", last_process_timestamp=ago(minutes=2))
        assert content("waiting")["count"] == 1

    def test_tell_the_oldest_that_is_not_through(self):
        assert content("oldest")["seconds"] is None
        make_message(state="POSTPONED", receive_timestamp=ago(minutes=30))
        make_message(state="FAILED", receive_timestamp=ago(hours=5))
        found = content("oldest")
        assert found["state"] == "POSTPONED"
        assert 1800 <= found["seconds"] < 1900

    def test_tell_the_throughput(self):
        for _ in range(6):
            make_message(state="OK", receive_timestamp=ago(minutes=5))
        assert content("throughput") == {"per_minute": 0.1, "per_minute_before": 0}

    def test_mark_jobs_in_the_flow(self):
        make_message(state="OK", receive_timestamp=ago(minutes=5))
        job = Job.objects.create(kind="restart", created_by="ana", reason="x", started_at=ago(minutes=3))
        found = content("flow")
        assert [one["count"] for one in found["slices"]] == [1]
        assert [one["job_id"] for one in found["jobs"]] == [job.pk]

    def test_show_groups_and_services(self):
        make_message(state="FAILED", failed_error_code="E103", receive_timestamp=ago(minutes=5))
        join()
        (group,) = content("groups")["groups"]
        assert (group["failed_error_code"], group["hour"], group["state"]) == ("E103", 1, "new")
        (service,) = content("services")["services"]
        assert (service["service_name"], service["failure_rate"]) == ("billing", 1)

    def test_fail_alone(self):
        with connection.cursor() as cursor:
            cursor.execute("ALTER TABLE failure_minute RENAME TO gone")
        found = {tile.name: tile.fault for tile in tiles()}
        assert found.pop("groups") == "This could not be read in time."
        assert set(found.values()) == {""}

    @pytest.mark.parametrize("window", WINDOWS)
    def test_read_no_table_of_the_hub(self, window):
        make_message(state="FAILED")
        fold()
        sent = []
        with connection.execute_wrapper(reads_of(sent)):
            assert [tile.fault for tile in tiles(window) if tile.fault] == []
        tables = ("FROM message\n", 'FROM "message"', "message_event", "external_call ")
        assert not [sql for sql, _ in sent if any(table in sql for table in tables)]

    def test_show_an_outage_after_it_was_repaired(self):
        message = make_message(state="PROCESSING")
        Message.objects.filter(pk=message.pk).update(state="FAILED")
        Message.objects.filter(pk=message.pk).update(state="OK")
        assert content("failing")["count"] == 0
        assert content("failing")["last_hour"] == 1
