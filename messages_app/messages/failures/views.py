"""The pages of failure groups: the list, and one group with its forms."""

from datetime import timedelta

from django import forms
from django.contrib import messages as notices
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_POST, require_safe

from messages_app.access import roles
from messages_app.access.actors import actor_of
from messages_app.access.decorators import refuse_request, requires_permission
from messages_app.core.clock import database_clock
from messages_app.core.filters.values import parse_ids
from messages_app.core.formatting import format_estimate, format_number
from messages_app.core.problems import Problem
from messages_app.core.reason_form import ReasonForm
from messages_app.messages.failures import selectors, services
from messages_app.messages.failures.chart import DAYS, draw_chart
from messages_app.messages.failures.models import (
    MAX_NOTE,
    MAX_OWNER,
    MAX_TICKET,
    PRESSING_STATES,
    TONES,
    ErrorCode,
    FailureGroup,
    GroupState,
)
from messages_app.messages.failures.selectors import CHECKED_MESSAGES, outcomes_of_groups
from messages_app.messages.first_steps import first_steps
from messages_app.messages.metrics.failing import FailingNow, failing_now
from messages_app.messages.metrics.polling import polling_state

_FOLDER = "messages_app/failures"


# The size of the test batch with which a restart of a larger group begins, unless its creator changes it.
_TEST_BATCH = 20


# By their values in the form: label, state, and the hours of a snooze.
_STATUSES = {
    "known": ("Known", GroupState.KNOWN, None),
    "fixed": ("Fixed (reopen if it returns)", GroupState.FIXED, None),
    "snooze-1": ("Snooze for 1 hour", GroupState.SNOOZED, 1),
    "snooze-8": ("Snooze for 8 hours", GroupState.SNOOZED, 8),
    "snooze-24": ("Snooze for 1 day", GroupState.SNOOZED, 24),
    "snooze-168": ("Snooze for 1 week", GroupState.SNOOZED, 168),
}


# The values that the button for closing a repaired group sends.
_CLOSING = {"saying": "fixed", "reason": "All of its messages are repaired."}


class MarkForm(ReasonForm):
    """The form for the status of a group, with a reason."""

    saying = forms.ChoiceField(
        choices=[(key, label) for key, (label, *_) in _STATUSES.items()], label="Status"
    )


class DescribeForm(forms.Form):
    """The form for the owner, ticket and note of a group."""

    owner = forms.CharField(max_length=MAX_OWNER, required=False)
    ticket = forms.CharField(max_length=MAX_TICKET, required=False)
    note = forms.CharField(max_length=MAX_NOTE, required=False, widget=forms.Textarea(attrs={"rows": 4}))


@require_safe
@requires_permission(roles.CAN_VIEW_MESSAGES)
def failure_list(request: HttpRequest) -> HttpResponse:
    failing = failing_now()
    lines = selectors.failing_groups(failing)
    pressing = sum(line.group.state in PRESSING_STATES and not line.is_settled for line in lines)
    may_change = request.user.has_perm(roles.CAN_CHANGE_GROUPS)
    shows_quiet = "quiet" in request.GET
    context = {
        "lines": lines,
        "shown": [line for line in lines if shows_quiet or not line.is_quiet],
        "quiet": sum(line.is_quiet for line in lines),
        "shows_quiet": shows_quiet,
        "failing": failing,
        "pressing": pressing,
        "tones": TONES,
        "may_change": may_change,
        "polling": polling_state(),
        "first_steps": first_steps() if not lines else None,
    }
    return render(request, f"{_FOLDER}/list.html", context)


@require_safe
@requires_permission(roles.CAN_VIEW_MESSAGES)
def failing_part(request: HttpRequest) -> HttpResponse:
    """Answer an open page with the numbers of failing messages that it shows: `total`, and by `group`."""
    failing = failing_now()
    group_texts = request.GET.getlist("group")
    group_ids = parse_ids("group", group_texts, most=selectors.MAX_GROUPS) if group_texts else []
    groups = FailureGroup.objects.in_bulk(group_ids)
    texts = {group_id: _failing_text(failing, group) for group_id, group in groups.items()}
    context = {"count": failing.count, "shows_total": "total" in request.GET, "groups": texts}
    return render(request, f"{_FOLDER}/_failing_now.html", context)


def _failing_text(failing: FailingNow, group: FailureGroup) -> str:
    count = failing.of_group(group)
    return format_number(count) if failing.is_by_group or not count else f"about {format_estimate(count)}"


@require_safe
@requires_permission(roles.CAN_VIEW_MESSAGES)
def failure_page(request: HttpRequest, group_id: int) -> HttpResponse:
    return _render_group(request, _group_or_404(group_id))


@require_POST
@requires_permission(roles.CAN_VIEW_MESSAGES)
def mark_group(request: HttpRequest, group_id: int) -> HttpResponse:
    """Mark a group as known, fixed or snoozed."""
    _check_permission(request, "mark_group", group_id)
    form = MarkForm(request.POST)
    if not form.is_valid():
        return _render_group(request, _group_or_404(group_id), status=400, mark_form=form)
    _, state, hours = _STATUSES[form.cleaned_data["saying"]]
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
        return _render_group(
            request,
            _group_or_404(group_id),
            status=409,
            refusal=f"The group is already {refusal.current_state}.",
        )
    notices.success(request, f"Group marked as {state}.")
    return redirect("failure-group", group_id)


@require_POST
@requires_permission(roles.CAN_VIEW_MESSAGES)
def describe_group(request: HttpRequest, group_id: int) -> HttpResponse:
    """Change the owner, ticket and note of a group."""
    _check_permission(request, "describe_group", group_id)
    form = DescribeForm(request.POST)
    if not form.is_valid():
        return _render_group(request, _group_or_404(group_id), status=400, describe_form=form)
    try:
        services.describe_group(group_id=group_id, actor=actor_of(request), **form.cleaned_data)
    except services.GroupNotFound as error:
        raise Http404(str(error)) from error
    except Problem as problem:
        return _render_group(
            request, _group_or_404(group_id), status=400, describe_form=form, refusal=problem.detail
        )
    notices.success(request, "Owner, ticket and note saved.")
    return redirect("failure-group", group_id)


def _check_permission(request: HttpRequest, action: str, group_id: int) -> None:
    if not request.user.has_perm(roles.CAN_CHANGE_GROUPS):
        refuse_request(request, action=action, subject_kind=services.SUBJECT_KIND, subject=group_id)


def _group_or_404(group_id: int) -> FailureGroup:
    group = FailureGroup.objects.filter(pk=group_id).first()
    if group is None:
        raise Http404(f"No group of failures has the id {group_id}.")
    return group


def _render_group(
    request: HttpRequest, group: FailureGroup, *, status: int = 200, **extra: object
) -> HttpResponse:
    now = database_clock()
    minutes = selectors.failures_by_minute([group.pk], now - DAYS)
    description = {"owner": group.owner, "ticket": group.ticket, "note": group.note}
    outcome = outcomes_of_groups([group.pk])[group.pk]
    failing = failing_now()
    failing_count = failing.of_group(group)
    context = {
        "group": group,
        "failing_count": failing_count,
        "is_exact": failing.is_by_group or not failing_count,
        "test_batch": f"&canary={_TEST_BATCH}" if failing_count > _TEST_BATCH else "",
        "is_repaired": outcome.is_repaired and not failing_count,
        "outcome": outcome,
        "tones": TONES,
        "may_close": outcome.is_repaired and not failing_count and group.state != GroupState.FIXED,
        "close_form": MarkForm(initial=_CLOSING),
        "known": ErrorCode.objects.filter(pk=group.failed_error_code).first(),
        "msg_ids": selectors.newest_messages(group.pk),
        "chart": draw_chart(((minute, failures) for _, minute, failures in minutes), now=now),
        "affected": [each for each in selectors.affected_objects(group.pk) if each.failed],
        "checked_messages": CHECKED_MESSAGES,
        "may_change": request.user.has_perm(roles.CAN_CHANGE_GROUPS),
        "may_restart": failing_count and request.user.has_perm(roles.CAN_RESTART),
        "may_view_jobs": request.user.has_perm(roles.CAN_VIEW_JOBS),
        "mark_form": MarkForm(),
        "describe_form": DescribeForm(initial=description),
    }
    return render(request, f"{_FOLDER}/group.html", context | extra, status=status)
