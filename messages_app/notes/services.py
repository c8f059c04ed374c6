"""
Writes and deletes notes, with an audit entry for each.

The entries do not contain the text, because the audit log is never changed, and a person can be erased from a
note.
"""

from dataclasses import asdict, dataclass
from datetime import datetime

from django.db import transaction

from messages_app.audit import services as audit
from messages_app.core.problems import bad_field
from messages_app.core.statements import Statements
from messages_app.core.undo import UNDONE
from messages_app.notes.mentions import find_name, mentions_in
from messages_app.notes.models import MAX_NOTE, Note, NoteKind
from messages_app.shared.visible_text import is_blank

statements = Statements("messages_app.notes")


class NoteNotFound(LookupError):
    """No note with this id was written by the actor."""

    def __init__(self, note_id: int) -> None:
        super().__init__(f"You have not written a note with the id {note_id}.")


class NoteIsThere(ValueError):
    """The note is not deleted."""


@dataclass(frozen=True, kw_only=True)
class DeletedNote:
    """The columns of a note that was deleted."""

    kind: NoteKind
    subject: int
    text: str
    at: datetime


def add_note(*, kind: NoteKind, subject: int = 0, text: str, actor: audit.Actor) -> Note:
    """
    Write a note on a subject, which the caller has found.

    Raises:
        Problem: 400, the text is empty or too long.
    """
    text = text.strip()
    if is_blank(text):
        raise bad_field("text", "required", "text must have at least one visible character.")
    if len(text) > MAX_NOTE or "\0" in text:
        raise bad_field("text", "too_long", f"text must have at most {MAX_NOTE} characters.")
    with transaction.atomic():
        note = Note.objects.create(kind=kind, subject=subject, author=actor.username, text=text)
        mentioned = _mention_users(note.pk, text)
        _record_change("add_note", kind, subject, actor, {"note": note.pk, "mentioned": mentioned})
    note.refresh_from_db()
    return note


def delete_note(*, note_id: int, actor: audit.Actor, reason: str = "") -> DeletedNote:
    """
    Delete a note of the actor, and return it.

    Raises:
        NoteNotFound: there is no such note of the actor.
    """
    with transaction.atomic():
        row = statements.fetch_row("delete_note", {"note_id": note_id, "author": actor.username})
        if row is None:
            raise NoteNotFound(note_id)
        kind, subject, text, at = row
        note = DeletedNote(kind=NoteKind(kind), subject=subject, text=text, at=at)
        _record_change("delete_note", note.kind, note.subject, actor, {"note": note_id}, reason)
    return note


def restore_note(*, note_id: int, note: DeletedNote, actor: audit.Actor) -> None:
    """
    Store a note that the actor has deleted again, with the users whom it mentions.

    Raises:
        NoteIsThere: it was restored before.
    """
    with transaction.atomic():
        if not statements.count(
            "restore_note", {"note_id": note_id, "author": actor.username, **asdict(note)}
        ):
            raise NoteIsThere
        mentioned = _mention_users(note_id, note.text)
        details: dict[str, object] = {"note": note_id, "mentioned": mentioned}
        _record_change("add_note", note.kind, note.subject, actor, details, UNDONE)


def _mention_users(note_id: int, text: str) -> int:
    """Store the users whom a note mentions, and return their number."""
    users = _find_users(text)
    return statements.count("mention_users", {"note_id": note_id, "users": users}) if users else 0


def _find_users(text: str) -> list[int]:
    """Return the ids of the active users whom a text mentions."""
    mentions = list(mentions_in(text))
    names = sorted({spelling for mention in mentions for spelling in mention.spellings})
    rows = statements.fetch_rows("users_of_names", {"names": names}) if names else []
    ids = {username: user_id for user_id, username in rows}
    meant = {find_name(mention, ids)[1] for mention in mentions} - {""}
    return sorted(ids[name] for name in meant)


def _record_change(
    action: str,
    kind: NoteKind,
    subject: int,
    actor: audit.Actor,
    details: dict[str, object],
    reason: str = "",
) -> None:
    columns: audit.Columns = {"action": action, "reason": reason}
    if kind == NoteKind.MESSAGE:
        columns["msg_id"] = subject
    elif kind == NoteKind.JOB:
        columns["job_id"] = subject
    elif kind == NoteKind.INCIDENT:
        columns["subject_kind"] = "incident"
    is_named = columns.get("subject_kind")
    audit.record_entry(actor=actor, subject=subject if is_named else "", details=details, **columns)
