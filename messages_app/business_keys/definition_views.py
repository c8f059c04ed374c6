"""The pages of definitions of business keys: the list, a new one with suggestions, and one to change."""

from collections.abc import Mapping
from urllib.parse import urlencode

from django import forms
from django.contrib import messages as notices
from django.http import Http404, HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect
from django.urls import reverse

from messages_app.access import roles
from messages_app.access.actors import actor_of, user_of
from messages_app.access.decorators import check_right
from messages_app.business_keys import services
from messages_app.business_keys.models import MAX_NAME, KeyDefinition
from messages_app.business_keys.preview import PreviewLine, preview_path
from messages_app.business_keys.registration import CAN_CHANGE_KEYS
from messages_app.business_keys.selectors import list_definitions, list_recent_operations, living_definitions
from messages_app.business_keys.suggestions import Suggestion, suggest_keys
from messages_app.business_keys.views import PAGES, VIEWS
from messages_app.core.edit_versions import EditConflict, VersionedForm, list_differences
from messages_app.core.kept_input import CHOOSE, is_choosing, keep_input
from messages_app.core.lists.side_list import MAX_LINKS, SideLink, SideList, make_side_list
from messages_app.core.problems import Problem
from messages_app.core.reason_form import ReasonForm, reason_field
from messages_app.shared.xml_paths import MAX_PATH

_CODE = {"autocomplete": "off", "spellcheck": "false"}


class KeyForm(forms.Form):
    """The fields of a definition that can be changed."""

    name = forms.CharField(max_length=MAX_NAME, label="Name", help_text="In words, such as order.")
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


class ChangeForm(VersionedForm, KeyForm):
    """Changes of a definition."""

    active = forms.BooleanField(
        required=False,
        label="Active",
        help_text="If not, no values of further messages are stored. Stored ones are still found.",
    )
    field_order = ("name", "sensitive", "active", "reason")


class DefinitionForm(KeyForm):
    """
    A new definition.

    Args:
        is_suggesting: only the service and the operation are needed.
    """

    service_name = forms.CharField(
        max_length=30, label="Service", widget=forms.TextInput(attrs=_CODE | {"list": "services"})
    )
    operation_name = forms.CharField(
        max_length=100, label="Operation", widget=forms.TextInput(attrs=_CODE | {"list": "operations"})
    )
    path = forms.CharField(
        max_length=MAX_PATH,
        label="Path",
        help_text="XPath, such as //order/id, or JSONPath, such as $.order.id.",
        widget=forms.TextInput(attrs=_CODE),
    )
    field_order = ("service_name", "operation_name", "name", "path", "sensitive", "reason")

    def __init__(
        self,
        data: Mapping[str, object] | None = None,
        *,
        initial: dict[str, object] | None = None,
        is_suggesting: bool = False,
    ) -> None:
        super().__init__(data, initial=initial)
        if is_suggesting:
            for name in ("name", "path"):
                self.fields[name].required = False


@VIEWS.shows_page
def definition_list(request: HttpRequest) -> HttpResponse:
    return PAGES.render_page(request, "definitions", {"definitions": list(list_definitions())})


@VIEWS.shows_and_takes_form
def new_definition(request: HttpRequest) -> HttpResponse:
    """Define a key, after its path was suggested or tried."""
    check_right(request, CAN_CHANGE_KEYS, action="create_business_key")
    form = _read_definition_form(request)
    lines, suggestions = None, None
    if form.is_bound and form.is_valid():
        try:
            if "suggest" in request.POST:
                suggestions = _suggest_keys(request, form)
            elif "preview" in request.POST:
                lines = _preview_path(request, **_path_of(form.cleaned_data))
            else:
                return _create_definition(request, form)
        except Problem as problem:
            form.show_problem(problem)
    operations = list_recent_operations()
    context = {
        "form": form,
        "lines": lines,
        "suggestions": suggestions,
        "services": sorted({service for service, _ in operations}),
        "operations": sorted({operation for _, operation in operations}),
        "side_list": _list_others(),
    }
    return PAGES.render_page(request, "definition_new", context, status=400 if form.errors else 200)


@VIEWS.shows_and_takes_form
def change_definition(request: HttpRequest, business_key_id: int) -> HttpResponse:
    """Change a definition, or show what its path finds now."""
    check_right(request, CAN_CHANGE_KEYS, action="change_business_key")
    definition = _read_definition(business_key_id)
    form = ChangeForm(request.POST if request.method == "POST" else None, initial=_values_of(definition))
    lines, differences, status = None, None, 200
    if request.method == "POST" and form.is_valid():
        try:
            if "preview" not in request.POST:
                return _change_definition(request, definition, form)
            lines = _preview_path(request, **_path_of(vars(definition)))
        except Problem as problem:
            form.show_problem(problem)
        except EditConflict:
            definition, status = _read_definition(business_key_id), 409
            differences = list_differences([(form, ChangeForm(initial=_values_of(definition)))])
    context = {
        "definition": definition,
        "form": form,
        "lines": lines,
        "differences": differences,
        "side_list": _list_others(definition.pk),
    }
    return PAGES.render_page(request, "definition_change", context, status=400 if form.errors else status)


def _values_of(definition: KeyDefinition) -> dict[str, object]:
    values = {name: getattr(definition, name) for name in services.CHANGEABLE}
    return {**values, "version": services.read_version(definition)}


@VIEWS.shows_and_takes_form
def remove_definition(request: HttpRequest, business_key_id: int) -> HttpResponse:
    """Ask for the reason, and delete a definition."""
    check_right(request, CAN_CHANGE_KEYS, action="delete_business_key")
    definition = _read_definition(business_key_id)
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


def _change_definition(request: HttpRequest, definition: KeyDefinition, form: ChangeForm) -> HttpResponse:
    try:
        services.change_definition(definition_id=definition.pk, actor=actor_of(request), **form.cleaned_data)
    except services.DefinitionNotFound as error:
        raise Http404(str(error)) from error
    notices.success(request, "Changed.")
    return redirect("business-keys")


def _list_others(open_id: int = 0) -> SideList:
    """Return the definitions for the left of a form."""
    links = (
        SideLink(
            address=reverse("business-key-change", args=[each.pk]),
            title=each.name,
            second=f"{each.service_name} {each.operation_name}",
            is_open=each.pk == open_id,
        )
        for each in list_definitions()[: MAX_LINKS + 1]
    )
    return make_side_list("Business keys", reverse("business-keys"), links)


def _read_definition(business_key_id: int) -> KeyDefinition:
    definition = living_definitions().filter(pk=business_key_id).first()
    if definition is None:
        raise Http404(f"No business key has the id {business_key_id}.")
    return definition


def _read_definition_form(request: HttpRequest) -> DefinitionForm:
    """Return the form that was sent; after the choice of a suggestion, one that is filled with it."""
    if is_choosing(request):
        form = DefinitionForm()
        keep_input(form, request.POST, sent_fields=form.fields)
        suggested = QueryDict(request.POST[CHOOSE])
        form.initial["path"] = suggested.get("path", "")
        form.initial["name"] = form.initial["name"] or suggested.get("name", "")
        return form
    return DefinitionForm(
        request.POST if request.method == "POST" else None, is_suggesting="suggest" in request.POST
    )


def _suggest_keys(request: HttpRequest, form: DefinitionForm) -> list[tuple[Suggestion, str]]:
    """Return suggestions, each with what it fills in."""
    suggestions = suggest_keys(
        may_view_payload=user_of(request).has_perm(roles.CAN_VIEW_PAYLOAD),
        service_name=form.cleaned_data["service_name"],
        operation_name=form.cleaned_data["operation_name"],
    )
    return [(each, urlencode({"name": each.name, "path": each.path})) for each in suggestions]


def _path_of(values: Mapping[str, str]) -> dict[str, str]:
    return {name: values[name] for name in ("service_name", "operation_name", "path")}


def _preview_path(
    request: HttpRequest, *, service_name: str, operation_name: str, path: str
) -> list[PreviewLine]:
    return preview_path(
        service_name=service_name,
        operation_name=operation_name,
        path=path,
        may_view_payload=user_of(request).has_perm(roles.CAN_VIEW_PAYLOAD),
    )
