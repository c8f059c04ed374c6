"""The pages that cancel or restart several messages selected in a list: confirmation and outcomes."""

from collections.abc import Callable, Sequence
from urllib.parse import urlencode, urlsplit

from django import forms
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect
from django.urls import reverse
from django.views.decorators.http import require_POST

from messages_app.access import roles
from messages_app.access.actors import actor_of
from messages_app.access.decorators import refuse_request, requires_permission
from messages_app.core.parameters import read_id
from messages_app.core.problems import bad_field, quote_value
from messages_app.core.reason_form import ReasonForm
from messages_app.messages.actions import bulk
from messages_app.messages.actions.bulk import Result, Target
from messages_app.messages.available_actions import (
    ACTIONS,
    MAX_RESTORED,
    MAX_SELECTED,
    RESTORE,
    ActionSpec,
    may_act,
)
from messages_app.messages.hub_times import hub_times
from messages_app.messages.listing.neighbours import list_query
from messages_app.messages.pages import PAGES
from messages_app.shared.message_states import MessageState


class SeveralForm(ReasonForm):
    """The reason. The messages and the states that the user saw are separate fields of the request."""

    confirmed = forms.BooleanField(initial=True, widget=forms.HiddenInput)


@require_POST
@requires_permission(roles.CAN_VIEW_MESSAGES)
def act_on_messages(request: HttpRequest) -> HttpResponse:
    """
    Preview an action on the selected messages, or perform it if the body has confirmed=1.

    The body has `action` (cancel, restart, total, or restore, which redirects to the page of a job) and
    `reason`. It names the messages by `msg_id`, repeated; a confirmed request by `target`, repeated, each
    with the state that the user saw ("17:FAILED").

    Raises:
        Problem: 400, the action, an id or the number of ids is not valid.
    """
    name = request.POST.get("action", "")
    if name in _JOB_ACTIONS:
        return _JOB_ACTIONS[name](request)
    if name not in ACTIONS:
        names = ", ".join(sorted(ACTIONS))
        raise bad_field("action", "invalid_value", f"action must be one of {names}, not {quote_value(name)}.")
    spec = ACTIONS[name]
    if not may_act(request.user, spec.action):
        refuse_request(request, action=spec.action)
    if request.POST.get("confirmed"):
        return _act_on_targets(request, spec, _read_targets(request))
    return _show_confirmation(request, spec, _read_ids(request), SeveralForm(initial={"confirmed": "1"}))


def _redirect_to_restore(request: HttpRequest) -> HttpResponse:
    """Redirect to the page for a job that restores the selected messages; that page shows a preview first."""
    if not request.user.has_perm(roles.CAN_ARCHIVE):
        refuse_request(request, action=RESTORE.name)
    ids = ",".join(map(str, _read_ids(request, most=MAX_RESTORED)))
    query = urlencode({"kind": RESTORE.name, "archived": "true", "msg_id": ids}, safe=",")
    return redirect(f"{reverse('job-new')}?{query}")


# Actions that jobs perform, by their names in forms.
_JOB_ACTIONS: dict[str, Callable[[HttpRequest], HttpResponse]] = {RESTORE.name: _redirect_to_restore}


def _act_on_targets(request: HttpRequest, spec: ActionSpec, targets: list[Target]) -> HttpResponse:
    form = SeveralForm(request.POST)
    if not form.is_valid():
        return _show_confirmation(request, spec, [target.msg_id for target in targets], form, status=400)
    reason = form.cleaned_data["reason"]
    outcomes = list(bulk.act_on_targets(targets, spec, actor=actor_of(request), reason=reason))
    done = sum(outcome.result == Result.DONE for outcome in outcomes)
    context = {
        "spec": spec,
        "outcomes": sorted(outcomes, key=lambda outcome: outcome.result == Result.DONE),
        "done": done,
        "refused": len(outcomes) - done,
        "reason": reason,
        "list_query": _list_query(request),
    }
    return PAGES.render_page(request, "bulk_result", context)


def _show_confirmation(
    request: HttpRequest, spec: ActionSpec, msg_ids: Sequence[int], form: SeveralForm, status: int = 200
) -> HttpResponse:
    times = hub_times()
    earliest, latest = times.partly_failed_rests, times.partly_failed_rests + times.poll_every
    context = {
        "spec": spec,
        "pickup": (int(earliest.total_seconds()), int(latest.total_seconds())),
        "plan": bulk.plan_actions(msg_ids, spec),
        "form": form,
        "list_query": _list_query(request),
    }
    return PAGES.render_page(request, "bulk_action", context, status=status)


def _list_query(request: HttpRequest) -> str:
    """Return the query of the list with the selection: from the form, or else from the previous page."""
    query = request.POST.get("list_query")
    if query is None:
        query = urlsplit(request.headers.get("Referer", "")).query
    return list_query(QueryDict(query.removeprefix("?")))


def _read_ids(request: HttpRequest, *, most: int = MAX_SELECTED) -> list[int]:
    return list(dict.fromkeys(_read_id("msg_id", text) for text in _read_field(request, "msg_id", most=most)))


def _read_targets(request: HttpRequest) -> list[Target]:
    targets = (_read_target(text) for text in _read_field(request, "target"))
    return list({target.msg_id: target for target in targets}.values())


def _read_field(request: HttpRequest, field: str, *, most: int = MAX_SELECTED) -> list[str]:
    texts = request.POST.getlist(field)
    if not texts:
        raise bad_field(field, "required", "No messages were selected.")
    if len(texts) > most:
        text = f"At most {most} messages at a time, not {len(texts)}. Start a job for more."
        raise bad_field(field, "too_many", text)
    return texts


def _read_id(field: str, text: str) -> int:
    if (number := read_id(text)) is not None:
        return number
    raise bad_field(field, "invalid_value", f"{field} must be a message's id, not {quote_value(text)}.")


def _read_target(text: str) -> Target:
    msg_id, _, state = text.partition(":")
    if state not in set(MessageState):
        raise bad_field(
            "target", "invalid_value", f"target must be an id and a state, not {quote_value(text)}."
        )
    return Target(_read_id("target", msg_id), state)
