"""Services and workers of the other stores get past hostile rows."""

import pytest
from django.db import connection

from messages_app.cp_queue.models import CpMessage
from messages_app.cp_queue.services.dispatch import dispatch_message
from messages_app.cp_queue.services.pickup import get_next
from messages_app.document_history.models import DocumentHistory
from messages_app.document_history.services.check import check_document
from messages_app.document_history.services.sweep import sweep_entries
from messages_app.document_history.states import Verdict
from messages_app.message_store.models import MessageHistory, MessageProcess
from messages_app.message_store.services.attempt import process_message
from messages_app.message_store.services.monitor import fill_queue, take_back_dead
from messages_app.message_store.services.worker_loop import work_for
from messages_app.messages.alerts.checks import check_rules
from messages_app.messages.alerts.models import WatchRule
from messages_app.messages.metrics.passes import fold_changes
from messages_app.shared.far_times import FarTime
from tests.hostile.rows import TIMES, table_of
from tests.hostile.test_paging import own_schema
from tests.hostile.world import (
    new_keys,
    store_cp_messages,
    store_documents,
    store_hub_rows,
    store_store_messages,
)
from tests.support.histories import ADA, make_trigger
from tests.support.stores import define, status_of, store

pytestmark = pytest.mark.django_db(transaction=True)

_LIMIT = 400


def test_the_message_store_processes_the_others(settings):
    settings.MESSAGE_STORE_QUEUE = _LIMIT
    define()
    store_store_messages(new_keys(), schema=own_schema())
    ordinary = [store() for _ in range(3)]
    fill_queue()
    take_back_dead()
    work_for(seconds=60)
    assert [status_of(one) for one in ordinary] == [10, 10, 10]


@pytest.mark.parametrize("time", TIMES)
def test_the_message_store_processes_a_message_of_any_time_again_and_again(time):
    define()
    identifier = store()
    process = table_of("message_process", own_schema())
    with connection.cursor() as cursor:
        cursor.execute("DELETE FROM message_process WHERE message_identifier = %s", [identifier])
        cursor.execute("UPDATE message_store SET message_timestamp = %s", [time])
    process.insert({"message_identifier": identifier, "status": 0, "processed_timestamp": time})
    for round_ in range(3):
        assert process_message(identifier, seconds=10) is not None
        assert MessageHistory.objects.filter(message_identifier=identifier).count() == round_ + 1
        MessageProcess.objects.filter(pk=identifier).update(status=0)
    starts = MessageHistory.objects.values_list("processed_timestamp", flat=True)
    assert not any(isinstance(start, FarTime) for start in starts)


def test_the_cp_queue_gives_every_message_once_and_takes_it_back():
    store_cp_messages(new_keys(), schema=own_schema())
    free = CpMessage.objects.filter(queuename="RENDITION", lock_service=None).count()
    taken = []
    while (picked := get_next(queues="RENDITION", service="cache-1")) is not None:
        taken.append(picked.guid)
        dispatch_message(guid=picked.guid, service="cache-1", reason="OK")
    assert free == len(TIMES)
    assert len(set(taken)) == len(taken) >= 1
    assert not CpMessage.objects.filter(queuename="RENDITION", lock_service=None).exists()


def test_the_document_history_checks_others_and_sweeps():
    make_trigger("shop", history_ttl_seconds=60)
    store_documents(schema=own_schema())
    assert check_document(trigger_id="shop", uuid="new").verdict is Verdict.NEW
    for number in range(len(TIMES)):
        check_document(trigger_id="shop", uuid=f"open-{number}", redelivery_count=1)
        assert check_document(trigger_id="shop", uuid=f"both-{number}").verdict is Verdict.DUPLICATE
    sweep_entries(actor=ADA, reason="r")
    left = DocumentHistory.objects.filter(trigger_id="shop", document_uuid__startswith="both-")
    assert 0 < left.count() < 2 * len(TIMES)


def test_alerts_about_ages_leave_out_what_has_no_time():
    store_hub_rows(new_keys(), schema=own_schema())
    rule = WatchRule.objects.create(name="old", measure="age", state="FAILED", limit=10**12)
    fold_changes()
    check_rules()
    rule.refresh_from_db()
    assert rule.error == ""
    assert rule.value is not None
    assert 0 < rule.value < 10**12
