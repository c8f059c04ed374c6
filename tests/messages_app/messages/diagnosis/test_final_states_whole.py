"""Whole explanations of OK, CANCEL and archived messages."""

import pytest

from messages_app.audit import services as audit
from messages_app.messages.models import ArchiveExternalCall
from tests.messages_app.messages.diagnosis.explanations import check_explanation, record_change
from tests.messages_app.messages.funnels.rows import ago, stored
from tests.support.factories import make_archived_message, make_external_call

pytestmark = pytest.mark.django_db

ERROR = {"failed_error_code": "E103", "failed_count": 4}


def test_explains_a_source_that_was_not_notified():
    explained = stored("OK", msg_id=101, age=70)
    make_external_call(
        explained,
        operation_name="confirmation",
        entity_id=explained.correlation_id,
        state="FAILED",
        failed_count=2,
        last_update_timestamp=ago(20),
    )
    check_explanation(
        explained,
        "confirmation_failing",
        (
            "OK since 2026-11-02 11:58:50 UTC, but CRM was not notified: 2 of 4 attempts to "
            "confirm failed. The hub retries between 2026-11-02 12:00:40 UTC and 2026-11-02 "
            "12:01:40 UTC."
        ),
        next={
            "what": "confirmation",
            "at": "2026-11-02T12:00:40Z",
            "latest": "2026-11-02T12:01:40Z",
            "by": "hub",
        },
    )


def test_explains_a_due_notification():
    explained = stored("OK", msg_id=101, age=700)
    make_external_call(
        explained,
        operation_name="confirmation",
        entity_id=explained.correlation_id,
        state="FAILED",
        failed_count=1,
        last_update_timestamp=ago(620),
    )
    check_explanation(
        explained,
        "confirmation_failing",
        (
            "OK since 2026-11-02 11:48:20 UTC, but CRM was not notified: 1 of 4 attempts to "
            "confirm failed. The hub retries between 2026-11-02 12:00:00 UTC and 2026-11-02 "
            "12:01:00 UTC."
        ),
        next={
            "what": "confirmation",
            "at": "2026-11-02T12:00:00Z",
            "latest": "2026-11-02T12:01:00Z",
            "by": "hub",
        },
    )


def test_explains_a_source_that_is_never_notified():
    explained = stored("OK", msg_id=101, age=70)
    make_external_call(
        explained,
        operation_name="confirmation",
        entity_id=explained.correlation_id,
        state="FAILED_END",
        failed_count=4,
        last_update_timestamp=ago(20),
    )
    check_explanation(
        explained,
        "confirmation_given_up",
        (
            "OK since 2026-11-02 11:58:50 UTC, but CRM was not notified: 4 attempts to confirm "
            "failed, the last at 2026-11-02 11:59:40 UTC, and the hub gave up. Notify the source "
            "system by other means."
        ),
        next={"what": "check_target", "by": "operator"},
    )


def test_explains_an_archived_message_whose_source_was_not_notified():
    explained = make_archived_message(msg_id=101)
    for n, op in ((901, "direct:x"), (902, "confirmation")):
        ArchiveExternalCall.objects.create(
            call_id=n,
            msg_id=101,
            operation_name=op,
            state="FAILED_END" if n == 902 else "OK",
            entity_id=f"e{n}",
            msg_timestamp=ago(60),
            creation_timestamp=ago(60),
            last_update_timestamp=ago(59),
            failed_count=3,
        )
    check_explanation(
        explained,
        "confirmation_given_up",
        (
            "OK since 2026-11-01 12:01:41 UTC, but CRM was not notified: 3 attempts to confirm "
            "failed, the last at 2026-11-02 11:59:01 UTC, and the hub gave up. Notify the source "
            "system by other means. It is in the archive."
        ),
        next={"what": "check_target", "by": "operator"},
    )


def test_explains_an_archived_message_with_another_failed_call():
    explained = make_archived_message(msg_id=101)
    ArchiveExternalCall.objects.create(
        call_id=901,
        msg_id=101,
        operation_name="direct:x",
        state="FAILED_END",
        entity_id="e",
        msg_timestamp=ago(60),
        creation_timestamp=ago(60),
        last_update_timestamp=ago(59),
        failed_count=3,
    )
    check_explanation(
        explained,
        "done",
        ("OK since 2026-11-01 12:01:41 UTC. No further action. It is in the archive."),
        next={"what": "nothing", "by": "nobody"},
    )


def test_explains_a_call_that_a_newer_message_had_made():
    explained = stored(
        "OK",
        msg_id=101,
        object_id="42",
        age=100,
        start_process_timestamp=ago(50),
        last_process_timestamp=ago(40),
    )
    n = stored("OK", msg_id=102, object_id="42", age=90)
    make_external_call(
        n,
        operation_name="direct:erp",
        creation_timestamp=ago(95),
        last_update_timestamp=ago(50),
        entity_id="42",
    )
    check_explanation(
        explained,
        "call_probably_skipped",
        (
            "OK since 2026-11-02 11:59:20 UTC. Its call direct:erp was probably skipped: message "
            "102, newer and for the same object 42, made it at 2026-11-02 11:58:25 UTC. No "
            "further action; check there whether the data of this message was needed."
        ),
        next={"what": "check_target", "by": "operator"},
        mentions=[102],
    )


def test_explains_a_call_that_a_newer_message_took_over():
    explained = stored(
        "OK",
        msg_id=101,
        object_id="42",
        age=100,
        start_process_timestamp=ago(50),
        last_process_timestamp=ago(40),
    )
    n = stored("OK", msg_id=102, object_id="42", age=90)
    make_external_call(
        n,
        operation_name="direct:erp",
        creation_timestamp=ago(95),
        last_update_timestamp=ago(49),
        entity_id="42",
    )
    check_explanation(
        explained,
        "call_probably_taken_over",
        (
            "OK since 2026-11-02 11:59:20 UTC. Message 102, newer and for the same object 42, has "
            "probably taken over its call direct:erp, which is OK since 2026-11-02 11:59:11 UTC "
            "and now belongs to 102. No further action."
        ),
        next={"what": "nothing", "by": "nobody"},
        mentions=[102],
    )


def test_explains_a_call_that_was_taken_over_from_a_message_without_a_start():
    explained = stored(
        "OK",
        msg_id=101,
        object_id="42",
        age=100,
        start_process_timestamp=None,
        last_process_timestamp=ago(40),
    )
    n = stored("OK", msg_id=102, object_id="42", age=90)
    make_external_call(
        n,
        operation_name="direct:erp",
        creation_timestamp=ago(95),
        last_update_timestamp=ago(51),
        entity_id="42",
    )
    check_explanation(
        explained,
        "call_probably_taken_over",
        (
            "OK since 2026-11-02 11:59:20 UTC. Message 102, newer and for the same object 42, has "
            "probably taken over its call direct:erp, which is OK since 2026-11-02 11:59:09 UTC "
            "and now belongs to 102. No further action."
        ),
        next={"what": "nothing", "by": "nobody"},
        mentions=[102],
    )


def test_explains_an_overwritten_cancel():
    explained = stored("OK", msg_id=101)
    record_change(explained, "POSTPONED", "CANCEL", actor="ada", age=90)
    record_change(explained, "CANCEL", "OK", age=60)
    check_explanation(
        explained,
        "cancel_overtaken",
        (
            "OK since 2026-11-02 11:59:00 UTC, although cancelled by ada at 2026-11-02 11:58:30 "
            "UTC when it was POSTPONED: the hub was processing it, finished and overwrote the "
            "cancel. No further action; its effects are not undone."
        ),
        next={"what": "nothing", "by": "nobody"},
    )


def test_explains_a_cancel_overwritten_by_a_failure():
    explained = stored("OK", msg_id=101)
    record_change(explained, "PROCESSING", "CANCEL", actor="ada", age=90)
    record_change(explained, "CANCEL", "PARTLY_FAILED", age=60)
    check_explanation(
        explained,
        "cancel_overtaken",
        (
            "OK since 2026-11-02 11:59:00 UTC, although cancelled by ada at 2026-11-02 11:58:30 "
            "UTC when it was PROCESSING: the hub was processing it, finished and overwrote the "
            "cancel. No further action; its effects are not undone."
        ),
        next={"what": "nothing", "by": "nobody"},
    )


def test_explains_a_cancel_without_a_reason():
    explained = stored("CANCEL", msg_id=101)
    record_change(explained, "POSTPONED", "CANCEL", actor="ada", age=90)
    check_explanation(
        explained,
        "cancelled",
        (
            "Cancelled by ada at 2026-11-02 11:58:30 UTC: it was POSTPONED. The hub will not "
            "retry it unless it is restarted."
        ),
        next={"what": "nothing", "by": "nobody"},
    )


def test_explains_a_cancel_with_its_reason():
    explained = stored("CANCEL", msg_id=101)
    record_change(explained, "POSTPONED", "CANCEL", actor="ada", age=90)
    audit.record_entry(actor=audit.Actor(username="ada"), action="restart", msg_id=101, reason="the restart")
    audit.record_entry(actor=audit.Actor(username="ada"), action="cancel", msg_id=101, reason="the cancel")
    check_explanation(
        explained,
        "cancelled",
        (
            "Cancelled by ada at 2026-11-02 11:58:30 UTC (“the cancel”): it was POSTPONED. The "
            "hub will not retry it unless it is restarted."
        ),
        next={"what": "nothing", "by": "nobody"},
    )


def test_explains_an_archived_message_that_was_not_finished():
    check_explanation(
        make_archived_message(msg_id=101, state="POSTPONED", **ERROR),
        "archived_unfinished",
        (
            "It was archived in POSTPONED, unfinished. The hub does not continue with it. Restore "
            "it if it is still needed."
        ),
        next={"what": "restore", "by": "operator"},
    )


def test_explains_an_archived_cancelled_message():
    check_explanation(
        make_archived_message(msg_id=101, state="CANCEL"),
        "cancelled",
        ("Cancelled; the hub did not record who or when. The hub will not retry it. It is in the archive."),
        next={"what": "nothing", "by": "nobody"},
    )
