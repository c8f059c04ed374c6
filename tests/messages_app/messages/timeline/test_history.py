from datetime import timedelta

import pytest
from django.db import connection

from messages_app.audit import services as audit
from messages_app.jobs.models import Job
from messages_app.messages import services
from messages_app.messages.models import ArchiveExternalCall, ArchiveMessage, Message
from messages_app.messages.timeline.entries import Entry, Kind
from messages_app.messages.timeline.history import EACH_END, Timeline, _cut_entries, timeline_of
from tests.messages_app.messages.detail.rows import make_event, plans
from tests.support.factories import (
    NOON,
    make_archived_message,
    make_external_call,
    make_message,
    make_request,
    make_response,
    next_id,
)
from tests.support.ledgers import restarting_job

pytestmark = pytest.mark.django_db

ADA = audit.Actor(username="ada")


def at(seconds: float):
    return NOON + timedelta(seconds=seconds)


def texts_of(message: Message) -> list[tuple]:
    return [(entry.kind, entry.text) for entry in timeline_of(message, at=at(1000)).entries]


class TestTimelineOf:
    def test_returns_all_events_in_time_order(self):
        message = make_message(state="OK", receive_timestamp=NOON, start_process_timestamp=at(61))
        make_event(message, "PROCESSING", "PARTLY_FAILED", at=at(1))
        make_event(message, "PARTLY_FAILED", "PROCESSING", at=at(61))
        make_event(message, "PROCESSING", "OK", at=at(63))
        make_external_call(message, creation_timestamp=at(61.5), last_update_timestamp=at(62))
        make_response(make_request(message, req_timestamp=at(61.6)))
        assert texts_of(message) == [
            (Kind.RECEIVED, "Received by the hub"),
            (Kind.ATTEMPT, "Attempt 1"),
            (Kind.WAIT, "60 s until the next attempt"),
            (Kind.STATE_CHANGE, "PROCESSING → PARTLY_FAILED"),
            (Kind.ATTEMPT, "Attempt 2"),
            (Kind.STATE_CHANGE, "PARTLY_FAILED → PROCESSING"),
            (Kind.EXTERNAL_CALL, "direct:billing"),
            (Kind.REQUEST, "http://billing.example/ws"),
            (Kind.RESPONSE, "Response"),
            (Kind.STATE_CHANGE, "PROCESSING → OK"),
        ]

    def test_combines_changes_by_the_hub_and_by_operators(self):
        message = make_message(state="FAILED")
        services.restart_message(msg_id=message.pk, actor=ADA, reason="the gateway is back")
        _become_the_hub()
        Message.objects.filter(pk=message.pk).update(state="PROCESSING")
        for action in ("view_payload", "add_note", "delete_note"):
            audit.record_entry(actor=ADA, action=action, msg_id=message.pk)
        entries = timeline_of(message).entries
        assert [entry.at for entry in entries] == sorted(entry.at for entry in entries)
        found = {(entry.kind, entry.text, entry.state, entry.actor, entry.note) for entry in entries}
        assert (
            Kind.STATE_CHANGE,
            "FAILED → PARTLY_FAILED",
            "PARTLY_FAILED",
            "ada",
            "Restart: the gateway is back",
        ) in found
        assert (Kind.OPERATOR_ACTION, "Restart", "done", "ada", "the gateway is back") in found
        assert (Kind.STATE_CHANGE, "PARTLY_FAILED → PROCESSING", "PROCESSING", "", "") in found
        assert not any(word in entry.text for entry in entries for word in ("View", "note"))

    def test_reports_why_a_change_was_made_and_by_which_job(self):
        message = make_message(state="PARTLY_FAILED")
        job = restarting_job(message, reason="the gateway is back", finished_at=None)
        make_event(message, "FAILED", "PARTLY_FAILED", at=job.created_at + timedelta(seconds=1), actor="ada")
        make_event(message, "PARTLY_FAILED", "PROCESSING", at=job.created_at + timedelta(seconds=2))
        finished_at = job.created_at + timedelta(seconds=3)
        Job.objects.filter(pk=job.pk).update(finished_at=finished_at)
        # This job made neither the later change nor the one by someone else.
        make_event(message, "FAILED", "PARTLY_FAILED", at=finished_at + timedelta(seconds=1), actor="ada")
        make_event(
            message, "FAILED", "PARTLY_FAILED", at=finished_at - timedelta(milliseconds=1), actor="bob"
        )
        changes = [entry for entry in timeline_of(message).entries if entry.kind == Kind.STATE_CHANGE]
        assert [(entry.actor, entry.id, entry.note) for entry in changes] == [
            ("ada", job.pk, "Restart: the gateway is back"),
            ("", None, ""),
            ("bob", None, ""),
            ("ada", None, ""),
        ]

    def test_shows_the_last_attempt_without_a_history(self):
        message = make_message(
            state="POSTPONED",
            receive_timestamp=NOON,
            start_process_timestamp=at(1),
            last_process_timestamp=at(2),
        )
        assert texts_of(message) == [
            (Kind.RECEIVED, "Received by the hub"),
            (Kind.ATTEMPT, "Attempt"),
            (Kind.WAIT, "In POSTPONED for 16 min so far"),
        ]

    def test_reads_an_archived_message_from_the_archive(self):
        message = make_archived_message()
        ArchiveExternalCall.objects.create(
            call_id=next_id(),
            msg_id=message.pk,
            operation_name="direct:x",
            state="OK",
            entity_id="e",
            msg_timestamp=NOON,
            creation_timestamp=NOON,
            last_update_timestamp=NOON,
        )
        make_event(message, "PROCESSING", "OK", at=NOON)
        kinds = {entry.kind for entry in timeline_of(ArchiveMessage.objects.get(pk=message.pk)).entries}
        assert {Kind.EXTERNAL_CALL, Kind.STATE_CHANGE, Kind.ATTEMPT} <= kinds

    def test_keeps_both_ends_of_ten_thousand_events(self, django_assert_max_num_queries):
        message = make_message(state="POSTPONED", receive_timestamp=NOON)
        _change_state(message, times=10_000)
        with django_assert_max_num_queries(9):
            found = timeline_of(message)
        assert (found.is_truncated, found.cut_at, len(found.entries)) == (True, EACH_END, 2 * EACH_END)
        assert found.entries[0].kind == Kind.RECEIVED
        assert found.entries[-1].is_open or found.entries[-1].at >= at(9_999)
        assert [entry.position for entry in found.entries] == sorted(
            entry.position for entry in found.entries
        )

    def test_has_the_time_and_the_states_of_the_message(self):
        message = make_message(state="OK", receive_timestamp=NOON, start_process_timestamp=at(1))
        make_event(message, "PROCESSING", "OK", at=at(3))
        found = timeline_of(message, at=at(1000))
        assert (found.at, found.cut_at, found.actions) == (at(1000), None, [])
        assert next((span.state, span.until) for span in found.spans) == ("PROCESSING", at(3))

    def test_is_complete_if_it_is_short(self):
        assert not timeline_of(make_message()).is_truncated

    def test_reads_every_table_by_an_index(self):
        message = make_message()
        make_response(make_request(message))
        for plan in plans(lambda: timeline_of(message)):
            assert "Seq Scan" not in plan, plan


@pytest.mark.parametrize(
    ("count", "is_cut", "cut_at"),
    [(2 * EACH_END, False, None), (2 * EACH_END + 1, False, EACH_END), (4, True, 2), (5, True, 2)],
)
def test_both_ends_are_kept_of_a_long_or_cut_timeline(count, is_cut, cut_at):
    entries = [Entry(at=at(second), kind=Kind.QUEUED, text=str(second)) for second in range(count)]
    whole = Timeline(entries=entries, cut_at=None, spans=[], at=NOON)
    kept = _cut_entries(whole, is_cut)
    ends = entries if count <= 2 * EACH_END else entries[:EACH_END] + entries[-EACH_END:]
    assert (kept.entries, kept.cut_at, kept.is_truncated) == (ends, cut_at, cut_at is not None)


def _become_the_hub() -> None:
    """Clear the operator's name, as the end of a transaction does."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT set_config('hubconsole.actor', '', true)")


def _change_state(message: Message, *, times: int) -> None:
    """Record this many changes between PROCESSING and POSTPONED, one per second."""
    with connection.cursor() as cursor:
        cursor.execute(
            """
            INSERT INTO message_event (msg_id, from_state, to_state, at)
            SELECT %s, CASE n %% 2 WHEN 0 THEN 'POSTPONED' ELSE 'PROCESSING' END,
                   CASE n %% 2 WHEN 0 THEN 'PROCESSING' ELSE 'POSTPONED' END, %s + n * interval '1 s'
              FROM generate_series(1, %s) AS n
            """,
            [message.pk, NOON, times],
        )
