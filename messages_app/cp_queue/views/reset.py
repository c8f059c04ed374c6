"""Resetting a selection of reserved messages, or a whole service: first counted, then done."""

from django import forms
from django.contrib import messages as notices
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_http_methods

from messages_app.access.actors import actor_of
from messages_app.access.decorators import check_right, requires
from messages_app.core.formatting import counted
from messages_app.core.pages import ReasonForm
from messages_app.cp_queue import registration, selectors, services
from messages_app.cp_queue.services import Selection
from messages_app.cp_queue.states import MAX_INT, MAX_NAME
from messages_app.cp_queue.views import PAGES

_CODE = {"autocomplete": "off", "spellcheck": "false"}


def _name(label: str) -> forms.CharField:
    """Return the field of a name, which is compared as it is."""
    return forms.CharField(
        required=False, max_length=MAX_NAME, strip=False, label=label, widget=forms.TextInput(attrs=_CODE)
    )


def _number(label: str) -> forms.IntegerField:
    return forms.IntegerField(required=False, min_value=0, max_value=MAX_INT, label=label)


class SelectionForm(forms.Form):
    """Which reserved messages: those for which every condition holds."""

    service = _name("Service")
    queue = _name("Queue")
    object_id = _number("Object")
    object_type = _number("Object type")
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

    def selection(self) -> Selection:
        return Selection(
            **{name: None if value == "" else value for name, value in self.cleaned_data.items()}
        )

    @property
    def given(self) -> list[tuple[str, str]]:
        """(name, value) of each condition, as it was written."""
        return [(name, self.data[name]) for name in self.fields if self.data.get(name)]


@require_http_methods(["GET", "HEAD", "POST"])
@requires(registration.CAN_VIEW_CP_QUEUE)
def reset_selection(request: HttpRequest) -> HttpResponse:
    check_right(request, registration.CAN_STEER_CP_QUEUE, action="reset_cp_selection")
    if request.method == "POST":
        return _reset(request)
    is_asked = any(request.GET.get(name) for name in SelectionForm.base_fields)
    return _page(request, SelectionForm(request.GET if is_asked else None), ReasonForm())


def _reset(request: HttpRequest) -> HttpResponse:
    form, why = SelectionForm(request.POST), ReasonForm(request.POST)
    if not (form.is_valid() and why.is_valid()):
        return _page(request, form, why)
    actor, reason = actor_of(request), why.cleaned_data["reason"]
    selection = form.selection()
    service = selection.service
    try:
        if service is not None and selection == Selection(service=service):
            freed = services.reset_service(service=service, actor=actor, reason=reason)
        else:
            freed = services.reset_selective(selection=selection, actor=actor, reason=reason)
    except services.InvalidParameter as error:
        form.add_error(None, str(error))
        return _page(request, form, why)
    notices.success(request, f"{counted(freed, 'message')} reset.")
    return redirect("cp-services")


def _page(request: HttpRequest, form: SelectionForm, why: ReasonForm) -> HttpResponse:
    context: dict[str, object] = {"form": form, "why": why, "found": None}
    if form.is_bound and form.is_valid():
        try:
            context |= _counted(form.selection())
        except services.InvalidParameter as error:
            form.add_error(None, str(error))
    status = 400 if form.errors or why.errors else 200
    return PAGES.answer(request, "reset", context, section="cp-reset", status=status)


def _counted(selection: Selection) -> dict[str, object]:
    """Return how many would be freed, and which of the services that may hold them are alive."""
    holders = {
        each.service
        for each in selectors.holdings()
        if selection.queue in {None, each.queue} and selection.service in {None, each.service}
    }
    states = [each for each in selectors.service_states() if each.service in holders]
    return {
        "found": selectors.selected(selection),
        "alive": [each for each in states if not each.is_probably_dead],
    }
