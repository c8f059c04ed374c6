"""The first page of the document history, with the triggers and their counts; and the page of one trigger."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import cast

from django import forms
from django.contrib import messages as notices
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect

from messages_app.access.actors import actor_of
from messages_app.access.decorators import check_right
from messages_app.core.charts.bars import Share, make_shares
from messages_app.core.edit_versions import EditConflict, VersionedForm, list_differences
from messages_app.core.page_parameters import takes_parameters
from messages_app.core.reason_form import ReasonForm, reason_field
from messages_app.document_history import registration, selectors
from messages_app.document_history.models import MAX_TRIGGER_ID, DocumentTrigger
from messages_app.document_history.selectors import TriggerCounts
from messages_app.document_history.services import resolvers
from messages_app.document_history.services.errors import DocumentConflict, InvalidTrigger, TriggerNotFound
from messages_app.document_history.services.triggers import (
    CHANGEABLE,
    TriggerChanges,
    TriggerProperties,
    change_trigger,
    create_trigger,
    delete_trigger,
    read_version,
    resume_trigger,
)
from messages_app.document_history.states import DEFAULT_TTL_SECONDS, MAX_TTL_SECONDS, RetryFailure, Verdict
from messages_app.document_history.views import PAGES, VIEWS

_ON_FAILURE = (
    (RetryFailure.THROW, "Throw an exception: the failed document is completed"),
    (RetryFailure.SUSPEND, "Suspend and try again later"),
)


class TriggerForm(forms.Form):
    """The properties of a trigger that may change. Services validate their values."""

    name = forms.CharField(max_length=200, label="Name", error_messages={"required": "Enter a name."})
    detect_duplicates = forms.BooleanField(required=False, initial=True, label="Detect duplicates")
    use_history = forms.BooleanField(
        required=False,
        initial=True,
        label="Use the history",
        help_text="Without it, only the redelivery count and the resolver decide.",
    )
    history_ttl_seconds = forms.IntegerField(
        min_value=1,
        max_value=MAX_TTL_SECONDS,
        initial=DEFAULT_TTL_SECONDS,
        label="History time to live (s)",
        help_text="3600 is one hour, 86400 one day. A copy that arrives later is processed again.",
    )
    resolver = forms.CharField(
        required=False,
        max_length=100,
        label="Resolver",
        help_text="Name of a registered resolver. Leave empty for none.",
        widget=forms.TextInput(attrs={"list": "resolvers", "autocomplete": "off", "spellcheck": "false"}),
    )
    on_retry_failure = forms.ChoiceField(choices=_ON_FAILURE, label="On retry failure")
    reason = reason_field()
    # The number of entries that would expire, as the form showed it.
    confirmed_ttl = forms.IntegerField(required=False, widget=forms.HiddenInput)

    def read_properties(self) -> TriggerChanges:
        """Return the properties for services."""
        return cast(TriggerChanges, {name: self.cleaned_data[name] for name in CHANGEABLE})

    def show_refusal(self, refusal: InvalidTrigger | DocumentConflict) -> None:
        """Show a service's refusal next to its field."""
        field = getattr(refusal, "field", "trigger_id")
        self.add_error(field if field in self.fields else None, str(refusal))

    def ask_again(self) -> "TriggerForm":
        """Return the form with its values; submitting it again confirms its time to live."""
        values = dict(self.data.items())
        values["confirmed_ttl"] = self.cleaned_data["history_ttl_seconds"]
        again = type(self)(values)
        again.full_clean()
        return again


class ChangeTriggerForm(VersionedForm, TriggerForm):
    """The properties of a stored trigger."""


class NewTriggerForm(TriggerForm):
    """A new trigger, with an optional id."""

    trigger_id = forms.CharField(
        required=False,
        max_length=MAX_TRIGGER_ID,
        strip=False,
        label="Id",
        help_text="The id that callers use. Leave empty for a new UUID. It cannot be changed later.",
        widget=forms.TextInput(attrs={"autocomplete": "off", "spellcheck": "false"}),
    )
    field_order = ("name", "trigger_id")

    def read_properties(self) -> TriggerProperties:
        own_id = self.cleaned_data["trigger_id"]
        new = {"trigger_id": own_id} if own_id else {}
        return cast(TriggerProperties, {**super().read_properties(), **new})


def values_of(trigger: DocumentTrigger) -> dict[str, object]:
    """Return the form's initial values for a trigger."""
    values = {name: getattr(trigger, name) for name in CHANGEABLE}
    return values | {"version": read_version(trigger)}


_SECTION = "document-triggers"
# Limited, because each line needs a dozen counts.
_LINES = 25


@dataclass(frozen=True, kw_only=True)
class Line:
    """One trigger of the list; `shares` are New, Duplicate and In Doubt of the last day."""

    trigger: DocumentTrigger
    counts: TriggerCounts
    shares: list[Share]


@VIEWS.shows_page
@takes_parameters("cursor")
def trigger_list(request: HttpRequest) -> HttpResponse:
    page = selectors.trigger_page(cursor=request.GET.get("cursor"), page_size=_LINES)
    counts = selectors.trigger_counts([trigger.pk for trigger in page.rows])
    lines = [_make_line(trigger, counts[trigger.pk]) for trigger in page.rows]
    context = {
        "page": page,
        "lines": lines,
        "unresolved": [line.trigger for line in lines if resolvers.fault_of(line.trigger.resolver)],
        "suspended": [line.trigger for line in lines if line.trigger.suspended_at],
        "sweeper": selectors.sweeper_state(),
        "hint_of_entries": "Entries; a processed document has two",
    }
    return PAGES.render_page(request, "triggers", context, section=_SECTION)


def _make_line(trigger: DocumentTrigger, counts: TriggerCounts) -> Line:
    parts = [
        (Verdict.NEW, counts.started),
        (Verdict.DUPLICATE, counts.duplicates),
        (Verdict.IN_DOUBT, counts.in_doubt),
    ]
    whole = sum(count for _, count in parts)
    return Line(trigger=trigger, counts=counts, shares=make_shares(parts, whole=whole) if whole else [])


@VIEWS.shows_and_takes_form
def new_trigger(request: HttpRequest) -> HttpResponse:
    check_right(request, registration.CAN_CHANGE_TRIGGERS, action="create_trigger")
    form = NewTriggerForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        try:
            trigger = create_trigger(
                actor=actor_of(request), reason=form.cleaned_data["reason"], **form.read_properties()
            )
        except (InvalidTrigger, DocumentConflict) as refusal:
            form.show_refusal(refusal)
        else:
            notices.success(request, f"Trigger {trigger.name} created.")
            return redirect("document-trigger", trigger.pk)
    return _form_page(request, form)


@VIEWS.shows_and_takes_form
def trigger_page(request: HttpRequest, trigger_id: str) -> HttpResponse:
    trigger = _get_trigger(trigger_id)
    if request.method == "POST":
        return _change_trigger(request, trigger)
    return _trigger_page(request, trigger, ChangeTriggerForm(initial=values_of(trigger)))


def _change_trigger(request: HttpRequest, trigger: DocumentTrigger) -> HttpResponse:
    """
    Change a trigger; a shorter time to live is confirmed first, with the number of entries that it expires.
    """
    _check_right(request, "change_trigger", trigger)
    form = ChangeTriggerForm(request.POST)
    if not form.is_valid():
        return _trigger_page(request, trigger, form, status=400)
    expiring = _count_expiring(trigger, form)
    if expiring:
        return _trigger_page(request, trigger, form.ask_again(), expiring=expiring)
    try:
        change_trigger(
            trigger_id=trigger.pk,
            actor=actor_of(request),
            reason=form.cleaned_data["reason"],
            version=form.cleaned_data["version"],
            **form.read_properties(),
        )
    except InvalidTrigger as refusal:
        form.show_refusal(refusal)
        return _trigger_page(request, trigger, form, status=400)
    except EditConflict:
        trigger = _get_trigger(trigger.pk)
        differences = list_differences([(form, ChangeTriggerForm(initial=values_of(trigger)))])
        return _trigger_page(request, trigger, form, status=409, differences=differences)
    except TriggerNotFound as error:
        raise Http404(str(error)) from error
    notices.success(request, "Changed.")
    return redirect("document-trigger", trigger.pk)


def _count_expiring(trigger: DocumentTrigger, form: TriggerForm) -> int:
    """
    Return how many entries would expire immediately; 0 if the user has confirmed it, or it is not shorter.
    """
    ttl = form.cleaned_data["history_ttl_seconds"]
    if ttl >= trigger.history_ttl_seconds or form.cleaned_data["confirmed_ttl"] == ttl:
        return 0
    return selectors.count_expiring(trigger_id=trigger.pk, ttl_seconds=ttl)


# The service of each action, and the notice of its success.
_ACTIONS: Mapping[str, tuple[Callable[..., object], str]] = {
    "resume": (resume_trigger, "Trigger resumed."),
    "delete": (delete_trigger, "Trigger deleted. Its entries stay until they expire."),
}


@VIEWS.takes_form
def act_on_trigger(request: HttpRequest, trigger_id: str, how: str) -> HttpResponse:
    """Do one of _ACTIONS."""
    trigger, action = _get_trigger(trigger_id), f"{how}_trigger"
    _check_right(request, action, trigger)
    form = ReasonForm(request.POST, auto_id=f"{how}_%s")
    if not form.is_valid():
        context = {f"{action}_form": form}
        unchanged = ChangeTriggerForm(initial=values_of(trigger))
        return _trigger_page(request, trigger, unchanged, status=400, **context)
    act, done = _ACTIONS[how]
    try:
        act(trigger_id=trigger.pk, actor=actor_of(request), reason=form.cleaned_data["reason"])
    except (DocumentConflict, TriggerNotFound) as refusal:
        notices.error(request, str(refusal))
    else:
        notices.success(request, done)
    return redirect("document-trigger", trigger.pk)


def _get_trigger(trigger_id: str) -> DocumentTrigger:
    """Return the trigger of an address, including a deleted one. Raises Http404."""
    trigger = None if "\0" in trigger_id else DocumentTrigger.objects.filter(pk=trigger_id).first()
    if trigger is None:
        raise Http404("There is no trigger with this id.")
    return trigger


def _check_right(request: HttpRequest, action: str, trigger: DocumentTrigger) -> None:
    right = registration.CAN_CHANGE_TRIGGERS
    check_right(request, right, action=action, subject_kind="trigger", subject=trigger.pk)


def _form_page(request: HttpRequest, form: NewTriggerForm) -> HttpResponse:
    context = {"form": form, "resolvers": resolvers.offered_names()}
    return PAGES.render_page(
        request, "trigger_new", context, section=_SECTION, status=400 if form.errors else 200
    )


def _trigger_page(
    request: HttpRequest, trigger: DocumentTrigger, form: TriggerForm, status: int = 200, **more: object
) -> HttpResponse:
    context: Mapping[str, object] = {
        "line": _make_line(trigger, selectors.trigger_counts([trigger.pk])[trigger.pk]),
        "trigger": trigger,
        "resolver_fault": "" if trigger.deleted_at else resolvers.fault_of(trigger.resolver),
        "form": form,
        "resolvers": resolvers.offered_names(),
        "may_change": request.user.has_perm(registration.CAN_CHANGE_TRIGGERS) and trigger.deleted_at is None,
        "resume_trigger_form": ReasonForm(prefix=None, auto_id="resume_%s"),
        "delete_trigger_form": ReasonForm(prefix=None, auto_id="delete_%s"),
    }
    return PAGES.render_page(request, "trigger", {**context, **more}, section=_SECTION, status=status)
