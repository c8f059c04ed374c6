"""The page of deployments: the list, and the form for one that no pipeline reports."""

from collections.abc import Mapping

from django import forms
from django.contrib import messages as notices
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect

from messages_app.access import roles
from messages_app.access.actors import actor_of
from messages_app.access.decorators import PageViews, check_right
from messages_app.core.lists.filter_form import Link, ListForm
from messages_app.core.lists.views import ListRequest
from messages_app.core.page_parameters import checks_parameters
from messages_app.core.store_pages import StorePages
from messages_app.incidents.deployments.models import MAX_NOTE, MAX_SERVICE, MAX_VERSION
from messages_app.incidents.deployments.selectors import DEPLOYMENTS, deployment_page
from messages_app.incidents.deployments.services import note_deployment

_PAGES = StorePages(
    folder="incidents",
    sections={"incident-list": "Incidents", "deployment-list": "Deployments"},
    rights={"may_note": roles.CAN_NOTE_DEPLOYMENTS},
)
_SECTION = "deployment-list"
_VIEWS = PageViews(roles.CAN_VIEW_MESSAGES)


class DeploymentsForm(ListForm):
    """The form of the list."""

    filters = DEPLOYMENTS
    labels: Mapping[str, str] = {
        "service_name": "Service",
        "version": "Version",
        "at_from": "From",
        "at_to": "To",
    }
    field_names = ("service_name", "version", "at_from", "at_to")
    first_names = ("service_name", "version")

    @property
    def times(self) -> list[Link]:
        return self.recent_ranges("at")


class NoteForm(forms.Form):
    """A deployment of this moment."""

    service_name = forms.CharField(max_length=MAX_SERVICE, label="Service")
    version = forms.CharField(max_length=MAX_VERSION)
    note = forms.CharField(max_length=MAX_NOTE, required=False)


@_VIEWS.shows_page
@checks_parameters
def deployment_list(request: HttpRequest) -> HttpResponse:
    return _PAGES.answer_list(request, "deployments", DeploymentsForm, _make_context, section=_SECTION)


def _make_context(requested: ListRequest) -> Mapping[str, object]:
    page = deployment_page(values=requested.values, **requested.paging)
    return {"lines": page.rows, **requested.describe_page(page, "-at")}


@_VIEWS.shows_and_takes_form
def new_deployment(request: HttpRequest) -> HttpResponse:
    """Record a deployment of this moment."""
    check_right(request, roles.CAN_NOTE_DEPLOYMENTS, action="note_deployment")
    form = NoteForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        deployment, _ = note_deployment(actor=actor_of(request), **form.cleaned_data)
        notices.success(request, f"Deployment of {deployment} noted.")
        return redirect("deployment-list")
    return _PAGES.render_page(
        request,
        "deployment_new",
        {"form": form},
        section=_SECTION,
        status=400 if form.errors else 200,
    )
