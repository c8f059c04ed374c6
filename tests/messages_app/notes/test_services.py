import pytest

from messages_app.audit.models import AuditEntry
from messages_app.audit.services import Actor
from messages_app.core.problems import Problem
from messages_app.notes.models import Note, NoteKind, NoteMention
from messages_app.notes.selectors import count_new_mentions, latest_notes, notes_mentioning, notes_on
from messages_app.notes.services import DeletedNote, NoteNotFound, add_note, delete_note
from tests.support.factories import make_user

pytestmark = pytest.mark.django_db

ADA = Actor(username="ada")


class TestAddNote:
    def test_mentions_active_users_and_records_no_text(self):
        bob, old = make_user(username="bob"), make_user(username="old")
        type(old).objects.filter(pk=old.pk).update(is_active=False)
        note = add_note(kind=NoteKind.MESSAGE, subject=7, text=" @bob, @old and @eve: call. ", actor=ADA)
        (read,) = notes_on(NoteKind.MESSAGE, 7)
        assert (read.note.pk, read.note.author, read.mentions) == (note.pk, "ada", frozenset({"bob"}))
        assert read.note.text == "@bob, @old and @eve: call."
        assert [one.note.pk for one in notes_mentioning(bob)] == [note.pk]
        assert (count_new_mentions(bob), count_new_mentions(old)) == (1, 0)
        entry = AuditEntry.objects.get()
        assert (entry.action, entry.msg_id, entry.details) == (
            "add_note",
            7,
            {"note": note.pk, "mentioned": 1},
        )

    def test_mentions_the_only_user_of_a_name_in_other_upper_and_lower_case(self):
        for name in ("admin", "bob", "Bob"):
            make_user(username=name)
        add_note(kind=NoteKind.JOB, subject=7, text="@ADMIN, @BOB, @Bob and @eve", actor=ADA)
        (read,) = notes_on(NoteKind.JOB, 7)
        assert read.mentions == frozenset({"admin", "Bob"})
        assert "eve" in read.unknown_mentions

    @pytest.mark.parametrize(
        "text", ["", "  ", "\u200b", "\u3164 \u2800\n", "\u2060\ufeff\ufe0f", "a\0b", "n" * 20_001]
    )
    def test_refuses_texts_that_are_empty_or_too_long(self, text):
        with pytest.raises(Problem) as refused:
            add_note(kind=NoteKind.JOB, subject=7, text=text, actor=ADA)
        assert refused.value.errors[0].field == "text"
        assert not Note.objects.exists()

    def test_is_on_one_subject_of_one_kind(self):
        add_note(kind=NoteKind.JOB, subject=7, text="one", actor=ADA)
        add_note(kind=NoteKind.INCIDENT, subject=7, text="two", actor=ADA)
        add_note(kind=NoteKind.INCIDENT, subject=7, text="three", actor=ADA)
        add_note(kind=NoteKind.INCIDENT, subject=8, text="four", actor=ADA)
        assert [one.note.text for one in notes_on(NoteKind.INCIDENT, 7)] == ["three", "two"]
        assert latest_notes(NoteKind.INCIDENT, [7, 8, 9]) == {7: "three", 8: "four"}
        columns = AuditEntry.objects.order_by("pk").values_list("job_id", "subject_kind", "subject")
        assert list(columns)[:2] == [(7, "", ""), (None, "incident", "7")]


class TestDeleteNote:
    def test_deletes_only_notes_of_the_author(self):
        make_user(username="bob")
        note = add_note(kind=NoteKind.INCIDENT, subject=7, text="@bob", actor=ADA)
        with pytest.raises(NoteNotFound):
            delete_note(note_id=note.pk, actor=Actor(username="bob"))
        deleted = delete_note(note_id=note.pk, actor=ADA)
        assert deleted == DeletedNote(kind=NoteKind.INCIDENT, subject=7, text="@bob", at=note.at)
        assert not NoteMention.objects.exists()
        with pytest.raises(NoteNotFound):
            delete_note(note_id=note.pk, actor=ADA)
        actions = list(AuditEntry.objects.order_by("pk").values_list("action", flat=True))
        assert actions == ["add_note", "delete_note"]
