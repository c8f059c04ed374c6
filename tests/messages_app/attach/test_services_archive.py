"""Archive, restore and erase on the tables of an attached hub, on real Spark."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime

import psycopg
import pytest
from django.core.management import CommandError, call_command
from django.test import Client

from messages_app.audit.services import Actor
from messages_app.erasure.keys import Key
from messages_app.erasure.services import erase_subject
from messages_app.jobs.connections import own_dsn
from messages_app.jobs.drivers.archive import statements as archive_statements
from messages_app.jobs.models import Job
from messages_app.messages.attachment import Feature, NotAttachedForThis, refusal_of
from messages_app.messages.models import ArchiveMessage, Message
from messages_app.shared.job_states import JobState
from tests.support import jobs
from tests.support.attached import AttachedHub, attached_hub, detach
from tests.support.cold import undo
from tests.support.eventually import eventually
from tests.support.executors import asks_for_others
from tests.support.factories import make_user
from tests.support.hub_digests import digests
from tests.support.page_client import text_of
from tests.support.parameters import quick_first

pytestmark = pytest.mark.usefixtures("spark_remote")

WITH_ARCHIVE = (
    "CleverBus 1.1",
    "CleverBus 2.0",
    "CleverBus 2.0 with archive 0.5",
    "CleverBus 2.0 with archive 0.6",
    "OpenHub 1.0",
    "OpenHub 2.3",
)
WITHOUT_ARCHIVE = ("CleverBus 1.1 without archive", "CleverBus 2.0 without archive")
ARCHIVED = [2, 4, 5, 20, 21, 22]


@pytest.fixture(autouse=True)
def folder(settings, tmp_path) -> None:
    settings.HUBCONSOLE_ARCHIVE_URI = str(tmp_path / "archive")


# The console keeps values of archived messages for which the archive tables of these hubs have no place.
KEPT_HERE = {layout for layout in WITH_ARCHIVE if layout.startswith(("CleverBus 2", "OpenHub 2"))}
# The layout with the most columns in each run, the others in the long one.
QUICK = ("OpenHub 2.3",)


@pytest.fixture(
    params=[
        layout if layout in QUICK else pytest.param(layout, marks=pytest.mark.slow)
        for layout in (*WITH_ARCHIVE, *WITHOUT_ARCHIVE)
    ]
)
def hub(request, django_db_setup, django_db_blocker) -> Iterator[AttachedHub]:
    with django_db_blocker.unblock(), filled_hub(request.param) as found:
        yield found


def filled_hub(layout: str):
    return attached_hub(layout, "--create-triggers", more_rows=["rows_to_archive"])


def archive(**options: object) -> Job:
    job = jobs.run("archive", {}, **options).job
    assert (job.state, job.error) == (JobState.DONE, "")
    assert set(jobs.done_by(job)) == set(ARCHIVED)
    return job


class TestMoves:
    @pytest.mark.parametrize("to", quick_first(["tables", "parquet"]))
    def test_a_restore_leaves_every_table_as_before(self, hub, to):
        before = digests()
        if to == "tables" and hub.layout in WITHOUT_ARCHIVE:
            with pytest.raises(NotAttachedForThis, match="archive to Parquet"):
                jobs.run("archive", {}, to="tables")
            assert digests() == before
            return
        job = archive(to=to)
        assert digests() != before
        if to == "tables":
            assert hub.run("SELECT reltuples FROM pg_class WHERE oid = table_behind('archive_message')") == [
                (len(ARCHIVED),)
            ]
        assert hub.run("SELECT msg_id FROM {hub}.message WHERE msg_id = ANY (%s)", ARCHIVED) == []
        if to == "parquet" or hub.layout in KEPT_HERE:
            with pytest.raises(CommandError, match="would lose archived rows"):
                detach()
        undo(job)
        assert digests() == before
        assert "is as it was before" in detach()


class TestValuesWithoutPlace:
    def test_archived_messages_show_their_node_and_their_time_in_the_queue(
        self, django_db_setup, django_db_blocker
    ):
        with django_db_blocker.unblock(), filled_hub("OpenHub 2.3"):
            read = ("msg_id", "node_id", "start_in_queue_timestamp")
            before = set(Message.objects.filter(pk__in=ARCHIVED).values_list(*read))
            assert (4, 1, datetime(2024, 7, 1, 14, 0, 1, tzinfo=UTC)) in before
            archive(to="tables")
            assert set(ArchiveMessage.objects.values_list(*read)) == before
            shown = admin_client().get("/api/v1/messages/4/").json()
            assert (shown["archived"], shown["node_id"]) == (True, 1)
            assert shown["start_in_queue_timestamp"] == "2024-07-01T14:00:01Z"
            assert list(ArchiveMessage.objects.filter(node_id=2).values_list("pk")) == [(5,)]


def admin_client() -> Client:
    client = Client()
    client.force_login(make_user(username="admin", is_superuser=True))
    return client


class TestRights:
    """Jobs are refused before they start if the role lacks rights."""

    @pytest.fixture
    def hub(self, django_db_setup, django_db_blocker) -> Iterator[AttachedHub]:
        """Give a hub with an attached console whose role has only the rights that the guide grants first."""
        with django_db_blocker.unblock(), filled_hub("CleverBus 2.0 with archive 0.6") as found:
            found.run("CREATE ROLE guest")
            found.run(
                "GRANT USAGE ON SCHEMA {hub}, cleverbus_archive TO guest;"
                "GRANT SELECT ON ALL TABLES IN SCHEMA {hub}, cleverbus_archive TO guest;"
                "GRANT UPDATE (state, last_update_timestamp) ON {hub}.message TO guest"
            )
            for (view,) in found.run("SELECT viewname FROM pg_views WHERE schemaname = 'hubconsole'"):
                found.run(f"ALTER VIEW hubconsole.{view} OWNER TO guest")
            yield found
            found.run("DROP OWNED BY guest; DROP ROLE guest")

    @pytest.mark.slow
    def test_tables_of_the_hub_are_not_analyzed_by_a_role_that_does_not_own_them(self, hub):
        asked = {"tables": ["archive_message", "archive_external_call", "cold_message"]}
        hub.run("ALTER TABLE cold_message OWNER TO guest")
        hub.run("GRANT USAGE ON SCHEMA hubconsole TO guest")
        hub.run("SET ROLE guest")
        try:
            assert archive_statements.fetch_rows("own_tables", asked) == [("cold_message",)]
        finally:
            hub.run("RESET ROLE")

    @pytest.mark.parametrize(
        "words",
        quick_first([("archive",), ("restore", "state=OK"), ("erase_subject", "C-1", "--yes")]),
        ids=lambda words: words[0],
    )
    def test_commands_name_the_missing_grants(self, hub, words):
        with pytest.raises(CommandError) as refused:
            call_command(*words)
        assert refused.value.returncode == 1
        assert "This console is attached to a running hub, where it cannot" in str(refused.value)
        assert "GRANT DELETE ON public.request TO guest" in str(refused.value)

    def test_calls_and_pages_name_them(self, hub):
        admin = admin_client()
        body = {"kind": "archive", "options": {"older_than_months": 2}, "reason": "old"}
        answer = admin.post("/api/v1/jobs/", body, content_type="application/json")
        assert (answer.status_code, answer.json()["code"]) == (403, "not_attached_for_this")
        assert (
            "GRANT UPDATE (failed_count) ON cleverbus_archive.archive_message TO guest"
            in answer.json()["detail"]
        )
        assert admin.get("/jobs/new/?kind=archive&older_than_months=2").status_code == 403
        answered = admin.get("/archive/")
        page = answered.content.decode()
        assert "where it cannot archive or restore messages without these rights" in text_of(answered)
        assert "GRANT DELETE ON public.request TO guest;\nGRANT UPDATE (res_join_id)" in page
        assert "Preview archive job" not in page
        assert "“Restore”" not in page
        assert "kind=archive" not in admin.get("/messages/?state=OK").content.decode()

    def test_the_named_grants_are_enough(self, hub):
        refusal = refusal_of(Feature.ARCHIVE)
        hub.run(str(refusal).partition(" without ")[2].removesuffix("."))
        eventually(lambda: refusal_of(Feature.ARCHIVE) is None)  # noticed within five seconds
        admin = admin_client()
        assert "Preview archive job" in admin.get("/archive/").content.decode()
        assert "kind=archive" in admin.get("/messages/?state=OK").content.decode()


class TestErase:
    @pytest.mark.parametrize("place", quick_first(["parquet", "tables", "live"]))
    def test_removes_the_message_with_all_its_rows_wherever_it_is(self, erased_hub, place):
        if place != "live":
            archive(to=place)
        found = erase_subject(key=Key("object-4"), actor=Actor(username="ada"), reason="asked by letter")
        assert found.left == []
        assert found.rows.get("archive_message" if place == "tables" else f"{COLD[place]}message") == 1
        for prefix in ("", "archive_"):
            for table in ("message", "external_call", "request", "response"):
                assert erased_hub.run(f"SELECT msg_id FROM {prefix}{table} WHERE msg_id = 4") == []
        assert erased_hub.run("SELECT msg_id FROM cold_message WHERE msg_id = 4") == []
        if erased_hub.layout == "OpenHub 2.3":
            assert erased_hub.run("SELECT msg_id FROM archive_extra WHERE msg_id = 4") == []

    @pytest.fixture(params=[pytest.param("CleverBus 2.0", marks=pytest.mark.slow), "OpenHub 2.3"])
    def erased_hub(self, request, django_db_setup, django_db_blocker) -> Iterator[AttachedHub]:
        with django_db_blocker.unblock(), filled_hub(request.param) as found:
            yield found


COLD = {"live": "", "parquet": "cold_"}


class TestProcedureOfTheHub:
    @pytest.mark.parametrize("layout", [pytest.param("CleverBus 1.1", marks=pytest.mark.slow), "OpenHub 2.3"])
    @pytest.mark.slow
    def test_its_archive_records_works_next_to_archive_jobs(self, layout, django_db_setup, django_db_blocker):
        with django_db_blocker.unblock(), filled_hub(layout) as hub:
            job = archive(to="tables")
            undo(job)
            hub.run("DELETE FROM new_failure; DELETE FROM message_change")
            hub.run("SET search_path = {hub}; SELECT archive_records(2)")
            hub.run('SET search_path = hubconsole, "$user", public')
            assert hub.run("SELECT count(*) FROM new_failure") == [(0,)]
            assert hub.run("SELECT coalesce(sum(entered), 0) FROM message_change") == [(0,)]
            assert set(hub.run("SELECT msg_id FROM archive_message")) == {
                (one,) for one in [*ARCHIVED, 9]
            } - {(21,)}
            restored = jobs.run("restore", {"msg_id": [4, 5], "archived": True}).job
            assert jobs.done_by(restored) == [4, 5]
            assert hub.run("SELECT msg_id FROM {hub}.message WHERE msg_id IN (4, 5)") == [(4,), (5,)]

    @pytest.mark.parametrize("layout", ["CleverBus 2.0", "OpenHub 2.3"])
    @pytest.mark.slow
    def test_what_it_archives_together_with_a_job_is_there_once(
        self, layout, django_db_setup, django_db_blocker
    ):
        options = ("--create-triggers", "--create-indexes")
        with (
            django_db_blocker.unblock(),
            attached_hub(layout, *options, more_rows=["rows_to_archive"]) as hub,
            psycopg.connect(own_dsn()) as procedure,
            ThreadPoolExecutor(1) as pool,
        ):
            for table in ("message", "external_call"):
                ((columns,),) = hub.run(COLUMNS, f"{hub.place}.archive_{table}")
                procedure.execute(
                    f"INSERT INTO {hub.place}.archive_{table} ({columns})"
                    f" SELECT {columns} FROM {hub.place}.{table} WHERE msg_id = ANY (%s)",
                    [ARCHIVED],
                )
            ending = pool.submit(end_behind_the_job, procedure, f"{hub.place}.message", own_dsn())
            report = archive(to="tables").report

            assert ending.result() == 0
            calls = hub.run("SELECT call_id FROM archive_external_call")
            assert report["second_rows_removed"] == len(ARCHIVED) + len(calls)
            assert sorted(hub.run("SELECT msg_id FROM archive_message")) == [(one,) for one in ARCHIVED]
            assert len(calls) == len(set(calls)) > 0


# The columns of a table, with commas.
COLUMNS = """
SELECT string_agg(quote_ident(attname), ', ')
  FROM pg_attribute
 WHERE attrelid = %s::regclass AND attnum > 0 AND NOT attisdropped
"""


def end_behind_the_job(procedure: psycopg.Connection, table: str, address: str) -> int:
    """Delete the messages when the job has moved them, as the procedure does; return how many it finds."""
    with psycopg.connect(address, autocommit=True) as watching:
        query = f"SELECT count(*) FROM {table} WHERE msg_id = 4"
        eventually(lambda: watching.execute(query).fetchone() == (0,), 60)
        found = procedure.execute(f"DELETE FROM {table} WHERE msg_id = ANY (%s)", [ARCHIVED]).rowcount
        eventually(lambda: asks_for_others(watching), 60)
    procedure.commit()
    return found


class TestRefusals:
    """Messages that the archive cannot hold stay where they are."""

    @pytest.fixture
    def hub(self, django_db_setup, django_db_blocker) -> Iterator[AttachedHub]:
        with django_db_blocker.unblock(), filled_hub("CleverBus 2.0") as found:
            yield found

    @pytest.mark.parametrize(
        ("to", "reason"),
        [
            ("tables", "message and archive_message differ in: further"),
            ("parquet", "would lose message.further"),
        ],
    )
    def test_a_column_that_no_release_has(self, hub, to, reason):
        hub.run("ALTER TABLE {hub}.message ADD COLUMN further text")
        before = digests()
        job = jobs.run("archive", {}, to=to).job
        assert job.state == JobState.FAILED
        assert reason in job.error
        assert digests() == before

    @pytest.mark.slow
    @pytest.mark.parametrize(
        "time", ["2024-03-31 02:30", "4714-11-24 00:00:00 BC", "294276-12-31 23:59:59.999999"]
    )
    def test_a_time_that_clocks_skip_or_that_cannot_be_converted(self, hub, time):
        hub.run("UPDATE {hub}.external_call SET msg_timestamp = %s WHERE msg_id = 4", time)
        call = "SELECT external_call::text FROM {hub}.external_call WHERE msg_id = 4"
        before = hub.run(call)
        job = jobs.run("archive", {}, to="parquet").job
        assert set(jobs.done_by(job)) == set(ARCHIVED) - {4}
        assert hub.run(call) == before
        assert hub.run("SELECT msg_id FROM {hub}.message WHERE msg_id = 4") == [(4,)]
        undo(job)
        archive(to="tables")
