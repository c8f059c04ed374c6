"""Reads the notes on a subject or since a time, and mentions of a user."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.contrib.auth.models import User
from django.db.models import QuerySet
from django.db.models.functions import Now

from messages_app.core.statements import Statements
from messages_app.notes.mentions import unknown_names
from messages_app.notes.models import Note, NoteKind, NoteMention

statements = Statements("messages_app.notes")

MAX_NOTES = 100
# A mention is announced on the first page for this long.
_ANNOUNCED = timedelta(days=7)


@dataclass(frozen=True, kw_only=True)
class ReadNote:
    """A note with the names of the users whom it mentions."""

    note: Note
    mentions: frozenset[str]

    @property
    def unknown_mentions(self) -> list[str]:
        """The names after an @ that mention no one."""
        return unknown_names(self.note.text, self.mentions)


def notes_on(kind: NoteKind, subject: int = 0, *, since: datetime | None = None) -> list[ReadNote]:
    """Return the newest notes on a subject, newest first."""
    rows = Note.objects.filter(kind=kind, subject=subject).order_by("-at", "-note_id")
    return _read_mentions((rows.filter(at__gte=since) if since else rows)[:MAX_NOTES])


def notes_mentioning(user: User) -> list[ReadNote]:
    """Return the newest notes that mention a user, newest first."""
    mentions = _mentions_of(user).order_by("-note_id").values_list("note_id", flat=True)[:MAX_NOTES]
    return _read_mentions(Note.objects.filter(pk__in=list(mentions)).order_by("-note_id"))


def count_new_mentions(user: User) -> int:
    """Return how many of the newest notes that mention a user were written in the last days."""
    note_ids = list(_mentions_of(user).order_by("-note_id").values_list("note_id", flat=True)[:MAX_NOTES])
    return Note.objects.filter(pk__in=note_ids, at__gte=Now() - _ANNOUNCED).count() if note_ids else 0


def read_note(note: Note) -> ReadNote:
    """Return a note with its mentions."""
    return _read_mentions([note])[0]


def latest_notes(kind: NoteKind, subjects: Collection[int]) -> Mapping[int, str]:
    """Return the text of the newest note on each of the subjects that have notes."""
    if not subjects:
        return {}
    return dict(statements.fetch_rows("latest_notes", {"kind": kind, "subjects": list(subjects)}))


def _mentions_of(user: User) -> QuerySet[NoteMention]:
    return NoteMention.objects.filter(user=user)


def _read_mentions(notes: Iterable[Note]) -> list[ReadNote]:
    notes = list(notes)
    names: dict[int, set[str]] = defaultdict(set)
    if notes:
        mentions = NoteMention.objects.filter(note__in=notes).values_list("note_id", "user__username")
        for note_id, name in mentions:
            names[note_id].add(name)
    return [ReadNote(note=note, mentions=frozenset(names[note.pk])) for note in notes]
