"""Writes and deletes notes from the pages of their subjects, and lists the notes that mention the user."""

from collections.abc import Sequence
from dataclasses import asdict

from django import forms
from django.contrib import messages as notices
from django.contrib.auth.models import User
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_POST, require_safe

from messages_app.access import roles
from messages_app.access.actors import actor_of, user_of
from messages_app.access.decorators import check_right, requires_permission
from messages_app.core.page_parameters import takes_parameters
from messages_app.core.reason_form import VisibleField
from messages_app.core.undo import make_undo, offer_undo, read_undone, report_undone
from messages_app.note_pages.subjects import (
    NOTED,
    SubjectNotFound,
    address_of,
    check_subject,
    may_see,
    name_of,
)
from messages_app.notes.models import MAX_NOTE, NoteKind
from messages_app.notes.selectors import notes_mentioning, read_note
from messages_app.notes.services import (
    DeletedNote,
    NoteIsThere,
    NoteNotFound,
    add_note,
    delete_note,
    restore_note,
)

# Of the names that mention no one.
_MAX_NAMED = 3


class NoteForm(forms.Form):
    text = VisibleField(
        max_length=MAX_NOTE,
        label="Note",
        widget=forms.Textarea(attrs={"rows": 2, "placeholder": "Write a note, @name mentions a user"}),
        error_messages={"required": "Write a note."},
    )


@require_POST
@requires_permission(roles.CAN_VIEW_MESSAGES)
def write_note(request: HttpRequest, kind: str, subject: int) -> HttpResponse:
    """Write a note, and lead back to its subject. An invalid one is shown again with its error."""
    if kind not in NOTED:
        raise Http404(f"There are no notes on {kind}.")
    noted = NoteKind(kind)
    for right in (NOTED[noted].right, roles.CAN_HANDLE_INCIDENTS):
        check_right(request, right, action="add_note", subject_kind=kind, subject=subject)
    try:
        check_subject(noted, subject)
    except SubjectNotFound as error:
        raise Http404(str(error)) from error
    form = NoteForm(request.POST)
    if not form.is_valid():
        context = {"form": form, "name": name_of(kind, subject), "address": address_of(kind, subject)}
        return render(request, "messages_app/mentions/note.html", context, status=400)
    note = add_note(kind=noted, subject=subject, text=form.cleaned_data["text"], actor=actor_of(request))
    if unknown := read_note(note).unknown_mentions:
        notices.warning(request, f"Note added. {_describe_unknown(unknown)}")
    else:
        notices.success(request, "Note added.")
    return redirect(address_of(kind, subject))


def _describe_unknown(names: Sequence[str]) -> str:
    """Return a sentence about names that mention no one."""
    named = [f"@{name}" for name in names[:_MAX_NAMED]]
    if len(names) > _MAX_NAMED:
        named[-1:] = [f"{len(names) - _MAX_NAMED + 1} other names"]
    words = named[0] if len(named) == 1 else f"{', '.join(named[:-1])} and {named[-1]}"
    return f"No one is mentioned by {words}: no active user has this name."


@require_POST
@requires_permission(roles.CAN_VIEW_MESSAGES)
def remove_note(request: HttpRequest, note_id: int) -> HttpResponse:
    """Delete a note of the user, and lead back to its subject."""
    check_right(
        request, roles.CAN_HANDLE_INCIDENTS, action="delete_note", subject_kind="note", subject=note_id
    )
    try:
        deleted = delete_note(note_id=note_id, actor=actor_of(request))
    except NoteNotFound as error:
        raise Http404(str(error)) from error
    undo = make_undo(request, reverse("note-undo-delete", args=[note_id]), **asdict(deleted))
    offer_undo(request, "Note deleted.", undo)
    return redirect(address_of(deleted.kind, deleted.subject))


@require_POST
@requires_permission(roles.CAN_VIEW_MESSAGES)
def undo_removal(request: HttpRequest, note_id: int) -> HttpResponse:
    """Store a note again that the user has deleted, and lead back to its subject."""
    check_right(request, roles.CAN_HANDLE_INCIDENTS, action="add_note", subject_kind="note", subject=note_id)
    note, is_undone = DeletedNote(**read_undone(request)), True
    try:
        restore_note(note_id=note_id, note=note, actor=actor_of(request))
    except NoteIsThere:
        is_undone = False
    report_undone(request, "the note", is_undone=is_undone)
    return redirect(address_of(note.kind, note.subject))


@require_safe
@requires_permission(roles.CAN_VIEW_MESSAGES)
@takes_parameters("user")
def mention_list(request: HttpRequest) -> HttpResponse:
    """List the notes that mention the user, or another one."""
    user = user_of(request)
    name = request.GET.get("user", user.get_username())
    mentioned = User.objects.filter(username=name).first() if "\0" not in name else None
    if mentioned is None:
        raise Http404("No user has this name.")
    lines = [
        (read, name_of(read.note.kind, read.note.subject), address_of(read.note.kind, read.note.subject))
        for read in notes_mentioning(mentioned)
        if may_see(user, read.note.kind)
    ]
    return render(request, "messages_app/mentions/mentions.html", {"lines": lines, "name": name})
