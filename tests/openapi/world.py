"""The rows of a hub before the first call of the API."""

from django.utils import timezone

from messages_app.audit.services import Actor
from messages_app.cp_queue.services.dispatch import dispatch_message
from messages_app.document_history.services.check import check_document
from messages_app.document_history.services.triggers import suspend_trigger
from messages_app.incidents.models import FailureCell, Incident, IncidentCell
from messages_app.jobs.models import Job
from messages_app.message_store.services.messages import mute_message
from messages_app.messages.alerts.checks import check_rules
from messages_app.messages.failures.grouping import group_new_failures
from messages_app.messages.metrics.passes import fold_changes
from messages_app.notes.models import NoteKind
from messages_app.notes.services import add_note
from tests.messages_app.messages.alerts.rules import make_rule
from tests.support.factories import make_external_call, make_funnel, make_message, make_request, make_response
from tests.support.histories import ADA, make_trigger, store_entry
from tests.support.ledgers import store_ledger
from tests.support.queues import guid_of
from tests.support.queues import store as store_cp
from tests.support.stores import define, define_orders, make_held_longer, process, set_process
from tests.support.stores import store as store_message

# The examples of the API description name incidents and groups with these ids.
FIRST_INCIDENT, FIRST_GROUP = 4711, 4701


def make_world() -> None:
    """Store what a hub would have stored: messages in several states, work that waits, jobs that ended."""
    parent = make_message(state="WAITING")
    failed = make_message(state="FAILED", failed_error_code="E103", failed_desc="E103: refused")
    for message in (failed, make_message(state="POSTPONED", parent_msg_id=parent.pk)):
        make_external_call(message)
        make_response(make_request(message))
        make_funnel(message, funnel_value="account-7")
    make_message(object_id="4711", source_system="ERP", payload="<order>Grace</order>")
    make_jobs(*(make_message(state="CANCEL").pk for _ in range(2)))
    make_incidents()
    # By the user who makes the calls, who deletes one of them.
    for kind, subject in ((NoteKind.MESSAGE, failed.pk), (NoteKind.INCIDENT, FIRST_INCIDENT)):
        add_note(kind=kind, subject=subject, text="@ada the bank answers again", actor=Actor(username="ada"))
    make_other_stores()


def make_incidents() -> None:
    """Store open incidents, one of them of two groups, and a closed one."""
    now = timezone.now()
    for place in range(4):
        is_open = place < 3
        incident = Incident.objects.create(
            incident_id=FIRST_INCIDENT + place,
            title="pay.bank.example: Connection refused",
            state="open" if is_open else "closed",
            began_at=now,
            last_failure_at=now,
            closed_at=None if is_open else now,
            external_system="pay.bank.example",
            services=["billing"],
            error_codes=["E103"],
        )
        for number in range(2 if place == 0 else 1):
            cell = FailureCell.objects.create(
                fingerprint=f"{place} {number}",
                store="messages",
                service_name="billing",
                operation_name="createInvoice",
                group_id=FIRST_GROUP + 2 * place + number,
                first_seen=now,
                last_seen=now,
            )
            IncidentCell.objects.create(
                incident_id=incident.pk,
                cell_id=cell.pk,
                first=now,
                last=now,
                reason="system",
                strength="high",
                origin_id=incident.pk,
            )


def make_jobs(first: int, second: int) -> None:
    """Group failures and open an alert; store jobs that ended with these messages, and jobs that wait."""
    fold_changes()
    group_new_failures()
    make_rule()
    check_rules()
    for msg_id, outcome in ((first, "done"), (second, "failed:too_slow")):
        job = Job.objects.create(kind="cancel", state="done", reason="r", attempt=1, chunk_count=1)
        Job.objects.filter(pk=job.pk).update(finished_at=timezone.now(), filter={"state": "FAILED"})
        store_ledger(job, {msg_id: outcome}, new_state="CANCEL")
    for _ in range(2):  # one to approve, one to refuse
        Job.objects.create(
            kind="restart", state="planned", paused_for="second_person", reason="r", attempt=1, chunk_count=1
        )
    for state in ("running", "queued"):
        Job.objects.create(kind="restart", state=state, reason="r", attempt=1, chunk_count=1)


def make_other_stores() -> None:
    """Store documents, CP messages and messages of the store in several states."""
    for number in range(4):
        store_cp(f"held {number}", osid=number, lock="rendition-1")
        store_cp(f"free {number}", osid=number + 4)
    dispatch_message(guid=guid_of("held 0"), service="rendition-1", reason="RETRY")
    make_trigger("closed")
    suspend_trigger(trigger_id="closed", because="its resolver does not answer")
    make_trigger("shop")
    for uuid in ("order-1", "order-2"):
        store_entry("processing", trigger_id="shop", uuid=uuid)
        check_document(trigger_id="shop", uuid=uuid)
    define()
    define_orders()
    waiting = [store_message([{"id": 1, "customer": 9}], entity="order") for _ in range(4)]
    for identifier in waiting:
        process(identifier)
    mute_message(identifier=waiting[0], actor=ADA, reason="it cannot be corrected now")
    stuck = store_message()
    set_process(stuck, status=1)
    make_held_longer(stuck, "1 day")
