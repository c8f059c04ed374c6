"""The pages of definitions of business keys: the list, and the form for a new one with a preview."""

from django import forms
from django.contrib import messages as notices
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect

from messages_app.access import roles
from messages_app.access.actors import actor_of, user_of
from messages_app.access.decorators import check_right
from messages_app.business_keys import services
from messages_app.business_keys.models import MAX_NAME, KeyDefinition
from messages_app.business_keys.preview import PreviewLine, preview_path
from messages_app.business_keys.registration import CAN_CHANGE_KEYS
from messages_app.business_keys.selectors import list_definitions, living_definitions
from messages_app.business_keys.views import PAGES, VIEWS
from messages_app.core.problems import Problem
from messages_app.core.reason_form import ReasonForm, reason_field
from messages_app.shared.xml_paths import MAX_PATH

_CODE = {"autocomplete": "off", "spellcheck": "false"}


class DefinitionForm(forms.Form):
    """A new definition."""

    service_name = forms.CharField(max_length=30, label="Service", widget=forms.TextInput(attrs=_CODE))
    operation_name = forms.CharField(max_length=100, label="Operation", widget=forms.TextInput(attrs=_CODE))
    name = forms.CharField(max_length=MAX_NAME, label="Name", help_text="In words, such as order.")
    path = forms.CharField(
        max_length=MAX_PATH,
        label="Path",
        help_text="XPath, such as //order/id, or JSONPath, such as $.order.id.",
        widget=forms.TextInput(attrs=_CODE),
    )
    sensitive = forms.BooleanField(
        required=False,
        label="Sensitive",
        help_text="Found and shown only with the permission for payloads.",
    )
    reason = reason_field(required=False)

    def show_problem(self, problem: Problem) -> None:
        """Show what a service refused next to its field."""
        for error in problem.errors:
            self.add_error(error.field if error.field in self.fields else None, error.message)


@VIEWS.shows_page
def definition_list(request: HttpRequest) -> HttpResponse:
    return PAGES.render_page(request, "definitions", {"definitions": list(list_definitions())})


@VIEWS.shows_and_takes_form
def new_definition(request: HttpRequest) -> HttpResponse:
    """Define a key, or try its path first."""
    check_right(request, CAN_CHANGE_KEYS, action="create_business_key")
    form = DefinitionForm(request.POST if request.method == "POST" else None)
    lines = None
    if request.method == "POST" and form.is_valid():
        try:
            if "preview" not in request.POST:
                return _create_definition(request, form)
            lines = _preview_path(request, form)
        except Problem as problem:
            form.show_problem(problem)
    context = {"form": form, "lines": lines}
    return PAGES.render_page(request, "definition_new", context, status=400 if form.errors else 200)


@VIEWS.shows_and_takes_form
def remove_definition(request: HttpRequest, business_key_id: int) -> HttpResponse:
    """Ask for the reason, and delete a definition."""
    check_right(request, CAN_CHANGE_KEYS, action="delete_business_key")
    definition = living_definitions().filter(pk=business_key_id).first()
    if definition is None:
        raise Http404(f"No business key has the id {business_key_id}.")
    form = ReasonForm(request.POST if request.method == "POST" else None)
    if request.method == "POST" and form.is_valid():
        return _delete_definition(request, definition, form.cleaned_data["reason"])
    context = {"definition": definition, "form": form}
    return PAGES.render_page(request, "definition_remove", context, status=400 if form.errors else 200)


def _delete_definition(request: HttpRequest, definition: KeyDefinition, reason: str) -> HttpResponse:
    try:
        services.delete_definition(definition_id=definition.pk, actor=actor_of(request), reason=reason)
    except services.DefinitionNotFound as error:
        raise Http404(str(error)) from error
    notices.success(request, f"Key {definition} deleted. Its values are no longer found.")
    return redirect("business-keys")


def _create_definition(request: HttpRequest, form: DefinitionForm) -> HttpResponse:
    definition = services.create_definition(actor=actor_of(request), **form.cleaned_data)
    notices.success(request, f"Key {definition} defined. Values are extracted from new messages.")
    return redirect("business-keys")


def _preview_path(request: HttpRequest, form: DefinitionForm) -> list[PreviewLine]:
    return preview_path(
        service_name=form.cleaned_data["service_name"],
        operation_name=form.cleaned_data["operation_name"],
        path=form.cleaned_data["path"],
        may_view_payload=user_of(request).has_perm(roles.CAN_VIEW_PAYLOAD),
    )
