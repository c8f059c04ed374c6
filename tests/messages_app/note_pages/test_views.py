import pytest

from messages_app.audit.models import AuditEntry
from messages_app.audit.services import Actor
from messages_app.jobs.models import Job
from messages_app.notes.models import Note, NoteKind
from messages_app.notes.selectors import notes_mentioning
from messages_app.notes.services import add_note
from tests.messages_app.erasure.test_incidents import make_incident
from tests.support.factories import NOON, make_message, make_user
from tests.support.page_client import client_of, notices_of, text_of
from tests.support.page_undo import press_undo

pytestmark = pytest.mark.django_db

ADA = Actor(username="ada")


def make_subject(kind: str) -> tuple[int, str]:
    """Return a subject with the address of its page."""
    if kind == "message":
        msg_id = make_message().pk
        return msg_id, f"/messages/{msg_id}/"
    if kind == "incident":
        incident_id = make_incident("x").pk
        return incident_id, f"/incidents/{incident_id}/"
    if kind == "job":
        job_id = Job.objects.create(kind="cancel", state="done", created_by="ada").pk
        return job_id, f"/jobs/{job_id}/"
    return 0, "/handover/"


class TestWriteNote:
    @pytest.mark.parametrize("kind", ["message", "incident", "job"])
    def test_shows_it_with_links_to_users_and_text_escaped(self, kind):
        client, _ = client_of("support", username="ada"), make_user(username="bob")
        subject, page = make_subject(kind)
        answer = client.post(f"/notes/{kind}/{subject}/", {"text": "@bob <i>call</i> @eve"})
        assert (answer.url, notices_of(answer)) == (
            f"{page}#notes",
            ["Note added. No one is mentioned by @eve: no active user has this name."],
        )
        text = text_of(client.get(page))
        assert '<a href="/mentions/?user=bob">@bob</a> &lt;i&gt;call&lt;/i&gt; @eve' in text
        assert f"/notes/{Note.objects.get().pk}/delete/" in text
        assert f"/notes/{Note.objects.get().pk}/delete/" not in text_of(
            client_of("support", username="bo").get(page)
        )

    def test_shows_an_invalid_one_again(self):
        client, (subject, page) = client_of("support"), make_subject("message")
        for text in (" ", "\u200b\u200b", "\u3164"):
            answer = client.post(f"/notes/message/{subject}/", {"text": text})
            assert answer.status_code == 400
            assert "Write a note." in text_of(answer)
            assert page in text_of(answer)
        assert not Note.objects.exists()

    def test_names_some_of_many_who_were_not_found(self):
        client, (subject, _) = client_of("support"), make_subject("message")
        answer = client.post(f"/notes/message/{subject}/", {"text": "@a @b @c @d @ada"})
        assert notices_of(answer) == [
            "Note added. No one is mentioned by @a, @b and 2 other names: no active user has this name."
        ]
        answer = client.post(f"/notes/message/{subject}/", {"text": "@ADA: call the bank"})
        assert notices_of(answer)[-1] == "Note added."

    def test_has_its_form_above_the_notes(self):
        client, (subject, page) = client_of("support"), make_subject("message")
        client.post(f"/notes/message/{subject}/", {"text": "Call the bank."})
        text = text_of(client.get(page))
        assert text.index('id="new-note"') < text.index("Call the bank.")

    def test_refuses_unknown_subjects_and_kinds(self):
        client = client_of("support")
        for address in ("message/999999", "incident/999999", "job/999999", "shift/1", "queue/1"):
            assert client.post(f"/notes/{address}/", {"text": "t"}).status_code == 404, address
        assert not Note.objects.exists()


class TestRemoveNote:
    def test_deletes_own_notes_only(self):
        subject, page = make_subject("incident")
        note = add_note(kind=NoteKind.INCIDENT, subject=subject, text="t", actor=ADA)
        address = f"/notes/{note.pk}/delete/"
        assert client_of("support", username="bob").post(address).status_code == 404
        answer = client_of("support", username="ada").post(address)
        assert (answer.url, notices_of(answer)) == (f"{page}#notes", ["Note deleted."])

    def test_is_undone_once(self):
        bob, (subject, page) = make_user(username="bob"), make_subject("message")
        note = add_note(kind=NoteKind.MESSAGE, subject=subject, text="call @bob", actor=ADA)
        Note.objects.update(at=NOON)
        client = client_of("support", username="ada")
        shown = client.post(f"/notes/{note.pk}/delete/", follow=True)
        assert not Note.objects.exists()
        answer = press_undo(client, shown)
        assert (answer.url, notices_of(answer)[-1]) == (f"{page}#notes", "Undone.")
        columns = {"note_id": note.pk, "kind": "message", "subject": subject, "author": "ada", "at": NOON}
        assert Note.objects.values(*columns).get() == columns
        assert Note.objects.get().text == "call @bob"
        assert [each.note.pk for each in notes_mentioning(bob)] == [note.pk]
        entry = AuditEntry.objects.latest("pk")
        assert (entry.action, entry.msg_id, entry.reason) == ("add_note", subject, "Undone.")
        assert notices_of(press_undo(client, shown))[-1] == "Not undone: the note has changed since then."
        assert AuditEntry.objects.latest("pk") == entry


class TestMentionList:
    def test_lists_notes_that_mention_the_user_or_another_one(self):
        make_user(username="ada")
        bob = client_of("support", username="bob")
        assert "No mentions yet" in text_of(bob.get("/mentions/"))
        add_note(kind=NoteKind.MESSAGE, subject=7, text="for @bob", actor=ADA)
        add_note(kind=NoteKind.JOB, subject=8, text="for @ada", actor=Actor(username="bob"))
        text = text_of(bob.get("/mentions/"))
        assert "/messages/7/#notes" in text
        assert "/jobs/8/" not in text
        assert "/jobs/8/#notes" in text_of(bob.get("/mentions/?user=ada"))
        assert bob.get("/mentions/?user=nobody").status_code == 404
        make_message()
        assert "1 mention of you" in text_of(bob.get("/"))
