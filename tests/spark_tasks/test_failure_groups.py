"""Grouping history on Spark: as the pass groups new failures, and never one of them twice."""

from datetime import datetime, timedelta

import pyarrow as pa
import pytest
from django.db import connection
from django.db.models import Max, Min
from django.utils import timezone

from messages_app.jobs.connections import database_dsn
from messages_app.messages.failures.grouping import group_new_failures
from messages_app.messages.failures.models import FailureGroup, FailureMember, FailureMinute, NewFailure
from messages_app.messages.models import Message
from messages_app.shared.failure_texts import KnownFailures, failure_of
from spark_tasks.counts import one_snapshot, snapshot_parts
from spark_tasks.failure_groups import COLUMNS, count_history, group_batch, group_history
from spark_tasks.session import spark_session
from tests.support.eventually import eventually
from tests.support.factories import make_archived_message, make_message, make_messages

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(scope="module")
def spark(spark_remote):
    with spark_session(spark_remote) as session:
        yield session


def make_history(count: int) -> None:
    """Store failures of three kinds, some archived."""
    for number in range(count):
        make = make_archived_message if number % 4 == 0 else make_message
        text = ("E103: order {} timed out", "E101: no '{}'", "E103: refused")[number % 3].format(number)
        make(state="FAILED", failed_error_code=text[:4], failed_desc=f"{text}\n\tat a.B(B.java:{number})")


def groups() -> set[tuple]:
    columns = ("fingerprint", "summary", "example", "failures", "first_seen", "last_seen", "state")
    return set(FailureGroup.objects.values_list(*columns))


class TestGroupBatch:
    def test_gives_each_group_with_its_newest_example_and_each_message_with_its_group(self):
        timed_out, refused = ("billing", "create", "E103"), ("billing", "create", "")
        rows = [
            (1, 100, *timed_out, "\n  E103: order 7 timed out\n\tat a.B"),
            (2, 300, *timed_out, "E103: order 9 timed out"),
            (3, 250, *refused, ""),
            (4, 200, *timed_out, "E103: order 8 timed out"),
        ]
        names = ["msg_id", "second", "service_name", "operation_name", "failed_error_code", "text"]
        batch = pa.RecordBatch.from_pylist([dict(zip(names, row, strict=True)) for row in rows])

        groups, members = group_batch(batch, KnownFailures())

        found = {
            (row["summaries"], row["examples"], row["failures"], row["firsts"], row["lasts"])
            for row in groups.to_pylist()
        }
        assert found == {
            ("E103: order … timed out", "E103: order 9 timed out", 3, 100, 300),
            ("", "", 1, 250, 250),
        }
        kinds = groups["codes"].to_pylist()
        of_messages = {row["msg_id"]: (row["second"], kinds[row["number"]]) for row in members.to_pylist()}
        assert of_messages == {1: (100, "E103"), 2: (300, "E103"), 3: (250, ""), 4: (200, "E103")}


class TestReads:
    def test_use_the_index_of_a_table_that_is_empty_because_it_can_be_filled_meanwhile(self):
        make_messages(3_000)
        Message.objects.update(state="FAILED")
        NewFailure.objects.all().delete()
        with connection.cursor() as cursor:
            cursor.execute("ANALYZE message, failure_member")
        ids = Message.objects.aggregate(Min("pk"), Max("pk")).values()
        searched, scanned = scans()
        with one_snapshot(database_dsn(), "hubconsole failure_group") as (_, snapshot):
            (part,) = snapshot_parts(database_dsn(), snapshot, "failed_messages", list(ids), COLUMNS)
            (batch,) = part()
        assert batch.num_rows == 3_000
        eventually(lambda: scans()[0] > searched)
        assert scans()[1] == scanned

    def test_give_the_part_of_an_error_that_names_its_cause(self):
        frames = "\n\tat a.B.c(B.java:3)" * 100
        texts = {
            "E103: refused" + frames: "E103: refused" + frames[:400],
            "refused": "refused",
            None: "",
            f"E100: failed{frames}\nCaused by: a.C: refused{frames}": "E100: failed\nCaused by: a.C: refused"
            + frames[:400],
            "x" * 2100: "x" * 2000,
        }
        ids = [make_message(state="FAILED", failed_desc=text).pk for text in texts]
        NewFailure.objects.all().delete()
        with one_snapshot(database_dsn(), "hubconsole failure_group") as (_, snapshot):
            (part,) = snapshot_parts(database_dsn(), snapshot, "failed_messages", [ids[0], ids[-1]], COLUMNS)
            (batch,) = part()
        assert dict(zip(batch["msg_id"].to_pylist(), batch["text"].to_pylist(), strict=True)) == dict(
            zip(ids, texts.values(), strict=True)
        )


def scans() -> tuple[int, int]:
    """Return how often the table of grouped failures was read by an index, and completely."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_stat_force_next_flush()")  # what this session read before
        cursor.execute(
            "SELECT idx_scan, seq_scan FROM pg_stat_user_tables"
            " WHERE schemaname = current_schema() AND relname = 'failure_member'"
        )
        return cursor.fetchone()


class TestGroupHistory:
    def test_groups_like_the_pass(self, spark):
        make_history(30)
        make_message(state="OK", failed_desc="E103: went well in the end")
        group_new_failures()  # of the live ones, as they came
        NewFailure.objects.all().delete()
        assert group_history(spark, dsn=database_dsn()) == 8
        assert {failures for _, _, _, failures, *_ in groups()} == {10}
        assert FailureMember.objects.count() == 30
        assert sum(FailureMinute.objects.values_list("failures", flat=True)) == 30

    def test_adds_to_a_group_that_exists_its_earlier_failures_with_their_times(self, spark):
        hour = timezone.now().replace(minute=0, second=0, microsecond=0) - timedelta(days=3)
        failed = [
            (make_message, 130, "E103: order 1 timed out"),
            (make_archived_message, 5, "E103: order 2 timed out"),
            (make_archived_message, 59, "E103: order 3 timed out"),
            (make_message, 70, "E103: refused"),
            (make_archived_message, 61, "E103: refused"),
        ]
        for number, (make, minute, text) in enumerate(failed, start=1):
            at = hour + timedelta(minutes=minute)
            columns = {"failed_desc": text, "failed_error_code": "E103", "last_process_timestamp": at}
            make(msg_id=number, state="FAILED", **columns)
        NewFailure.objects.exclude(msg_id=1).delete()
        group_new_failures()
        assert FailureGroup.objects.count() == 1
        assert count_history(spark, dsn=database_dsn()) == 4

        assert group_history(spark, dsn=database_dsn()) == 4

        def at(minute: int) -> datetime:
            return hour + timedelta(minutes=minute)

        columns = ("summary", "example", "failures", "first_seen", "last_seen", "state")
        assert list(FailureGroup.objects.order_by("pk").values_list(*columns)) == [
            ("E103: order … timed out", "E103: order 1 timed out", 3, at(5), at(130), "new"),
            ("E103: refused", "E103: refused", 2, at(61), at(70), "new"),
        ]
        timed_out, refused = FailureGroup.objects.order_by("pk").values_list("pk", flat=True)
        members = FailureMember.objects.order_by("msg_id").values_list("msg_id", "group_id", "at")
        assert list(members) == [
            (1, timed_out, at(130)),
            (2, timed_out, at(5)),
            (3, timed_out, at(59)),
            (4, refused, at(70)),
            (5, refused, at(61)),
        ]
        minutes = FailureMinute.objects.order_by("group_id", "minute")
        assert list(minutes.values_list("group_id", "minute", "failures")) == [
            (timed_out, at(0), 2),
            (timed_out, at(120), 1),
            (refused, at(60), 2),
        ]

    @pytest.mark.slow
    def test_finds_the_groups_that_the_pass_would(self, spark):
        make_message(
            state="FAILED", failed_desc="E103: order 7 timed out\n\tat a.B", failed_error_code="E103"
        )
        waiting = NewFailure.objects.values_list(
            "service_name", "operation_name", "failed_error_code", "text"
        ).get()
        NewFailure.objects.all().delete()  # as of a hub that failed before the console came
        group_history(spark, dsn=database_dsn())
        assert FailureGroup.objects.get().fingerprint == failure_of(*waiting).fingerprint

    @pytest.mark.slow
    def test_adds_nothing_the_second_time(self, spark):
        make_history(8)
        NewFailure.objects.all().delete()
        assert group_history(spark, dsn=database_dsn()) == 8
        before = groups()
        assert (group_history(spark, dsn=database_dsn()), groups()) == (0, before)

    def test_leaves_new_failures_to_the_pass(self, spark):
        make_message(state="FAILED", failed_desc="E103: refused")
        assert group_history(spark, dsn=database_dsn()) == 0
        assert group_new_failures() == 1
