"""The decisions of people about an incident, each as a form."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from django import forms
from django.contrib import messages as notices
from django.contrib.auth import get_user_model
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect

from messages_app.access import roles
from messages_app.access.actors import actor_of
from messages_app.access.decorators import check_right
from messages_app.core.filters.values import parse_ids
from messages_app.core.problems import Problem
from messages_app.core.reason_form import ReasonForm
from messages_app.incident_pages.views import PAGES, VIEWS, get_incident_or_404
from messages_app.incidents import composition, services
from messages_app.incidents.listing import open_incidents, recently_closed_incidents
from messages_app.incidents.models import MAX_NOTE, MAX_OWNER, SUBJECT_KIND, Incident
from messages_app.incidents.selectors import memberships_of
from messages_app.shared.error_titles import title_of_cause

_MAX_IDS = 1_000


class AssignForm(ReasonForm):
    """The new owner. Empty: no one."""

    user = forms.CharField(max_length=MAX_OWNER, required=False, label="Owner")
    field_order = ("user", "reason")

    def __init__(self, *args: Any, incident: Incident, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        users = get_user_model().objects.filter(is_active=True).order_by("username")
        names = [(name, name) for name in users.values_list("username", flat=True)[:500]]
        self.fields["user"] = forms.ChoiceField(
            choices=[("", "No one"), *names], required=False, initial=incident.owner, label="Owner"
        )
        self.order_fields(self.field_order)


class NoteForm(forms.Form):
    """The note for the team, without a reason: it is one itself."""

    text = forms.CharField(
        max_length=MAX_NOTE, required=False, label="Note", widget=forms.Textarea(attrs={"rows": 3})
    )

    def __init__(self, *args: Any, incident: Incident, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["text"].initial = incident.note


class DecisionForm(ReasonForm):
    """A decision that needs only a reason."""

    def __init__(self, *args: Any, incident: Incident, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)


class MergeForm(ReasonForm):
    """The incidents that become part of this one."""

    incident_ids = forms.MultipleChoiceField(
        widget=forms.CheckboxSelectMultiple, label="Incidents that become part of this one"
    )
    field_order = ("incident_ids", "reason")

    def __init__(self, *args: Any, incident: Incident, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        lines = [*open_incidents(), *recently_closed_incidents()]
        self.fields["incident_ids"].choices = [  # type: ignore[attr-defined]  # a field with choices
            (str(line.incident.pk), f"{line.incident.pk}: {line.incident.title} ({line.incident.state})")
            for line in lines
            if line.incident.pk != incident.pk
        ]

    def clean_incident_ids(self) -> list[int]:
        return [int(text) for text in self.cleaned_data["incident_ids"]]


class SplitForm(ReasonForm):
    """The failure groups, or the messages, that become an incident of their own."""

    group_ids = forms.MultipleChoiceField(
        widget=forms.CheckboxSelectMultiple, required=False, label="Failure groups"
    )
    msg_ids = forms.CharField(
        required=False,
        label="Or messages, by their ids",
        help_text="Separated by spaces or commas, at most 1 000.",
        widget=forms.Textarea(attrs={"rows": 2}),
    )
    field_order = ("group_ids", "msg_ids", "reason")

    def __init__(self, *args: Any, incident: Incident, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        groups: dict[int, str] = {}
        for one in memberships_of(incident.pk):
            if one.group_id is not None:
                title = title_of_cause(one.cause) or "No error text"
                groups.setdefault(one.group_id, f"{one.service_name}: {title}")
        self.fields["group_ids"].choices = [  # type: ignore[attr-defined]  # a field with choices
            (str(group_id), text) for group_id, text in groups.items()
        ]

    def clean(self) -> dict[str, Any]:
        values = super().clean() or {}
        groups = [int(text) for text in values.get("group_ids") or []]
        words = (values.get("msg_ids") or "").replace(",", " ").split()
        if bool(groups) == bool(words):
            raise forms.ValidationError("Choose failure groups, or enter messages.")
        values["group_ids"], values["msg_ids"] = groups or None, None
        if words:
            try:
                values["msg_ids"] = parse_ids("msg_ids", words, most=_MAX_IDS)
            except Problem as problem:
                raise forms.ValidationError(problem.detail) from problem
        return values


@dataclass(frozen=True, kw_only=True)
class Decision:
    """
    A decision of a person.

    Args:
        title: of its page and button; `{pk}` is the incident.
        words: its effect, and whether it can be undone.
        act: the service.
        done: the notice of its success.
        right: the permission for it.
    """

    title: str
    words: str
    form: Callable[..., forms.Form]
    act: Callable[..., Incident]
    done: str
    right: str = roles.CAN_CHANGE_INCIDENTS


FORMS: Mapping[str, Decision] = {
    "assign": Decision(
        title="Assign",
        words="The owner looks after the incident. Everyone sees who it is.",
        form=AssignForm,
        act=services.assign_incident,
        done="Owner saved.",
        right=roles.CAN_HANDLE_INCIDENTS,
    ),
    "acknowledge": Decision(
        title="Acknowledge",
        words="Others see that you know about the incident.",
        form=DecisionForm,
        act=services.acknowledge_incident,
        done="Acknowledged.",
        right=roles.CAN_HANDLE_INCIDENTS,
    ),
    "note": Decision(
        title="Save note",
        words="The note replaces the present one. The history keeps all notes.",
        form=NoteForm,
        act=services.note_incident,
        done="Note saved.",
        right=roles.CAN_HANDLE_INCIDENTS,
    ),
    "close": Decision(
        title="Close incident",
        words="A failure within a day reopens it.",
        form=DecisionForm,
        act=services.close_incident,
        done="Incident closed.",
    ),
    "reopen": Decision(
        title="Reopen incident",
        words="It then stays open until a person closes it.",
        form=DecisionForm,
        act=services.reopen_incident,
        done="Incident reopened.",
    ),
    "merge": Decision(
        title="Merge incidents",
        words="The rule keeps them merged. To separate them again, split the incident.",
        form=MergeForm,
        act=composition.merge_incidents,
        done="Incidents merged.",
    ),
    "split": Decision(
        title="Split incident",
        words="The chosen failures become an incident of their own. The rule keeps both apart.",
        form=SplitForm,
        act=composition.split_incident,
        done="This is the new incident.",
    ),
}


@VIEWS.shows_and_takes_form
def change_incident(request: HttpRequest, incident_id: int, how: str) -> HttpResponse:
    """Show the form of a decision, or do it."""
    decision = FORMS[how]
    check_right(
        request,
        decision.right,
        action=f"{how}_incident",
        subject_kind=SUBJECT_KIND,
        subject=incident_id,
    )
    incident = get_incident_or_404(incident_id)
    form = decision.form(request.POST or None, incident=incident)
    if request.method != "POST" or not form.is_valid():
        return _render_form(request, incident, how, form, status=400 if form.errors else 200)
    try:
        changed = decision.act(incident_id=incident_id, actor=actor_of(request), **form.cleaned_data)
    except services.IncidentNotFound as error:
        raise Http404(str(error)) from error
    except services.IncidentConflict as refusal:
        return _render_form(request, incident, how, form, status=409, refusal=str(refusal))
    except Problem as problem:
        return _render_form(request, incident, how, form, status=400, refusal=problem.detail)
    notices.success(request, decision.done)
    return redirect("incident", changed.pk)


def _render_form(
    request: HttpRequest,
    incident: Incident,
    how: str,
    form: forms.Form,
    *,
    status: int,
    refusal: str = "",
) -> HttpResponse:
    context = {"incident": incident, "decision": FORMS[how], "form": form, "refusal": refusal}
    return PAGES.render_page(request, "decision", context, section="incident-list", status=status)
