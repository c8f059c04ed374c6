"""The inbox of documents in doubt, and the page of one document, where a user decides about it."""

import json
from collections.abc import Callable, Mapping
from functools import partial

from django.contrib import messages as notices
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse

from messages_app.access import roles
from messages_app.access.actors import actor_of
from messages_app.access.decorators import check_right
from messages_app.audit import services as audit
from messages_app.core.lists.filter_form import ListForm, badge_links
from messages_app.core.lists.views import ListRequest
from messages_app.core.page_parameters import checks_parameters, takes_parameters
from messages_app.core.reason_form import ReasonForm
from messages_app.document_history import registration, selectors
from messages_app.document_history.models import DocumentInDoubt
from messages_app.document_history.selectors.entries import IN_DOUBT
from messages_app.document_history.services.errors import DocumentConflict, InDoubtNotFound
from messages_app.document_history.services.in_doubt import resubmit_document, settle_document, take_one
from messages_app.document_history.states import DOUBTS, words_of
from messages_app.document_history.views import PAGES, VIEWS, answer_list
from messages_app.payloads.loader import content_in_memory, visible_content
from messages_app.payloads.view_params import VIEW_PARAMETERS
from messages_app.payloads.views import render_content

_SECTION = "in-doubt-list"
# The service of each decision, and its notice. A resubmitted document waits until its trigger takes it.
_DECISIONS: Mapping[str, tuple[Callable[..., object], str]] = {
    "resubmit": (
        partial(resubmit_document, takes=False),
        "Document resubmitted. Its trigger takes it and processes it once.",
    ),
    "settle": (settle_document, "Document settled. Later copies are duplicates."),
}


class InDoubtForm(ListForm):
    """The form of the inbox."""

    filters = IN_DOUBT
    labels: Mapping[str, str] = {"trigger_id": "Trigger", "state": "State"}
    field_names = ()
    linked_names = ("state",)

    states = badge_links("state", DOUBTS)


@VIEWS.shows_page
@checks_parameters
def in_doubt_list(request: HttpRequest) -> HttpResponse:
    return answer_list(request, "in_doubt_list", InDoubtForm, _list_lines, section=_SECTION)


def _list_lines(requested: ListRequest) -> Mapping[str, object]:
    page = selectors.in_doubt_page(values=requested.values, **requested.paging)
    names = selectors.names_of([row.trigger_id for row in page.rows])
    return {
        "lines": [(row, names.get(row.trigger_id, row.trigger_id), words_of(row.rule)) for row in page.rows],
        **requested.describe_page(page, "-in_doubt_id"),
    }


@VIEWS.shows_page
def in_doubt_page(request: HttpRequest, in_doubt_id: int) -> HttpResponse:
    return _render_line(request, _get_document(in_doubt_id))


@VIEWS.takes_form
def decide_document(request: HttpRequest, in_doubt_id: int, how: str) -> HttpResponse:
    """Resubmit or settle; a second decision is refused with the user and the decision of the first."""
    _check_right(request, f"{how}_document", in_doubt_id)
    form = ReasonForm(request.POST)
    if not form.is_valid():
        return _render_line(request, _get_document(in_doubt_id), status=400, **{f"{how}_form": form})
    act, done = _DECISIONS[how]
    try:
        act(in_doubt_id=in_doubt_id, actor=actor_of(request), reason=form.cleaned_data["reason"])
    except InDoubtNotFound as error:
        raise Http404(str(error)) from error
    except DocumentConflict as refusal:
        return _render_line(request, _get_document(in_doubt_id), status=409, refusal=str(refusal))
    notices.success(request, done)
    return redirect("in-doubt", in_doubt_id)


@VIEWS.takes_form
def take_document(request: HttpRequest, in_doubt_id: int) -> HttpResponse:
    """
    Give a resubmitted document to the user, with its token, which is shown once and is not in an address.
    """
    _check_right(request, "take_document", in_doubt_id)
    try:
        resubmitted = take_one(in_doubt_id=in_doubt_id, actor=actor_of(request))
    except InDoubtNotFound as error:
        raise Http404(str(error)) from error
    except DocumentConflict as refusal:
        return _render_line(request, _get_document(in_doubt_id), status=409, refusal=str(refusal))
    line = resubmitted.line
    names = {"trigger_id": line.trigger_id, "uuid": line.document_uuid, "token": resubmitted.token}
    completion = json.dumps(names, ensure_ascii=False)
    return _render_line(request, line, resubmitted=resubmitted, completion=completion)


@VIEWS.shows_page
@takes_parameters(*VIEW_PARAMETERS)
def show_content(request: HttpRequest, in_doubt_id: int) -> HttpResponse:
    """Show the document itself, masked for users without `view_payload`."""
    line = _get_document(in_doubt_id, with_document=True)
    masked = not request.user.has_perm(roles.CAN_VIEW_PAYLOAD)
    opened = visible_content(*content_in_memory(selectors.text_of(line.document)), masked=masked)
    if not opened.view.masked:
        audit.record_entry(
            actor=actor_of(request), action="view_document", subject_kind="in_doubt", subject=line.pk
        )
    owner = (f"In doubt {line.pk}", reverse("in-doubt", args=[line.pk]))
    box = f"document-{line.pk}"
    return render_content(request, opened, title="Document", owner=owner, box=box, is_not_downloaded=True)


def _get_document(in_doubt_id: int, *, with_document: bool = False) -> DocumentInDoubt:
    line = selectors.in_doubt_of(in_doubt_id, with_document=with_document)
    if line is None:
        raise Http404(f"No document in doubt has the id {in_doubt_id}.")
    return line


def _check_right(request: HttpRequest, action: str, in_doubt_id: int) -> None:
    right = registration.CAN_RESOLVE_DOCUMENTS
    check_right(request, right, action=action, subject_kind="in_doubt", subject=in_doubt_id)


def _render_line(
    request: HttpRequest, line: DocumentInDoubt, status: int = 200, **more: object
) -> HttpResponse:
    context = {
        "line": line,
        "why": words_of(line.rule),
        "trigger": selectors.trigger_of(line.trigger_id),
        "entry": selectors.entry_of(line.trigger_id, line.document_uuid),
        "document_bytes": selectors.document_bytes(line.pk),
        "resubmit_form": ReasonForm(auto_id="resubmit_%s"),
        "settle_form": ReasonForm(auto_id="settle_%s"),
    }
    return PAGES.render_page(request, "in_doubt", context | more, section=_SECTION, status=status)
