"""Notes as the API shows and takes them."""

from rest_framework import serializers

from messages_app.core.api_schema import CodeField
from messages_app.core.serializers import StrictCharField, StrictSerializer
from messages_app.notes.models import MAX_NOTE, NoteKind
from messages_app.notes.selectors import ReadNote


class NewNoteSerializer(StrictSerializer):
    text = StrictCharField(max_length=MAX_NOTE, help_text="@name mentions a user.")


class NoteSerializer(serializers.Serializer[ReadNote]):
    note_id = serializers.IntegerField(source="note.note_id")
    kind = CodeField("NoteKind", NoteKind, source="note.kind")
    subject = serializers.IntegerField(
        source="note.subject", help_text="The id of the message, incident or job; 0 for a shift."
    )
    author = serializers.CharField(source="note.author")
    text = serializers.CharField(source="note.text")
    at = serializers.DateTimeField(source="note.at")
    mentions = serializers.ListField(child=serializers.CharField(), help_text="Users whom it mentions.")
    unknown_mentions = serializers.ListField(
        child=serializers.CharField(),
        help_text="Names after an @ that no active user has.",
    )
