"""The subjects of notes: their pages, the permissions to see them, and whether they exist."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from django.urls import reverse

from messages_app.access import roles
from messages_app.access.actors import Caller
from messages_app.incidents.models import Incident
from messages_app.jobs.models import Job
from messages_app.messages.tables import MessageNotFound, locate_message
from messages_app.notes.models import NoteKind


class SubjectNotFound(LookupError):
    """There is no such message, incident or job."""


@dataclass(frozen=True, kw_only=True)
class NotedKind:
    """
    A kind of subjects.

    Args:
        name: how a subject is named, before its id.
        route: of the page of a subject.
        right: the permission to see it.
    """

    name: str
    route: str
    exists: Callable[[int], bool]
    right: str = roles.CAN_VIEW_MESSAGES


def _is_message(msg_id: int) -> bool:
    try:
        locate_message(msg_id, lambda rows: rows.only("msg_id"))
    except MessageNotFound:
        return False
    return True


NOTED: Mapping[NoteKind, NotedKind] = {
    NoteKind.MESSAGE: NotedKind(name="message", route="message-detail", exists=_is_message),
    NoteKind.INCIDENT: NotedKind(
        name="incident",
        route="incident",
        exists=lambda incident_id: Incident.objects.filter(pk=incident_id, merged_into=None).exists(),
    ),
    NoteKind.JOB: NotedKind(
        name="job",
        route="job-detail",
        exists=lambda job_id: Job.objects.filter(pk=job_id).exists(),
        right=roles.CAN_VIEW_JOBS,
    ),
    NoteKind.SHIFT: NotedKind(
        name="shift", route="handover", exists=lambda subject: subject == 0, right=roles.CAN_VIEW_JOBS
    ),
}


def check_subject(kind: NoteKind, subject: int) -> None:
    """Raise SubjectNotFound unless the subject exists."""
    if not NOTED[kind].exists(subject):
        raise SubjectNotFound(f"No {NOTED[kind].name} has the id {subject}.")


def may_see(user: Caller, kind: str) -> bool:
    return user.has_perm(NOTED[NoteKind(kind)].right)


def address_of(kind: str, subject: int) -> str:
    """Return the address of the page with the notes on a subject."""
    return reverse(NOTED[NoteKind(kind)].route, args=[subject] if subject else []) + "#notes"


def name_of(kind: str, subject: int) -> str:
    return f"{NOTED[NoteKind(kind)].name} {subject}" if subject else NOTED[NoteKind(kind)].name
