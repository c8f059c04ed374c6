"""The jobs that acted on a message are in its timeline as actions of their operators."""

import pytest

from messages_app.jobs.models import JobChunk
from messages_app.messages.models import ResentMessage
from messages_app.messages.timeline.entries import Entry, Kind
from messages_app.messages.timeline.history import timeline_of
from messages_app.messages.timeline.waterfall import draw_waterfall
from messages_app.shared.job_states import JobKind
from tests.messages_app.messages.detail.rows import make_event
from tests.support.factories import NOON, make_archived_message, make_message
from tests.support.ledgers import restarting_job
from tests.support.page_client import client_of, text_of

pytestmark = pytest.mark.django_db


def actions_of(message) -> list[tuple[str, int | None, str]]:
    entries = timeline_of(message).entries
    return [(entry.sentence, entry.id, entry.note) for entry in entries if entry.kind == Kind.OPERATOR_ACTION]


class TestJobs:
    def test_are_shown_if_they_restarted_or_cancelled_it(self):
        message = make_message(state="CANCEL")
        first = restarting_job(message, reason="billing is back", options={"total": True})
        second = restarting_job(message, kind=JobKind.CANCEL, new_state="CANCEL", created_by="bob")
        assert actions_of(message) == [
            ("Restarted from scratch by ada", first.pk, "billing is back"),
            ("Cancelled by bob", second.pk, "the gateway is back"),
        ]

    @pytest.mark.parametrize(
        ("kind", "words"), [(JobKind.ARCHIVE, "Archived by ada"), (JobKind.RESTORE, "Restored by ada")]
    )
    def test_are_shown_if_they_moved_it(self, kind, words):
        message = make_archived_message()
        job = restarting_job(message, kind=kind, new_state=None)
        JobChunk.objects.filter(job_id=job.pk).update(moved={"message": 1, "request": 2})
        assert actions_of(message) == [(words, job.pk, "the gateway is back")]

    def test_are_shown_if_they_resent_it(self):
        message = make_message(state="FAILED")
        job = restarting_job(message, kind=JobKind.RESEND, new_state=None)
        assert actions_of(message) == []
        ResentMessage.objects.create(original_id=message.pk, msg_id=message.pk + 1, job_id=job.pk)
        assert actions_of(message) == [("Resent by ada", job.pk, "the gateway is back")]

    @pytest.mark.parametrize(
        "columns",
        [
            {"kind": JobKind.EXPORT, "new_state": None},
            {"kind": JobKind.REPROCESS, "new_state": "0"},
            {"outcome": "skipped:state_conflict"},
            {"outcome": None},
        ],
    )
    def test_that_did_not_act_on_it_are_left_out(self, columns):
        message = make_message()
        restarting_job(message, **columns)
        assert actions_of(message) == []

    def test_have_the_time_of_the_change(self):
        message = make_message(state="PARTLY_FAILED")
        job = restarting_job(message, finished_at=None)
        changed_at = job.created_at
        make_event(message, "FAILED", "PARTLY_FAILED", at=changed_at, actor="ada")
        entries = timeline_of(message).entries
        assert [entry.at for entry in entries if entry.kind == Kind.OPERATOR_ACTION] == [changed_at]

    def test_are_drawn_once(self):
        message = make_message(state="CANCEL")
        job = restarting_job(message, kind=JobKind.CANCEL, new_state="CANCEL", finished_at=None)
        at = job.created_at
        make_event(message, "POSTPONED", "CANCEL", at=at, actor="ada")
        rows = [row.entry for row in draw_waterfall(timeline_of(message)).rows]
        assert [entry.kind for entry in rows if entry.id == job.pk] == [Kind.OPERATOR_ACTION]


class TestSentence:
    @pytest.mark.parametrize(
        ("text", "state", "sentence"),
        [
            ("Restart", "done", "Restarted by ada"),
            ("Restart from scratch", "done", "Restarted from scratch by ada"),
            ("Restart", "refused", "Restart refused, by ada"),
            ("Merge", "done", "Merge by ada"),
        ],
    )
    def test_names_the_action_and_the_operator(self, text, state, sentence):
        entry = Entry(at=NOON, kind=Kind.OPERATOR_ACTION, text=text, state=state, actor="ada")
        assert entry.sentence == sentence


class TestPage:
    def test_shows_the_sentence_with_a_link_to_the_job_in_the_list_below_the_timeline(self):
        message = make_message(state="OK")
        job = restarting_job(message, reason="billing is back")
        page = text_of(client_of("operator").get(f"/messages/{message.pk}/"))
        rows = page.partition('id="timeline"')[2].partition("</section>")[0]
        words = " ".join(rows.split())
        assert f'Restarted by ada, <a href="/jobs/{job.pk}/">job {job.pk}</a>, “billing is back”' in words
