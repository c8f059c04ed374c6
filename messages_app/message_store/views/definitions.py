"""Source definitions: the list, and the page of one, where permitted users change it."""

import json
from collections.abc import Mapping
from typing import Any

from django import forms
from django.contrib import messages as notices
from django.forms.fields import InvalidJSONInput
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect

from messages_app.access.actors import actor_of
from messages_app.access.decorators import check_right
from messages_app.core.edit_versions import EditConflict, VersionedForm, list_differences
from messages_app.core.name_lists import join_names, split_names
from messages_app.core.page_parameters import takes_parameters
from messages_app.core.reason_form import ReasonForm, reason_field
from messages_app.message_store import errors, registration, selectors
from messages_app.message_store.errors import DefinitionMissing, InvalidInput
from messages_app.message_store.extensions import processors, readers
from messages_app.message_store.models import MAX_NAME, SourceDefinition
from messages_app.message_store.services import definitions as definitions_services
from messages_app.message_store.services.definitions import Definition, read_version, store_definition
from messages_app.message_store.views import PAGES, VIEWS

_MAX_SCHEMA = 200_000
_CODE = {"autocomplete": "off", "spellcheck": "false"}


class _Objects(forms.JSONField):
    """A JSON object in a field of some lines."""

    def __init__(self, *, rows: int, **options: object) -> None:
        widget = forms.Textarea(attrs={"rows": rows, "class": "u-code", **_CODE})
        super().__init__(required=False, widget=widget, **options)

    def prepare_value(self, value: Any) -> Any:
        return format_json(value) if isinstance(value, dict) else value

    def bound_data(self, data: Any, initial: Any) -> Any:
        """Return what was typed, which the page shows again unchanged."""
        return None if data is None else InvalidJSONInput(data)

    def clean(self, value: str) -> Mapping[str, object]:
        if len(value or "") > _MAX_SCHEMA:
            raise forms.ValidationError(f"At most {_MAX_SCHEMA} characters.")
        content = super().clean(value)
        if content is None:
            return {}
        if not isinstance(content, dict):
            raise forms.ValidationError('Enter a JSON object, such as {"field": "..."}.')
        return content


class DefinitionForm(forms.Form):
    """The fields of a definition that may change; services check their meaning."""

    key_fields = forms.CharField(
        label="Key fields",
        strip=False,
        help_text="Separated by commas, in key order; in quotes if a name has one.",
        widget=forms.TextInput(attrs=_CODE),
    )
    references = _Objects(
        rows=3,
        label="References",
        help_text='Field and the entity it refers to, such as {"customer": "customer"}.',
    )
    children = _Objects(
        rows=3,
        label="Children",
        help_text='Field and the entity of its records, such as {"lines": "order_line"}.',
    )
    json_schema = _Objects(rows=12, label="JSON Schema of one record")
    reader = forms.CharField(
        required=False,
        max_length=100,
        label="Reader",
        help_text="Name of a registered reader. Leave empty if the data is an array of objects.",
        widget=forms.TextInput(attrs={"list": "readers", **_CODE}),
    )
    processor = forms.CharField(
        required=False,
        max_length=100,
        label="Processor",
        help_text=(
            "Runs after the records are written. Leave empty for none. cp_queue:RENDITION names its queues."
        ),
        widget=forms.TextInput(attrs={"list": "processors", **_CODE}),
    )
    reason = reason_field()

    def make_definition(self, *, system: str, entity: str) -> Definition:
        """Return what services take."""
        values = {name: self.cleaned_data[name] for name in _KEPT}
        key_fields = split_names(self.cleaned_data["key_fields"])
        return Definition(system=system, entity=entity, key_fields=key_fields, **values)

    def show_refusal(self, refusal: InvalidInput) -> None:
        """Show a service's refusal next to its field."""
        self.add_error(refusal.field if refusal.field in self.fields else None, str(refusal))


class ChangeDefinitionForm(VersionedForm, DefinitionForm):
    """The fields of a stored definition."""


class NewDefinitionForm(DefinitionForm):
    """A new definition, with its system and entity."""

    system = forms.CharField(
        max_length=MAX_NAME,
        strip=False,
        label="System",
        help_text="As named in its messages; * for messages without a system.",
        widget=forms.TextInput(attrs=_CODE),
    )
    entity = forms.CharField(
        max_length=MAX_NAME, strip=False, label="Entity", widget=forms.TextInput(attrs=_CODE)
    )
    field_order = ("system", "entity")


_KEPT = ("references", "children", "json_schema", "reader", "processor")


def values_of(definition: SourceDefinition) -> dict[str, object]:
    """Return a definition as its form is filled with it."""
    names = join_names(definition.key_fields)
    values = {name: getattr(definition, name) or None for name in _KEPT}
    return {"key_fields": names, **values, "version": read_version(definition)}


def format_json(value: Mapping[str, object]) -> str:
    """Return an object as JSON over several lines."""
    return json.dumps(value, indent=2, ensure_ascii=False)


_SECTION = "source-definitions"


@VIEWS.shows_page
@takes_parameters("cursor")
def definition_list(request: HttpRequest) -> HttpResponse:
    page = selectors.definition_page(cursor=request.GET.get("cursor"))
    return PAGES.render_page(request, "definitions", {"page": page}, section=_SECTION)


@VIEWS.shows_and_takes_form
def new_definition(request: HttpRequest) -> HttpResponse:
    check_right(request, registration.CAN_CHANGE_DEFINITIONS, action="define_source")
    form = NewDefinitionForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        names = {name: form.cleaned_data[name] for name in ("system", "entity")}
        if SourceDefinition.objects.filter(**names).exists():
            form.add_error("entity", "This system and entity already have a definition. Change that one.")
        elif saved := _save_definition(request, form, **names):
            return redirect("source-definition", saved.pk)
    context = {"form": form, **_registered_names()}
    return PAGES.render_page(
        request, "definition_new", context, section=_SECTION, status=400 if form.errors else 200
    )


@VIEWS.shows_and_takes_form
def definition_page(request: HttpRequest, definition_id: int) -> HttpResponse:
    definition = _get_definition(definition_id)
    if request.method != "POST":
        return _render_definition(request, definition)
    _check_right(request, "define_source", definition)
    form = ChangeDefinitionForm(request.POST)
    try:
        if form.is_valid() and _save_definition(
            request, form, system=definition.system, entity=definition.entity
        ):
            return redirect("source-definition", definition.pk)
    except EditConflict:
        definition = _get_definition(definition_id)
        differences = list_differences([(form, ChangeDefinitionForm(initial=values_of(definition)))])
        return _render_definition(request, definition, status=409, form=form, differences=differences)
    return _render_definition(request, definition, status=400, form=form)


@VIEWS.takes_form
def remove_definition(request: HttpRequest, definition_id: int) -> HttpResponse:
    definition = _get_definition(definition_id)
    _check_right(request, "remove_source", definition)
    form = ReasonForm(request.POST, auto_id="remove_%s")
    if not form.is_valid():
        return _render_definition(request, definition, status=400, remove_form=form)
    try:
        definitions_services.remove_definition(
            definition_id=definition.pk, actor=actor_of(request), reason=form.cleaned_data["reason"]
        )
    except DefinitionMissing as error:
        raise Http404(str(error)) from error
    notices.success(request, f"Definition removed. Messages of {definition} now end with an error.")
    return redirect("source-definitions")


def _save_definition(
    request: HttpRequest, form: DefinitionForm, *, system: str, entity: str
) -> SourceDefinition | None:
    """Store the values of the form; None if they are refused, with the reason in the form."""
    try:
        definition, is_new = store_definition(
            definition=form.make_definition(system=system, entity=entity),
            actor=actor_of(request),
            reason=form.cleaned_data["reason"],
            version=form.cleaned_data.get("version"),
        )
    except errors.InvalidInput as refusal:
        form.show_refusal(refusal)
        return None
    notices.success(
        request, "Definition created." if is_new else "Definition saved. It applies to new attempts."
    )
    return definition


def _get_definition(definition_id: int) -> SourceDefinition:
    definition = SourceDefinition.objects.filter(pk=definition_id).first()
    if definition is None:
        raise Http404(f"No source definition has the id {definition_id}.")
    return definition


def _check_right(request: HttpRequest, action: str, definition: SourceDefinition) -> None:
    right = registration.CAN_CHANGE_DEFINITIONS
    check_right(request, right, action=action, subject_kind="definition", subject=definition.pk)


def _registered_names() -> dict[str, list[str]]:
    return {"readers": readers.list_names(), "processors": processors.list_names()}


def _render_definition(
    request: HttpRequest, definition: SourceDefinition, status: int = 200, **more: object
) -> HttpResponse:
    context = {
        "definition": definition,
        "schema": format_json(definition.json_schema),
        "form": ChangeDefinitionForm(initial=values_of(definition)),
        "remove_form": ReasonForm(auto_id="remove_%s"),
        **_registered_names(),
    }
    return PAGES.render_page(request, "definition", context | more, section=_SECTION, status=status)
