from datetime import timedelta

import pytest
from django.core.cache import cache
from django.db import connection
from django.test.utils import CaptureQueriesContext

from messages_app.core.clock import database_clock
from messages_app.dashboard import tiles as tiles_module
from messages_app.dashboard.snapshot import WINDOWS, Snapshot
from messages_app.dashboard.tiles import read_tiles
from messages_app.jobs.models import Job
from messages_app.messages.failures.grouping import group_new_failures
from messages_app.messages.metrics.models import MessageGauge
from messages_app.messages.metrics.passes import fold_changes
from messages_app.messages.models import Message
from tests.support.factories import make_funnel, make_message, make_request, make_response, make_user
from tests.support.histories import make_trigger, store_entry
from tests.support.plans import reads_of
from tests.support.queues import store as store_cp
from tests.support.stores import define
from tests.support.stores import store as store_one

pytestmark = pytest.mark.django_db


def content(name: str) -> dict:
    """Return the content of a tile, read again: a tile that was slow to read would be kept."""
    cache.clear()
    return shown(name)


def shown(name: str) -> dict:
    fold_changes()
    (tile,) = (tile for tile in read_tiles() if tile.name == name)
    assert tile.fault == ""
    return tile.content


def ago(**span: int):
    return database_clock() - timedelta(**span)


class TestTiles:
    def test_show_current_failures_and_their_trend(self):
        for minutes in (5, 10, 70):
            make_message(state="FAILED", receive_timestamp=ago(minutes=minutes))
        make_message(state="PARTLY_FAILED", receive_timestamp=ago(minutes=5))
        found = content("failing")
        assert (found["failing_now"], found["retrying"], found["as_of"]) == (3, 1, None)
        assert (found["last_hour"], found["hour_before"]) == (2, 1)

    def test_show_messages_that_wait_too_long(self):
        make_message(state="PROCESSING", last_process_timestamp=ago(minutes=20))
        make_message(state="PROCESSING", last_process_timestamp=ago(minutes=2))
        assert content("waiting")["count"] == 1

    def test_report_the_oldest_message_that_is_not_completed(self):
        assert content("oldest")["seconds"] is None
        make_message(state="POSTPONED", receive_timestamp=ago(minutes=30))
        make_message(state="FAILED", receive_timestamp=ago(hours=5))
        found = content("oldest")
        assert found["state"] == "POSTPONED"
        assert 1800 <= found["seconds"] < 1900

    def test_show_the_values_of_an_hour_ago(self):
        assert content("failing")["hour_ago"] is None
        at = ago(minutes=62)
        long_ago = at - timedelta(minutes=30)
        for state, messages, long in (("", 0, 0), ("FAILED", 7, 7), ("PROCESSING", 4, 2), ("OK", 9, 9)):
            since = long_ago if messages else None
            MessageGauge.objects.create(minute=at, state=state, messages=messages, long=long, since=since)
        assert (content("failing")["hour_ago"], content("waiting")["hour_ago"]) == (7, 2)
        assert 1900 <= content("oldest")["seconds_hour_ago"] < 2000

    def test_report_the_throughput(self):
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
        group_new_failures()
        (group,) = content("groups")["groups"]
        assert (group["failed_error_code"], group["hour"], group["state"]) == ("E103", 1, "new")
        (service,) = content("services")["services"]
        assert (service["service_name"], service["failure_rate"]) == ("billing", 1)

    def test_fail_independently(self):
        with connection.cursor() as cursor:
            cursor.execute("ALTER TABLE failure_minute RENAME TO gone")
        found = {tile.name: tile.fault for tile in read_tiles()}
        assert found.pop("groups") == "This could not be read in time."
        assert set(found.values()) == {""}
        with connection.cursor() as cursor:
            cursor.execute("SHOW statement_timeout")
            assert cursor.fetchone() == ("0",)

    def test_have_no_savepoints_of_their_own(self):
        with CaptureQueriesContext(connection) as queries:
            list(read_tiles())
        # That of the test's transaction.
        assert sum(query["sql"].startswith("SAVEPOINT") for query in queries) == 1

    @pytest.mark.parametrize("window", WINDOWS)
    def test_read_no_table_of_the_hub(self, window):
        """
        Exceptions are bounded: failing messages are counted up to a fence, and funnels and external systems
        have no counts.
        """
        make_message(state="FAILED")
        fold_changes()
        tables = ("FROM message\n", 'FROM "message"', "message_event", "external_call\n")
        reading, sent = set(), []
        with connection.execute_wrapper(reads_of(sent)):
            for name, source in tiles_module._sources_of_tiles().items():
                source.read(Snapshot(now=database_clock(), window=window))
                if any(table in sql for sql, _ in sent for table in tables):
                    reading.add(name)
                sent.clear()
        assert reading <= {"failing", "incidents", "groups", "funnels", "systems"}

    def test_show_the_other_stores_to_users_with_permission_to_see_them(self):
        make_trigger()
        store_entry("processing", uuid="u-1", age="2 hours")
        store_cp("old", age="2 days")
        store_cp("held", osid=7, lock="W9")
        define()
        store_one()
        cp_queue, documents = content("cp_queue"), content("documents")
        assert (cp_queue["ready"], cp_queue["reserved"], cp_queue["dead_services"]) == (1, 1, ["W9"])
        assert cp_queue["queues"][0]["name"] == "RENDITION"
        assert (documents["open_doubts"], documents["oldest_undetermined"] < ago(hours=1)) == (0, True)
        assert content("store")["by_class"] == {"waiting": 1}
        assert content("archive")["last"] is None
        Job.objects.create(
            kind="archive", created_by="ana", reason="x", state="done", finished_at=ago(hours=1)
        )
        assert content("archive")["last"]["state"] == "done"
        alone = make_user(username="alone")
        assert [tile.name for tile in read_tiles(user=alone)] == []
        names = {tile.name for tile in read_tiles(user=make_user("support"))}
        assert {"failing", "cp_queue", "documents", "store", "jobs", "archive"} <= names

    def test_show_messages_that_wait_for_a_funnel_and_systems_that_answer(self):
        hour_ago = ago(hours=1)
        held = {"funnel_component_id": "f", "receive_timestamp": hour_ago}
        holder = make_message(state="PROCESSING", start_process_timestamp=ago(minutes=1), **held)
        waiter = make_message(state="POSTPONED", **held)
        for message in (holder, waiter):
            make_funnel(message, funnel_value="account-7")
        make_response(make_request(holder, uri="http://crm.example/ws"), failed=True)
        funnels, systems = content("funnels"), content("systems")
        (lane,) = funnels["lanes"]
        assert (lane["value"], lane["holders"], lane["waiting"]) == ("account-7", [holder.pk], 1)
        assert [(one["name"], one["failed"]) for one in systems["systems"]] == [("crm.example", 1)]

    def test_are_kept_for_a_moment_if_they_were_slow(self, monkeypatch):
        monkeypatch.setattr(tiles_module, "_SLOW_SECONDS", 0)
        monkeypatch.setattr(tiles_module, "_KEPT_TIMES", 1_000_000)
        assert content("failing")["failing_now"] == 0
        make_message(state="FAILED", receive_timestamp=ago(minutes=5))
        assert shown("failing")["failing_now"] == 0

    def test_are_kept_for_a_moment_if_they_failed_slowly(self, monkeypatch):
        monkeypatch.setattr(tiles_module, "_SLOW_SECONDS", 0)
        monkeypatch.setattr(tiles_module, "_KEPT_TIMES", 1_000_000)
        for table, other in (("response", "gone"), ("gone", "response")):
            with connection.cursor() as cursor:
                cursor.execute(f"ALTER TABLE {table} RENAME TO {other}")
            faults = {tile.name: tile.fault for tile in read_tiles()}
            assert faults["systems"] == "This could not be read in time."

    def test_show_an_outage_after_it_was_repaired(self):
        message = make_message(state="PROCESSING")
        Message.objects.filter(pk=message.pk).update(state="FAILED")
        Message.objects.filter(pk=message.pk).update(state="OK")
        assert content("failing")["failing_now"] == 0
        assert content("failing")["last_hour"] == 1
