"""The pages of failure groups: what fails, since when, what is known of it, and what a person says of it."""

from datetime import timedelta

from django import forms
from django.contrib import messages as notices
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_POST, require_safe

from messages_app.access import roles
from messages_app.access.actors import actor_of
from messages_app.access.gate import refuse, requires
from messages_app.messages.failing import queries, services
from messages_app.messages.failing.drawing import DAYS, drawn
from messages_app.messages.failing.models import ErrorCode, FailureGroup
from messages_app.messages.failing.repaired import LOOKED_AT, outcomes_of_groups
from messages_app.messages.failing.states import PRESSING_STATES, GroupState
from messages_app.messages.failing.tones import TONES
from messages_app.web.clock import database_clock
from messages_app.web.problems import Problem
from messages_app.web.reasons import ReasonForm

_FOLDER = "messages_app/failing"
# What a person may say, and for how many hours a group sleeps.
_SAYINGS = {
    "known": ("Known", GroupState.KNOWN, None),
    "fixed": ("Fixed: tell me if it comes back", GroupState.FIXED, None),
    "snooze-1": ("Snoozed for an hour", GroupState.SNOOZED, 1),
    "snooze-8": ("Snoozed for 8 hours", GroupState.SNOOZED, 8),
    "snooze-24": ("Snoozed for a day", GroupState.SNOOZED, 24),
    "snooze-168": ("Snoozed for a week", GroupState.SNOOZED, 168),
}
# What the button that closes a repaired group says.
_CLOSING = {"saying": "fixed", "reason": "All of its messages are repaired."}


class MarkForm(ReasonForm):
    """What is said of a group, and why."""

    saying = forms.ChoiceField(choices=[(key, words) for key, (words, *_) in _SAYINGS.items()], label="It is")


class DescribeForm(forms.Form):
    """Who looks after a group, where it is followed up, and what others should know."""

    owner = forms.CharField(max_length=150, required=False)
    ticket = forms.CharField(max_length=200, required=False)
    note = forms.CharField(
        max_length=services.MAX_NOTE, required=False, widget=forms.Textarea(attrs={"rows": 4})
    )


@require_safe
@requires(roles.CAN_VIEW_MESSAGES)
def failure_list(request: HttpRequest) -> HttpResponse:
    lines = queries.failing_groups()
    pressing = sum(line.group.state in PRESSING_STATES and not line.is_quiet for line in lines)
    may_change = request.user.has_perm(roles.CAN_CHANGE_GROUPS)
    context = {"lines": lines, "pressing": pressing, "tones": TONES, "may_change": may_change}
    return render(request, f"{_FOLDER}/list.html", context)


@require_safe
@requires(roles.CAN_VIEW_MESSAGES)
def failure_page(request: HttpRequest, group_id: int) -> HttpResponse:
    return _page(request, _found(group_id))


@require_POST
@requires(roles.CAN_VIEW_MESSAGES)
def mark(request: HttpRequest, group_id: int) -> HttpResponse:
    """Say that a group is known, fixed or snoozed."""
    _check_right(request, "mark_group", group_id)
    form = MarkForm(request.POST)
    if not form.is_valid():
        return _page(request, _found(group_id), status=400, mark_form=form)
    _, state, hours = _SAYINGS[form.cleaned_data["saying"]]
    until = database_clock() + timedelta(hours=hours) if hours else None
    try:
        services.mark_group(
            group_id=group_id,
            state=state,
            snoozed_until=until,
            actor=actor_of(request),
            reason=form.cleaned_data["reason"],
        )
    except services.GroupNotFound as error:
        raise Http404(str(error)) from error
    except services.GroupConflict as refusal:
        return _page(request, _found(group_id), status=409, refusal=f"It is {refusal.current_state} already.")
    notices.success(request, f"The group is {state} now.")
    return redirect("failure-group", group_id)


@require_POST
@requires(roles.CAN_VIEW_MESSAGES)
def describe(request: HttpRequest, group_id: int) -> HttpResponse:
    """Write owner, ticket and note."""
    _check_right(request, "describe_group", group_id)
    form = DescribeForm(request.POST)
    if not form.is_valid():
        return _page(request, _found(group_id), status=400, describe_form=form)
    try:
        services.describe_group(group_id=group_id, actor=actor_of(request), **form.cleaned_data)
    except services.GroupNotFound as error:
        raise Http404(str(error)) from error
    except Problem as problem:
        return _page(request, _found(group_id), status=400, describe_form=form, refusal=problem.detail)
    notices.success(request, "Owner, ticket and note are kept.")
    return redirect("failure-group", group_id)


def _check_right(request: HttpRequest, action: str, group_id: int) -> None:
    if not request.user.has_perm(roles.CAN_CHANGE_GROUPS):
        refuse(request, action=action, subject_kind="failure_group", subject=group_id)


def _found(group_id: int) -> FailureGroup:
    group = FailureGroup.objects.filter(pk=group_id).first()
    if group is None:
        raise Http404(f"No group of failures has the id {group_id}.")
    return group


def _page(request: HttpRequest, group: FailureGroup, *, status: int = 200, **more: object) -> HttpResponse:
    now = database_clock()
    minutes = queries.minutes_of([group.pk], now - DAYS)
    described = {"owner": group.owner, "ticket": group.ticket, "note": group.note}
    outcome = outcomes_of_groups([group.pk])[group.pk]
    affected = [one for one in queries.affected(group.pk) if one.failing_now]
    context = {
        "group": group,
        "outcome": outcome,
        "tones": TONES,
        "may_close": outcome.is_repaired and group.state != GroupState.FIXED,
        "close_form": MarkForm(initial=_CLOSING),
        "known": ErrorCode.objects.filter(pk=group.failed_error_code).first(),
        "msg_ids": queries.samples(group.pk),
        "picture": drawn(((minute, failures) for _, minute, failures in minutes), now=now),
        "affected": affected,
        "looked_at": LOOKED_AT,
        "may_change": request.user.has_perm(roles.CAN_CHANGE_GROUPS),
        "may_restart": (outcome.failed or outcome.total >= LOOKED_AT)
        and request.user.has_perm(roles.CAN_RESTART),
        "may_view_jobs": request.user.has_perm(roles.CAN_VIEW_JOBS),
        "mark_form": MarkForm(),
        "describe_form": DescribeForm(initial=described),
    }
    return render(request, f"{_FOLDER}/group.html", context | more, status=status)
