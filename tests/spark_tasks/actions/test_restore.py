"""A restore of families from the tables and from files, and of rows of no message."""

import datetime as dt
from collections import Counter
from pathlib import Path

import pytest
from django.db import connection

from messages_app.jobs.drivers.archive import archive_storage
from messages_app.messages.failures.models import NewFailure
from messages_app.messages.models import ExternalCall, Message, Request, Response
from messages_app.messages.parquet_archive.models import ColdMessage, ColdPart
from spark_tasks.actions.archive_rows import shared_columns
from spark_tasks.actions.restore import Restore
from spark_tasks.contract import Chunk, Decided, Item, JobKey
from spark_tasks.parquet.parts import Chosen, PartKey, archive_part, held_columns
from spark_tasks.parquet.restore_rows import fault_of, files_of_parts
from spark_tasks.tables import HUB_TABLES
from tests.spark_tasks.moves.scenes import executor, hub, items, running_job, to_tables
from tests.support import factories
from tests.support.cold import into_parquet, old_message, with_traffic

pytestmark = pytest.mark.django_db(transaction=True)

KEY = JobKey(dsn="", job_id=9, attempt=1, rivals=())


@pytest.fixture(autouse=True)
def folder(settings, tmp_path) -> Path:
    settings.HUBCONSOLE_ARCHIVE_URI = str(tmp_path / "archive")
    return tmp_path / "archive"


def into_tables(*messages: Message) -> None:
    ids = [message.pk for message in messages]
    key = running_job(ids, chunk_size=len(ids))
    with executor() as session, session.transaction():
        assert to_tables().process_items(session, key, items(ids)).refusals == {}


def act(*families: tuple[int, ...]) -> Decided:
    """Restore families, each of which has its head first."""
    plan = [Item(msg_id, family[0], "OK") for family in families for msg_id in family]
    with executor() as session, session.transaction():
        action = Restore(storage=archive_storage(), columns=shared_columns(session))
        return action.process_items(session, KEY, plan)


def store_call_again(call: ExternalCall) -> None:
    factories.make_external_call(
        factories.make_message(), operation_name=call.operation_name, entity_id=call.entity_id
    )


def live_ids() -> set[int]:
    return set(Message.objects.values_list("pk", flat=True))


def parts() -> list[tuple]:
    rows = ColdPart.objects.order_by("pk").values_list("kept", "restored", "restored_ids", "emptied_at")
    return [(*counts, emptied_at is not None) for *counts, emptied_at in rows]


class TestAct:
    def test_restores_families_from_tables_and_files_once_and_notes_no_failure_again(self):
        head = with_traffic(old_message())
        for value in ("a", "b", "c"):
            factories.make_funnel(head, funnel_value=value)
        into_tables(head)
        child = with_traffic(old_message(parent_msg_id=head.pk))
        for name in ("a", "b"):
            factories.make_external_call(child, operation_name=name)
        for _ in range(3):
            factories.make_response(None, msg_id=child.pk)
        other, stays = old_message(state="FAILED"), old_message()
        into_parquet(child)
        into_parquet(other, stays)
        NewFailure.objects.all().delete()
        family, alone = (head.pk, child.pk), (other.pk,)

        moved = Counter(message=3, external_call=4, request=2, response=7, funnel=5)
        assert act(family, alone) == Decided(moved=moved)
        assert live_ids() == {*family, *alone}
        assert not NewFailure.objects.exists()  # It was noted when it failed.
        assert parts() == [(1, 1, [], True), (2, 1, [], False)]
        assert set(ColdMessage.objects.values_list("pk", flat=True)) == {stays.pk}

        live = dict.fromkeys((*family, *alone), "skipped:msg_id_live")
        assert act(family, alone) == Decided(refusals=live)
        assert parts() == [(1, 1, [], True), (2, 1, [], False)]
        assert act((stays.pk,)).moved == Counter(message=1)
        assert parts() == [(1, 1, [], True), (2, 2, [], True)]

    @pytest.mark.parametrize("archive", [into_tables, into_parquet])
    def test_names_why_each_message_of_a_family_stays(self, archive):
        (
            live,
            of_live,
            same,
            of_same,
            called,
            of_called,
            gone,
            of_gone,
            locked,
            of_locked,
            new,
            of_new,
            again,
        ) = (old_message() for _ in range(13))
        Message.objects.filter(pk=new.pk).update(parent_msg_id=of_new.pk)
        call = factories.make_external_call(called)
        archive(of_live, same, of_same, called, of_called, of_gone, locked, of_locked, new, of_new, again)
        gone.delete()
        factories.make_message(correlation_id=same.correlation_id, source_system=same.source_system)
        store_call_again(call)
        factories.make_message(msg_id=again.pk)
        before = live_ids()

        with hub() as session, session.transaction():
            for table in ("archive_message", "cold_message"):
                session.execute(f"SELECT 1 FROM {table} WHERE msg_id = %s FOR UPDATE", [locked.pk])
            decided = act(
                (live.pk, of_live.pk),
                (of_same.pk, same.pk),
                (of_called.pk, called.pk),
                (of_gone.pk, gone.pk),
                (of_locked.pk, locked.pk),
                (of_new.pk,),
                (again.pk,),
            )

        assert decided.refusals == {
            live.pk: "skipped:msg_id_live",
            of_live.pk: "skipped:family_stays",
            of_same.pk: "skipped:family_stays",
            same.pk: "skipped:correlation_id_live",
            of_called.pk: "skipped:family_stays",
            called.pk: "skipped:external_call_live",
            gone.pk: "skipped:vanished",
            of_locked.pk: "skipped:family_stays",
            locked.pk: "skipped:locked",
            of_new.pk: "skipped:family_stays",
            again.pk: "skipped:msg_id_live",
        }
        assert decided.moved == Counter(message=1)
        assert live_ids() - before == {of_gone.pk}

    def test_leaves_families_with_a_member_in_a_damaged_file(self, folder):
        whole, damaged, member = old_message(), old_message(), old_message()
        into_parquet(damaged)
        (path,) = folder.glob("message/*/*.parquet")
        into_parquet(whole, member)
        (other,) = set(folder.glob("message/*/*.parquet")) - {path}
        path.write_bytes(other.read_bytes())

        assert act((whole.pk,), (member.pk, damaged.pk)).refusals == {
            damaged.pk: "failed:archive_file_unreadable",
            member.pk: "skipped:family_stays",
        }
        assert live_ids() == {whole.pk}


class TestFaultOf:
    def test_is_a_column_of_a_file_that_its_table_has_lost(self):
        into_parquet(old_message())
        with executor() as session, session.transaction():
            columns = held_columns(session, HUB_TABLES)
            (files,) = files_of_parts(session, [ColdPart.objects.get().pk]).values()
        assert fault_of(archive_storage(), files, columns) is None
        fewer = columns | {"message": [one for one in columns["message"] if one.name != "node_id"]}
        assert fault_of(archive_storage(), files, fewer) == "columns_differ"


def keep_orphans(job_id: int, content: str, **chosen: list[int]) -> None:
    """Archive rows of no message to files, as a part of a job."""
    key = PartKey(job_id=job_id, run="job-1-x", chunk_no=0, content=content, month=dt.date(2026, 5, 1))
    with executor() as session, session.transaction():
        columns = held_columns(session, HUB_TABLES)
        archive_part(
            session, archive_storage(), key, tables=HUB_TABLES, columns=columns, chosen=Chosen(**chosen)
        )


def move_to_tables(table: str, key: int) -> None:
    """Move a row of no message to the archive tables."""
    where = f"{table} WHERE {'req_id' if table == 'request' else 'res_id'} = %s"
    with connection.cursor() as cursor:
        cursor.execute(f"INSERT INTO archive_{table} SELECT * FROM {where}", [key])
        cursor.execute(f"DELETE FROM {where}", [key])


def act_on_orphans(content: str, ids: list[int]) -> tuple[Counter[str], Counter[str]]:
    chunk = Chunk(chunk_no=0, content=content, planned=len(ids), decided=0, orphan_ids=ids, items=())
    with executor() as session, session.transaction():
        action = Restore(storage=archive_storage(), columns=shared_columns(session), origin_id=7)
        return action.act_on_orphans(session, KEY, chunk)


class TestActOnOrphans:
    def test_restores_requests_of_the_job_with_their_responses_once(self):
        requests = [factories.make_request(None) for _ in range(6)]
        for request in requests[:3]:
            factories.make_response(request)
        first, second, third, live, of_other, in_tables = ids = [request.pk for request in requests]
        keep_orphans(7, "orphan_requests", req_ids=[first, second, live])
        keep_orphans(7, "orphan_requests", req_ids=[third])
        keep_orphans(8, "orphan_requests", req_ids=[of_other])
        Request.objects.filter(pk=live).delete()
        Request.objects.create(req_id=live, res_join_id="x", uri="x", req_timestamp=requests[3].req_timestamp)
        move_to_tables("request", in_tables)

        assert act_on_orphans("orphan_requests", [*ids, 10**9]) == (
            Counter({"done": 4, "skipped:moved_on": 3}),
            Counter(request=4, response=3),
        )
        assert set(Request.objects.values_list("pk", flat=True)) == {*ids} - {of_other}
        assert parts() == [
            (3, 2, [first, second], False),
            (1, 1, [third], True),
            (1, 0, [], False),
        ]
        Response.objects.all().delete(), Request.objects.all().delete()
        assert act_on_orphans("orphan_requests", ids) == (
            Counter({"done": 1, "skipped:moved_on": 5}),
            Counter(request=1),
        )
        assert set(Request.objects.values_list("pk", flat=True)) == {live}

    def test_restores_responses_of_the_job(self):
        first, second, in_tables = (factories.make_response(None, msg_id=None).pk for _ in range(3))
        move_to_tables("response", in_tables)
        keep_orphans(7, "orphan_responses", res_ids=[first, second])
        assert act_on_orphans("orphan_responses", [second, in_tables]) == (
            Counter({"done": 2, "skipped:moved_on": 0}),
            Counter(response=2),
        )
        assert set(Response.objects.values_list("pk", flat=True)) == {second, in_tables}
        assert parts() == [(2, 1, [second], False)]
