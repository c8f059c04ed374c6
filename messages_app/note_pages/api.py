"""Notes over REST: on messages, incidents and jobs, and mentions of the caller."""

from collections.abc import Callable
from functools import partial

from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from messages_app.access import roles
from messages_app.access.actors import user_of
from messages_app.access.api import whole_list
from messages_app.access.calls import Action
from messages_app.access.reads import Read
from messages_app.audit.services import Actor
from messages_app.core.api_schema import page_of
from messages_app.core.parameters import read_address_id
from messages_app.core.problems import not_found, problems_for
from messages_app.core.reason_form import MAX_REASON
from messages_app.core.representation import represent_all
from messages_app.core.serializers import StrictCharField, StrictSerializer
from messages_app.note_pages.subjects import NOTED, SubjectNotFound, check_subject, may_see
from messages_app.notes import services
from messages_app.notes.models import Note, NoteKind
from messages_app.notes.selectors import ReadNote, notes_mentioning, notes_on, read_note
from messages_app.notes.serializers import NewNoteSerializer, NoteSerializer


class DeleteNoteSerializer(StrictSerializer):
    reason = StrictCharField(max_length=MAX_REASON, allow_blank=True, default="")


class DeletedNoteSerializer(serializers.Serializer[dict[str, int]]):
    note_id = serializers.IntegerField()


NOTE_PAGE = page_of(NoteSerializer)


def _list_notes(kind: NoteKind, subject: int) -> Response:
    check_subject(kind, subject)
    return whole_list(represent_all(NoteSerializer, notes_on(kind, subject)))


def _write_note(kind: NoteKind, subject: int, text: str, actor: Actor) -> ReadNote:
    check_subject(kind, subject)
    return read_note(services.add_note(kind=kind, subject=subject, text=text, actor=actor))


# The names of the parameters are those of the other calls of the same object.
def list_notes_of_message(*, msg_id: int) -> Response:
    return _list_notes(NoteKind.MESSAGE, msg_id)


def write_note_on_message(*, msg_id: int, text: str, actor: Actor) -> ReadNote:
    return _write_note(NoteKind.MESSAGE, msg_id, text, actor)


def list_notes_of_incident(*, incident_id: int) -> Response:
    return _list_notes(NoteKind.INCIDENT, incident_id)


def write_note_on_incident(*, incident_id: int, text: str, actor: Actor) -> ReadNote:
    return _write_note(NoteKind.INCIDENT, incident_id, text, actor)


def list_notes_of_job(*, job_id: int) -> Response:
    return _list_notes(NoteKind.JOB, job_id)


def write_note_on_job(*, job_id: int, text: str, actor: Actor) -> ReadNote:
    return _write_note(NoteKind.JOB, job_id, text, actor)


def list_mentions(*, request: Request) -> Response:
    user = user_of(request)
    notes = [one for one in notes_mentioning(user) if may_see(user, one.note.kind)]
    return whole_list(represent_all(NoteSerializer, notes))


def show_note(*, note_id: int, request: Request) -> ReadNote:
    note = Note.objects.filter(pk=note_id).first()
    if note is None or not may_see(user_of(request), note.kind):
        raise not_found(f"No note has the id {note_id}.")
    return read_note(note)


def delete_note(*, note_id: int, reason: str, actor: Actor) -> dict[str, int]:
    services.delete_note(note_id=note_id, actor=actor, reason=reason)
    return {"note_id": note_id}


_as_problems = problems_for(
    {
        SubjectNotFound: lambda error: not_found(str(error)),
        services.NoteNotFound: lambda error: not_found(str(error)),
    }
)


def _calls_on(
    kind: NoteKind,
    parameter: str,
    list_notes: Callable[..., Response],
    write_note: Callable[..., ReadNote],
) -> list[Read | Action]:
    noun, right = NOTED[kind].name, NOTED[kind].right
    address, key = f"{noun}s/<str:{parameter}>/notes/", partial(read_address_id, noun=noun)
    return [
        Read(
            address,
            list_notes,
            name=f"{noun.capitalize()} Notes",
            right=right,
            key=key,
            answer=NOTE_PAGE,
            errors=_as_problems,
            operation_id=f"{noun}s_notes_list",
            description=f"List the newest notes on a {noun}, newest first.",
        ),
        Action(
            address,
            write_note,
            right=roles.CAN_HANDLE_INCIDENTS,
            key=key,
            audited_as="add_note",
            body=NewNoteSerializer,
            answer=NoteSerializer,
            statuses=(201,),
            location=f"{noun}s/{{subject}}/notes/",
            errors=_as_problems,
            operation_id=f"{noun}s_notes_create",
            description=f"Write a note on a {noun}. Users whom it names by @name see it in their mentions.",
        ),
    ]


CALLS = [
    *_calls_on(NoteKind.MESSAGE, "msg_id", list_notes_of_message, write_note_on_message),
    *_calls_on(NoteKind.INCIDENT, "incident_id", list_notes_of_incident, write_note_on_incident),
    *_calls_on(NoteKind.JOB, "job_id", list_notes_of_job, write_note_on_job),
    Read(
        "notes/",
        list_mentions,
        name="Mentions",
        right=roles.CAN_VIEW_MESSAGES,
        answer=NOTE_PAGE,
        operation_id="notes_list",
        description="List the newest notes that mention the caller, newest first.",
    ),
    Read(
        "notes/<str:note_id>/",
        show_note,
        name="Note",
        right=roles.CAN_VIEW_MESSAGES,
        key=partial(read_address_id, noun="note"),
        answer=NoteSerializer,
        errors=_as_problems,
        operation_id="notes_retrieve",
        description="Show a note.",
    ),
    Action(
        "notes/<str:note_id>/",
        delete_note,
        method="DELETE",
        right=roles.CAN_HANDLE_INCIDENTS,
        key=partial(read_address_id, noun="note"),
        audited_as="delete_note",
        body=DeleteNoteSerializer,
        answer=DeletedNoteSerializer,
        errors=_as_problems,
        operation_id="notes_destroy",
        description="Delete a note that the caller has written.",
    ),
]
