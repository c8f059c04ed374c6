"""Archive tables by month: their partitioning while others use them, and months that go and come back."""

import datetime as dt
import json
from threading import Event

import psycopg
import pytest
from django.db import IntegrityError, connection, transaction

from hubconsole.checks.database import check_indexes
from messages_app.audit.grants import grant_privileges
from messages_app.audit.models import AuditEntry
from messages_app.audit.privileges import Part
from messages_app.core.lists.branches import is_few
from messages_app.core.pagination.keyset import Order
from messages_app.jobs.archive_months import services, tables
from messages_app.jobs.archive_months.tables import Month, month_after, this_month
from messages_app.jobs.connections import own_dsn
from messages_app.jobs.models import Job
from messages_app.messages.archive_totals import archive_totals
from messages_app.messages.models import ArchiveMessage, ArchiveRequest
from messages_app.messages.tables import locate_message
from spark_tasks.database import connect_to_database
from spark_tasks.moves.rows import hold_tables, switch_off_checks
from spark_tasks.tables import HUB_TABLES
from tests.support.archive_months import ADA, by_month, end_past_at, plain_archive, run
from tests.support.eventually import eventually
from tests.support.factories import make_archived_message, make_message
from tests.support.subjects import to_archive, with_traffic
from tests.support.threads import in_threads

pytestmark = pytest.mark.django_db(transaction=True)

BY_ID = Order(column="msg_id", key="msg_id", descending=True)
JANUARY_2020 = dt.date(2020, 1, 1)
WAITING = "SELECT count(*) FROM pg_locks WHERE mode = 'AccessExclusiveLock' AND NOT granted"
MAY = Month(dt.date(2020, 5, 1), dt.date(2020, 6, 1))


@pytest.fixture
def plain(transactional_db):
    """Plain archive tables, as in a database of an earlier version."""
    with plain_archive():
        yield


def place_of(msg_id: int) -> str:
    """Return the table that has the row of an archived message."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT tableoid::regclass::text FROM archive_message WHERE msg_id = %s", [msg_id])
        return cursor.fetchone()[0]


def is_archived(msg_id: int) -> bool:
    return ArchiveMessage.objects.filter(pk=msg_id).exists()


def archived_in_may() -> int:
    """Store an archived message with its rows, as if it had been archived in May 2020; return its id."""
    message = with_traffic(make_message())
    to_archive(message)
    with connection.cursor() as cursor:
        for table in HUB_TABLES:
            cursor.execute(f"UPDATE {table.archive} SET archived_at = '2020-05-31 23:59:59.9+00'")
    return message.pk


class TestPartition:
    def test_keeps_all_rows_and_stores_new_ones_in_the_same_tables(self):
        with plain_archive():
            before = make_archived_message()
            past = services.partition_archive(actor=ADA)
            after = make_archived_message()
            assert place_of(before.pk) == place_of(after.pk) == past.name_table("archive_message")
            assert past == Month(None, month_after(month_after(this_month())))
            assert locate_message(before.pk, lambda rows: rows)[0] == before
            entry = AuditEntry.objects.get()
            assert (entry.action, entry.details) == ("partition_archive", {"month": str(past)})

    def test_lets_a_quick_move_switch_checks_off_unless_a_partition_has_a_trigger(self):
        def may_switch() -> bool:
            with connect_to_database(own_dsn()) as session, session.transaction():
                return switch_off_checks(session, HUB_TABLES)

        with by_month() as past:
            assert may_switch()
            run(
                "CREATE TRIGGER extra BEFORE INSERT ON {part} FOR EACH ROW"
                " EXECUTE FUNCTION suppress_redundant_updates_trigger()",
                part=past.name_table("archive_message"),
            )
            try:
                assert not may_switch()
            finally:
                run("DROP TRIGGER extra ON {part}", part=past.name_table("archive_message"))

    @pytest.mark.parametrize(
        "change", [lambda: services.partition_archive(actor=ADA), services.partition_empty]
    )
    def test_keeps_indexes_and_grants_by_their_names(self, change):
        role = "hubconsole_tests_months"
        grants = "SELECT relacl::text, (SELECT attacl::text FROM pg_attribute WHERE attrelid = pg_class.oid"
        grants += " AND attname = 'state') FROM pg_class WHERE oid = 'archive_message'::regclass"
        with plain_archive(), connection.cursor() as cursor:
            cursor.execute(f"CREATE ROLE {role}; GRANT SELECT, DELETE ON archive_message TO {role}")
            cursor.execute(f"GRANT UPDATE (state) ON archive_message TO {role}")
            try:
                cursor.execute(grants)
                before = cursor.fetchone()
                change()
                check_indexes()
                cursor.execute(grants)
                assert cursor.fetchone() == before
                assert role in before[0]
                assert role in before[1]
            finally:
                cursor.execute(f"DROP OWNED BY {role}; DROP ROLE {role}")

    @pytest.mark.usefixtures("plain")
    def test_waits_for_another_session_without_keeping_others_out(self):
        make_archived_message()
        is_held, is_read = Event(), Event()

        def hold() -> None:
            with psycopg.connect(own_dsn()) as session:
                session.execute("SELECT msg_id FROM archive_message FOR UPDATE")
                is_held.set()
                is_read.wait(10)

        def change() -> int:
            is_held.wait(10)
            services.partition_archive(actor=ADA)
            return ArchiveMessage.objects.count()

        def read() -> int:
            with psycopg.connect(own_dsn(), autocommit=True) as session:
                eventually(lambda: session.execute(WAITING).fetchone()[0])
                session.execute("SET statement_timeout = '3s'")
                try:
                    return session.execute("SELECT count(*) FROM archive_message").fetchone()[0]
                finally:
                    is_read.set()

        assert in_threads(hold, change, read) == [None, 1, 1]

    @pytest.mark.usefixtures("plain")
    def test_refuses_tables_with_a_trigger_and_changes_nothing(self):
        run(
            "CREATE TRIGGER extra BEFORE UPDATE ON {table} FOR EACH ROW"
            " EXECUTE FUNCTION suppress_redundant_updates_trigger()",
            table="archive_request",
        )
        try:
            with pytest.raises(services.CannotChangeMonths, match=r"the trigger extra \(archive_request\)"):
                services.partition_archive(actor=ADA)
        finally:
            run("DROP TRIGGER extra ON {table}", table="archive_request")
        assert not tables.is_by_month()

    def test_refuses_twice(self):
        with pytest.raises(services.CannotChangeMonths, match="partitioned already"):
            services.partition_archive(actor=ADA)


class TestPartitionEmpty:
    def test_a_new_database_stores_rows_in_the_current_month_and_has_the_next_three(self):
        row = make_archived_message()
        assert place_of(row.pk) == f"archive_message_{this_month():%Y_%m}"
        later = [this_month()]
        while len(later) < 4:
            later.append(month_after(later[-1]))
        assert [each.month and each.month.first for each in tables.sizes_of_months()] == [*later, None]
        check_indexes()
        assert locate_message(row.pk, lambda rows: rows)[0] == row
        with connection.cursor() as cursor:
            cursor.execute("SELECT msg_id FROM archived_relative")
            assert cursor.fetchall() == [(row.pk,)]

    @pytest.mark.usefixtures("plain")
    def test_leaves_tables_that_have_or_had_rows_or_a_trigger(self):
        make_archived_message()
        assert not services.partition_empty()
        ArchiveMessage.objects.all().delete()
        assert not services.partition_empty()
        run("TRUNCATE {table}", table="archive_message")
        run(
            "CREATE TRIGGER extra BEFORE UPDATE ON {table} FOR EACH ROW"
            " EXECUTE FUNCTION suppress_redundant_updates_trigger()",
            table="archive_request",
        )
        assert not services.partition_empty()
        assert not tables.is_by_month()
        run("DROP TRIGGER extra ON {table}", table="archive_request")
        assert services.partition_empty()

    @pytest.mark.usefixtures("plain")
    def test_leaves_tables_that_another_session_reads(self):
        with psycopg.connect(own_dsn()) as session:
            session.execute("SELECT FROM archive_message")
            assert not services.partition_empty()
            assert not tables.is_by_month()


class TestMakeMonths:
    def test_makes_this_month_and_the_next_ones_once(self):
        with by_month() as past:
            end_past_at(past, JANUARY_2020)
            made = services.make_months(ahead=1)
            assert [month.first for month in made] == [this_month(), month_after(this_month())]
            assert services.make_months(ahead=1) == []
            row = make_archived_message()
            assert place_of(row.pk) == made[0].name_table("archive_message")
            with pytest.raises(IntegrityError):
                make_archived_message(msg_id=row.pk)
            with connection.cursor() as cursor:
                cursor.execute("SELECT msg_id FROM archived_relative")
                assert cursor.fetchall() == [(row.pk,)]

    def test_moves_rows_that_no_month_had(self):
        with by_month() as past:
            end_past_at(past, JANUARY_2020)
            row = make_archived_message()
            assert place_of(row.pk) == "archive_message_other"
            made = services.make_months(ahead=0)
            assert place_of(row.pk) == made[0].name_table("archive_message")

    @pytest.mark.usefixtures("plain")
    def test_does_nothing_for_plain_tables(self):
        assert services.make_months() == []


class TestDetachAndAttach:
    def test_takes_a_whole_month_away_and_brings_it_back(self):
        with by_month() as past:
            end_past_at(past, JANUARY_2020)
            msg_id = archived_in_may()
            kept = make_archived_message()
            services._create_partitions(tables.archive_names(), MAY)

            detached = services.detach_month(MAY, actor=ADA, reason="old")

            assert sorted(detached) == [
                f"detached_archive_{name}_2020_05"
                for name in ("external_call", "funnel", "message", "request", "response")
            ]
            assert not is_archived(msg_id)
            assert not ArchiveRequest.objects.exists()
            assert is_archived(kept.pk)
            with connection.cursor() as cursor:
                cursor.execute("SELECT msg_id FROM detached_archive_message_2020_05")
                assert cursor.fetchall() == [(msg_id,)]
            sizes = {str(each.month): each.is_attached for each in tables.sizes_of_months()}
            assert sizes["2020-05"] is False

            services.attach_month(MAY, actor=ADA)

            assert is_archived(msg_id)
            assert ArchiveRequest.objects.get().msg_id == msg_id
            actions = AuditEntry.objects.order_by("pk").values_list("action", "reason", "details__month")
            assert list(actions)[1:] == [
                ("detach_archive_month", "old", "2020-05"),
                ("attach_archive_month", "", "2020-05"),
            ]

    def test_refuses_a_month_that_has_not_ended_or_does_not_exist(self):
        first = this_month()
        assert "has not ended" in services.why_not_detach(Month(first, month_after(first)))
        assert services.why_not_detach(MAY) == "No attached month is 2020-05."
        assert services.why_not_attach(MAY) == "No detached month is 2020-05."

    @pytest.mark.parametrize("kind", ["restore", "archive"])
    def test_refuses_while_a_job_may_need_the_rows(self, kind):
        with by_month() as past:
            end_past_at(past, JANUARY_2020)
            job = Job.objects.create(kind=kind, state="queued", reason="x", created_by="ada")
            month = Month(None, JANUARY_2020)
            with pytest.raises(services.CannotChangeMonths, match=f"These jobs may still need .*: {job.pk}"):
                services.detach_month(month, actor=ADA)
            with pytest.raises(services.CannotChangeMonths, match=f"These jobs began meanwhile: {job.pk}"):
                services._check_jobs()

    @pytest.mark.usefixtures("plain")
    def test_refuses_plain_tables(self):
        assert "not partitioned" in services.why_not_detach(MAY)


class TestRoles:
    def test_a_role_of_a_part_uses_months_without_grants_and_changes_none(self):
        role = "hubconsole_tests_months_spark"
        with connection.cursor() as cursor:
            cursor.execute(f"CREATE ROLE {role}")
        try:
            grant_privileges(role, Part.SPARK)
            first = this_month()
            row = make_archived_message()
            with transaction.atomic(), connection.cursor() as cursor:
                cursor.execute(f"SET LOCAL ROLE {role}")
                hold_tables(connection.connection, HUB_TABLES)
                cursor.execute("SELECT msg_id FROM archive_message FOR UPDATE")
                assert cursor.fetchall() == [(row.pk,)]
                make_archived_message(msg_id=row.pk + 1)
                cursor.execute("DELETE FROM archive_message WHERE msg_id = %s", [row.pk])
                assert cursor.rowcount == 1
                assert services.make_months(ahead=9) == []
                assert "Only the owner" in services.why_not_detach(Month(first, month_after(first)))
        finally:
            with connection.cursor() as cursor:
                cursor.execute(f"DROP OWNED BY {role}; DROP ROLE {role}")


class TestReading:
    def test_searches_every_month_by_an_index_only(self):
        with connection.cursor() as cursor:
            for each in tables.sizes_of_months():
                cursor.execute(
                    "INSERT INTO archive_message (msg_id, correlation_id, msg_timestamp,"
                    " receive_timestamp, service_name, source_system, state, operation_name, payload,"
                    " archived_at)"
                    " SELECT n, n, now(), now(), 'billing', 'CRM', 'OK', 'x', '<x/>', %s"
                    " FROM generate_series(1, 3000) AS n",
                    [each.month.first if each.month else JANUARY_2020],
                )
            cursor.execute("ANALYZE archive_message")
        rows = ArchiveMessage.objects.all()
        assert is_few(rows.filter(correlation_id="7"), BY_ID, ())
        assert not is_few(rows.filter(payload="<y/>"), BY_ID, ())
        for query in (
            rows.filter(pk__in=[5, 6]),
            rows.filter(correlation_id="7"),
            rows.order_by("receive_timestamp", "msg_id")[:50],
        ):
            plan = json.loads(query.explain(format="json", analyze=True))[0]["Plan"]
            assert rows_read(plan) <= 60 * 5, plan

    def test_adds_up_the_months(self):
        make_archived_message()
        with connection.cursor() as cursor:
            cursor.execute("ANALYZE archive_message")
        total = archive_totals()[0]
        assert (total.table, total.rows) == ("archive_message", 1)
        assert total.stored_bytes >= 8192


def rows_read(plan: dict) -> int:
    """Return how many rows the scans of a plan read."""
    below = sum(rows_read(part) for part in plan.get("Plans", ()))
    if "Relation Name" not in plan:
        return below
    return below + plan["Actual Rows"] + plan.get("Rows Removed by Filter", 0)
