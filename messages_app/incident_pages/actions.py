"""The decisions of people about an incident, each as a form."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from django import forms
from django.contrib.auth import get_user_model
from django.http import Http404, HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect
from django.urls import reverse

from messages_app.access import roles
from messages_app.access.actors import actor_of
from messages_app.access.decorators import check_right
from messages_app.core.filters.values import parse_ids
from messages_app.core.problems import Problem
from messages_app.core.reason_form import ReasonForm
from messages_app.core.undo import offer_undo
from messages_app.incident_pages.undo_views import undo_of
from messages_app.incident_pages.views import PAGES, VIEWS, get_incident_or_404
from messages_app.incidents import composition, services
from messages_app.incidents.listing import open_incidents, recently_closed_incidents
from messages_app.incidents.models import SUBJECT_KIND, Incident
from messages_app.incidents.selectors import memberships_of
from messages_app.shared.error_titles import title_of_cause

_MAX_IDS = 1_000
_MAX_USERS = 500


Choices = Sequence[tuple[str | int, str]]


def _list_users(incident: Incident) -> Choices:
    users = get_user_model().objects.filter(is_active=True).order_by("username")
    names = users.values_list("username", flat=True)[:_MAX_USERS]
    return [("", "No one"), *((name, name) for name in names)]


def _list_others(incident: Incident) -> Choices:
    """Return the incidents that can become a part of one."""
    others = [line.incident for line in (*open_incidents(), *recently_closed_incidents())]
    return [
        (other.pk, f"{other.pk}: {other.title} ({other.state})")
        for other in others
        if other.pk != incident.pk
    ]


def _list_groups(incident: Incident) -> Choices:
    """Return the failure groups of an incident, each by the first of its causes."""
    titles: dict[str | int, str] = {}
    for one in memberships_of(incident.pk):
        if one.group_id is not None:
            title = title_of_cause(one.cause) or "No error text"
            titles.setdefault(one.group_id, f"{one.service_name}: {title}")
    return list(titles.items())


class DecisionForm(ReasonForm):
    """A decision about an incident: a reason, after the fields of the decision."""

    # The choices of its fields, which depend on the incident.
    choices: ClassVar[Mapping[str, Callable[[Incident], Choices]]] = {}

    def __init__(self, data: QueryDict | None = None, *, incident: Incident) -> None:
        super().__init__(data, initial={"user": incident.owner})
        self.order_fields([name for name in self.fields if name != "reason"])
        for name, list_choices in self.choices.items():
            self.fields[name].choices = list_choices(incident)  # type: ignore[attr-defined]  # has choices


class AssignForm(DecisionForm):
    """The new owner. Empty: no one."""

    user = forms.ChoiceField(required=False, label="Owner")
    choices: ClassVar = {"user": _list_users}


class MergeForm(DecisionForm):
    """The incidents that become part of this one."""

    incident_ids = forms.TypedMultipleChoiceField(
        coerce=int, widget=forms.CheckboxSelectMultiple, label="Incidents that become part of this one"
    )
    choices: ClassVar = {"incident_ids": _list_others}


class SplitForm(DecisionForm):
    """The failure groups, or the messages, that become an incident of their own."""

    group_ids = forms.TypedMultipleChoiceField(
        coerce=int,
        empty_value=None,
        required=False,
        widget=forms.CheckboxSelectMultiple,
        label="Failure groups",
    )
    msg_ids = forms.CharField(
        required=False,
        label="Or messages, by their ids",
        help_text="Separated by spaces or commas, at most 1 000.",
        widget=forms.Textarea(attrs={"rows": 2}),
    )
    choices: ClassVar = {"group_ids": _list_groups}

    def clean_msg_ids(self) -> list[int] | None:
        words = self.cleaned_data["msg_ids"].replace(",", " ").split()
        try:
            return parse_ids("msg_ids", words, most=_MAX_IDS) if words else None
        except Problem as problem:
            raise forms.ValidationError(problem.detail) from problem

    def clean(self) -> dict[str, Any]:
        values = super().clean() or {}
        if not self.errors and bool(values["group_ids"]) == bool(values["msg_ids"]):
            raise forms.ValidationError("Choose failure groups, or enter messages.")
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
    form: type[DecisionForm]
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
        for each in problem.errors:
            form.add_error(each.field if each.field in form.fields else None, each.message)
        return _render_form(request, incident, how, form, status=400)
    offer_undo(request, decision.done, undo_of(request, how, incident, changed))
    return _lead_to_incident(request, changed)


def _lead_to_incident(request: HttpRequest, incident: Incident) -> HttpResponse:
    """Lead to the page of an incident: the whole page, also from a dialog."""
    if "HX-Request" not in request.headers:
        return redirect("incident", incident.pk)
    return HttpResponse(status=204, headers={"HX-Redirect": reverse("incident", args=[incident.pk])})


def _render_form(
    request: HttpRequest,
    incident: Incident,
    how: str,
    form: forms.Form,
    *,
    status: int,
    refusal: str = "",
) -> HttpResponse:
    """Render a form as a page, or as the content of a dialog."""
    template = "_decision_dialog" if "HX-Request" in request.headers else "decision"
    context = {"incident": incident, "decision": FORMS[how], "form": form, "refusal": refusal}
    return PAGES.render_page(request, template, context, section="incident-list", status=status)
