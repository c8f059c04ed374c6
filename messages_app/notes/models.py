"""Notes, and the users whom they mention."""

from enum import StrEnum

from django.conf import settings
from django.db import models
from django.db.models.functions import Now

from messages_app.core.plain_model import PlainModel

MAX_NOTE = 20_000


class NoteKind(StrEnum):
    MESSAGE = "message"
    INCIDENT = "incident"
    JOB = "job"
    SHIFT = "shift"  # without a subject


class Note(PlainModel):
    """
    A note on one subject. It is not changed; its author can delete it.

    Attributes:
        subject: the id of the message, which may be archived, the incident or the job; 0 for a shift.
        author: the name of a user, as in the audit log.
    """

    note_id = models.BigAutoField(primary_key=True)
    kind = models.CharField(max_length=10)
    subject = models.BigIntegerField()
    author = models.CharField(max_length=150)
    text = models.TextField()
    at = models.DateTimeField(db_default=Now())

    class Meta(PlainModel.Meta):
        db_table = "note"
        # The notes on a subject, newest first; those of shifts since a time.
        indexes = [models.Index(fields=["kind", "subject", "at"], name="note_subject_idx")]


class NoteMention(PlainModel):
    """A user whom a note mentions."""

    pk = models.CompositePrimaryKey("user_id", "note_id")
    note = models.ForeignKey(Note, on_delete=models.CASCADE, related_name="mentions")
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+", db_index=False
    )

    class Meta(PlainModel.Meta):
        db_table = "note_mention"
