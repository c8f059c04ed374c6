"""The choice of a kind, for the address of a new job without parameters."""

from typing import NamedTuple
from urllib.parse import urlencode

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse

from messages_app.jobs.kinds.registry import kind_specs, refusal_of_kind
from messages_app.jobs.kinds.spec import KindSpec, Rows
from messages_app.jobs.labels import list_link
from messages_app.jobs.permissions import may_make
from messages_app.jobs.views.create.forms import KIND


class KindChoice(NamedTuple):
    """
    A kind that the user may create.

    Args:
        address: the page of the new job, or the list where the user selects its messages first.
        is_of_list: whether it is the list.
        refused: why an attached console cannot run it, or empty.
    """

    name: str
    icon: str
    address: str
    is_of_list: bool
    refused: str


def choose_kind(request: HttpRequest) -> HttpResponse:
    """Show the kinds of jobs that the user may create."""
    choices = [_choice_of_kind(spec) for spec in kind_specs.values() if may_make(request.user, spec.kind, {})]
    of_lists = [choice for choice in choices if choice.is_of_list]
    others = [choice for choice in choices if not choice.is_of_list]
    parts = [("Of a list of messages", of_lists), ("Of all messages", others)]
    context = {"parts": [(title, chosen) for title, chosen in parts if chosen]}
    return render(request, "messages_app/jobs/kinds.html", context)


def _choice_of_kind(spec: KindSpec) -> KindChoice:
    if spec.needs_filter:
        address = list_link(spec.kind, {"archived": "true"} if spec.rows == Rows.ARCHIVED else {})
        address = address.removesuffix("?")
    else:
        address = f"{reverse('job-new')}?{urlencode({KIND: spec.kind})}"
    return KindChoice(
        name=spec.words.heading,
        icon=spec.words.icon,
        address=address,
        is_of_list=spec.needs_filter,
        refused=str(refusal_of_kind(spec.kind) or ""),
    )
