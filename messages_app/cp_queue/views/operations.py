"""Actions of operators on many messages, each shown before it runs: create messages, reset a selection."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django import forms
from django.contrib import messages as notices
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect

from messages_app.access.actors import actor_of
from messages_app.access.decorators import check_right
from messages_app.core.formatting import count_of
from messages_app.core.page_parameters import takes_parameters
from messages_app.core.reason_form import ReasonForm
from messages_app.cp_queue import parameters, registration, selectors
from messages_app.cp_queue.parameters import InvalidParameter
from messages_app.cp_queue.selectors import ObjectMessage
from messages_app.cp_queue.services import create as create_services
from messages_app.cp_queue.services.create import would_create
from messages_app.cp_queue.services.reset import Selection, reset_selective, reset_service
from messages_app.cp_queue.states import FLAGGED_QUEUES, MAX_INT, MAX_NAME, QUEUES, State
from messages_app.cp_queue.views import PAGES, VIEWS


class CreateForm(forms.Form):
    """An object and the queues that it gets a message in."""

    object_id = forms.IntegerField(min_value=0, max_value=MAX_INT, label="Object")
    object_type = forms.IntegerField(
        min_value=0,
        max_value=MAX_INT,
        label="Object type",
        help_text="Main type × 65536 + sub type.",
    )
    queue = forms.MultipleChoiceField(
        required=False,
        label="Queues",
        choices=[(name, f"{name}: {QUEUES[name].purpose}") for name in FLAGGED_QUEUES.values()],
        widget=forms.CheckboxSelectMultiple,
    )
    others = forms.CharField(
        required=False,
        max_length=2_000,
        label="Further queues (comma-separated)",
        help_text="Any name is allowed. The vendor's server fills the other known queues automatically.",
        widget=forms.TextInput(attrs={"autocomplete": "off", "spellcheck": "false"}),
    )

    def clean(self) -> dict[str, object]:
        values = super().clean() or {}
        further = parameters.split_names(values.get("others", ""))
        try:
            values["queues"] = parameters.new_queue_names([*values.get("queue", []), *further])
        except InvalidParameter as error:
            self.add_error("others", str(error))
        return values

    def read_arguments(self) -> dict[str, Any]:
        """Return the arguments of services."""
        return {name: self.cleaned_data[name] for name in ("object_id", "object_type", "queues")}


@dataclass(frozen=True, kw_only=True)
class Row:
    """
    A message that would be made.

    Args:
        collapsed: messages of its object and queue that are free now: its pickup would delete them.
        held_by: services that work on its object in this queue.
    """

    queue: str
    object_type: int
    is_known: bool
    collapsed: int
    held_by: list[str]


@VIEWS.shows_and_takes_form
@takes_parameters(*CreateForm.base_fields, repeatable=("queue",))
def create_messages(request: HttpRequest) -> HttpResponse:
    check_right(request, registration.CAN_STEER_CP_QUEUE, action="create_cp_messages")
    if request.method == "POST":
        return _create_messages(request)
    is_asked = "object_id" in request.GET
    return _render_create_page(request, CreateForm(request.GET if is_asked else None), ReasonForm())


def _create_messages(request: HttpRequest) -> HttpResponse:
    form, why = CreateForm(request.POST), ReasonForm(request.POST)
    if not (form.is_valid() and why.is_valid()):
        return _render_create_page(request, form, why)
    made = create_services.create_messages(
        **form.read_arguments(), actor=actor_of(request), reason=why.cleaned_data["reason"]
    )
    notices.success(request, f"Created {count_of(made, 'message')}.")
    return redirect("cp-object", form.cleaned_data["object_id"])


def _render_create_page(request: HttpRequest, form: CreateForm, why: ReasonForm) -> HttpResponse:
    context: dict[str, object] = {"form": form, "why": why, "rows": None}
    if form.is_bound and form.is_valid():
        arguments = form.read_arguments()
        context |= {"rows": _list_rows(**arguments), "would_create": would_create(**arguments)}
    status = 400 if form.errors or why.errors else 200
    return PAGES.render_page(request, "create", context, section="cp-create", status=status)


def _list_rows(object_id: int, object_type: int, queues: list[str]) -> list[Row]:
    messages = selectors.object_messages(object_id=object_id)
    return [
        _make_row(queue, object_type, [each for each in messages if each.queue == queue]) for queue in queues
    ]


def _make_row(queue: str, object_type: int, messages: Sequence[ObjectMessage]) -> Row:
    return Row(
        queue=queue,
        object_type=object_type,
        is_known=queue in QUEUES,
        collapsed=sum(each.state is not State.RESERVED for each in messages),
        held_by=[each.service for each in messages if each.service is not None],
    )


_CODE = {"autocomplete": "off", "spellcheck": "false"}


def _name_field(label: str) -> forms.CharField:
    """Return the field of a name, which is compared as it is."""
    return forms.CharField(
        required=False, max_length=MAX_NAME, strip=False, label=label, widget=forms.TextInput(attrs=_CODE)
    )


def _number_field(label: str) -> forms.IntegerField:
    return forms.IntegerField(required=False, min_value=0, max_value=MAX_INT, label=label)


class SelectionForm(forms.Form):
    """Reserved messages that meet every condition."""

    service = _name_field("Service")
    queue = _name_field("Queue")
    object_id = _number_field("Object")
    object_type = _number_field("Object type")
    created_before = forms.DateTimeField(
        required=False,
        label="Created before",
        help_text="For example 2026-11-21 13:00:00, in UTC",
        widget=forms.TextInput(attrs=_CODE),
    )

    def clean(self) -> dict[str, object]:
        values = super().clean() or {}
        if not self.errors and not any(value not in {None, ""} for value in values.values()):
            raise forms.ValidationError("Enter at least one condition.")
        return values

    def read_selection(self) -> Selection:
        return Selection(
            **{name: None if value == "" else value for name, value in self.cleaned_data.items()}
        )

    @property
    def conditions(self) -> list[tuple[str, str]]:
        """(name, value) of each condition, as it was written."""
        return [(name, self.data[name]) for name in self.fields if self.data.get(name)]


@VIEWS.shows_and_takes_form
@takes_parameters(*SelectionForm.base_fields)
def reset_selection(request: HttpRequest) -> HttpResponse:
    check_right(request, registration.CAN_STEER_CP_QUEUE, action="reset_cp_selection")
    if request.method == "POST":
        return _reset_selected(request)
    is_asked = any(request.GET.get(name) for name in SelectionForm.base_fields)
    return _reset_page(request, SelectionForm(request.GET if is_asked else None), ReasonForm())


def _reset_selected(request: HttpRequest) -> HttpResponse:
    form, why = SelectionForm(request.POST), ReasonForm(request.POST)
    if not (form.is_valid() and why.is_valid()):
        return _reset_page(request, form, why)
    actor, reason = actor_of(request), why.cleaned_data["reason"]
    selection = form.read_selection()
    service = selection.service
    try:
        if service is not None and selection == Selection(service=service):
            freed = reset_service(service=service, actor=actor, reason=reason)
        else:
            freed = reset_selective(selection=selection, actor=actor, reason=reason)
    except InvalidParameter as error:
        form.add_error(None, str(error))
        return _reset_page(request, form, why)
    notices.success(request, f"{count_of(freed, 'message')} reset.")
    return redirect("cp-services")


def _reset_page(request: HttpRequest, form: SelectionForm, why: ReasonForm) -> HttpResponse:
    context: dict[str, object] = {"form": form, "why": why, "selected": None}
    if form.is_bound and form.is_valid():
        try:
            context |= _count_selection(form.read_selection())
        except InvalidParameter as error:
            form.add_error(None, str(error))
    status = 400 if form.errors or why.errors else 200
    return PAGES.render_page(request, "reset", context, section="cp-reset", status=status)


def _count_selection(selection: Selection) -> dict[str, object]:
    """Return how many would be freed, and which services that may hold them are alive."""
    holders = {
        each.service
        for each in selectors.count_holdings()
        if selection.queue in {None, each.queue} and selection.service in {None, each.service}
    }
    states = [each for each in selectors.service_states() if each.service in holders]
    return {
        "selected": selectors.count_selected(selection),
        "alive": [each for each in states if not each.is_probably_dead],
    }
