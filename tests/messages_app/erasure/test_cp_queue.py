import psycopg
import pytest
from django.db import connection

from messages_app.cp_queue.models import CpDispatch, CpMessage, CpReservation, CpRetry
from tests.messages_app.erasure.runs import run, run_beside, waiting
from tests.support import queues
from tests.support.eventually import eventually
from tests.support.subjects import RECORDS, changed_since, rows_without
from tests.support.workers import database_of_tests

pytestmark = pytest.mark.django_db(transaction=True)

KEY, OTHER = "471147", 815


def deferred(name: str, osid: int) -> str:
    """Store a message that waits after a retry, with its count of attempts."""
    guid = queues.guid_of(name)
    with connection.cursor() as cursor:
        cursor.execute(
            "INSERT INTO cp_deferred (messageguid, queuename, osid, ostype, created, not_before)"
            " VALUES (%s, 'RENDITION', %s, 65536, now(), now())",
            [guid, osid],
        )
    CpRetry.objects.create(messageguid=guid, attempts=2)
    return guid


def dispatched(osid: int) -> None:
    CpDispatch.objects.create(
        messageguid=queues.guid_of(f"gone {osid}"),
        queuename="RENDITION",
        osid=osid,
        ostype=1,
        created="2026-11-01T00:00:00Z",
        service="indexer",
        reason=f"object {osid} of Ada Lovelace",
        outcome="done",
        collapsed=0,
        attempts=1,
    )


class TestEraseCpMessages:
    def test_removes_the_object_from_every_queue(self):
        for osid in (int(KEY), OTHER):
            queues.store(f"a {osid}", osid=osid)
            queues.store(f"b {osid}", queue="ARCHIVE", osid=osid)
            deferred(f"c {osid}", osid)
            dispatched(osid)
        before = rows_without(KEY)

        found = run(KEY)

        assert found.rows == {"oscpmqueue": 3, "cp_retry": 1, "cp_dispatch": 1}
        assert set(CpMessage.objects.values_list("osid", flat=True)) == {OTHER}
        assert set(CpDispatch.objects.values_list("osid", flat=True)) == {OTHER}
        gone, new = changed_since(before, KEY).pop("cp_retry")
        assert (len(gone), len(new)) == (1, 0)
        assert set(changed_since(before, KEY)) == RECORDS | {"cp_retry"}

    def test_leaves_a_message_that_a_service_holds(self):
        held = queues.store("a", osid=int(KEY), lock="indexer")
        CpReservation.objects.create(
            messageguid=held, checkguid="x", service="indexer", is_fenced=True, collapsed=0
        )
        queues.store("b", osid=int(KEY))
        found = run(KEY)
        assert found.rows == {"oscpmqueue": 1}
        assert found.left == [("oscpmqueue", held, "a service holds it: wait for its dispatch, or reset it")]
        assert CpReservation.objects.count() == 1

    def test_leaves_a_message_that_a_service_has_taken_since_it_was_found(self):
        guid = queues.store("a", osid=int(KEY))
        with psycopg.connect(database_of_tests()["DATABASE_URL"]) as service:
            service.execute("UPDATE oscpmqueue SET lock_service = 'indexer', checkguid = 'x'")
            erasing = run_beside(KEY)
            eventually(lambda: waiting() == 1)
            service.commit()
        left = ("oscpmqueue", guid, "a service holds it: wait for its dispatch, or reset it")
        assert left in erasing.result().left
        assert CpMessage.objects.count() == 1

    @pytest.mark.parametrize("key", ["0471147", "471147.0", " 471147", "4711470000000", "x"])
    def test_treats_a_key_with_another_spelling_as_another_key(self, key):
        queues.store("a", osid=int(KEY))
        assert run(key).rows == {}
        assert CpMessage.objects.count() == 1
