"""The page of a failure group with its forms, and the numbers of open pages."""

from datetime import timedelta

from django import forms
from django.contrib import messages as notices
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_POST, require_safe

from messages_app.access import roles
from messages_app.access.actors import actor_of
from messages_app.access.decorators import refuse_request, requires_permission
from messages_app.core.clock import database_clock
from messages_app.core.edit_versions import EditConflict, VersionedForm, list_differences
from messages_app.core.filters.values import parse_ids, read_time
from messages_app.core.formatting import format_estimate, format_number
from messages_app.core.page_parameters import takes_parameters
from messages_app.core.parameters import read_choice
from messages_app.core.problems import Problem
from messages_app.core.reason_form import ReasonForm
from messages_app.core.undo import Undo, make_undo, offer_undo, read_undone, report_undone
from messages_app.incidents.selectors import incidents_of_groups
from messages_app.messages.failures import selectors, services
from messages_app.messages.failures.chart import MAX_COUNT_SPAN, SPANS, draw_group
from messages_app.messages.failures.listing import GroupLine, Windows, sum_windows
from messages_app.messages.failures.models import (
    MAX_NOTE,
    MAX_OWNER,
    MAX_TICKET,
    ErrorCode,
    FailureGroup,
    GroupState,
)
from messages_app.messages.failures.selectors import CHECKED_MESSAGES, outcomes_of_groups
from messages_app.messages.metrics.failing import FailingNow, failing_now

_FOLDER = "messages_app/failures"


# The size of the test batch with which a restart of a larger group begins, unless its creator changes it.
_TEST_BATCH = 20
_MAX_INCIDENTS = 3
_JOBS_SINCE = "jobs_since"


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


class DescribeForm(VersionedForm):
    """The form for the owner, ticket and note of a group."""

    owner = forms.CharField(max_length=MAX_OWNER, required=False)
    ticket = forms.CharField(max_length=MAX_TICKET, required=False)
    note = forms.CharField(max_length=MAX_NOTE, required=False, widget=forms.Textarea(attrs={"rows": 3}))


@require_safe
@requires_permission(roles.CAN_VIEW_MESSAGES)
@takes_parameters("group", "total", _JOBS_SINCE, repeatable=("group",))
def failing_part(request: HttpRequest) -> HttpResponse:
    """
    Answer an open page with the numbers of failing messages that it shows: `total`, and by `group`.

    With `jobs_since`, also with the jobs of the user that ended since then.
    """
    failing = failing_now()
    group_texts = request.GET.getlist("group")
    group_ids = parse_ids("group", group_texts, most=selectors.MAX_GROUPS) if group_texts else []
    groups = FailureGroup.objects.in_bulk(group_ids)
    texts = {group_id: _failing_text(failing, group) for group_id, group in groups.items()}
    context = {
        "count": failing.count,
        "shows_total": "total" in request.GET,
        "groups": texts,
        "jobs_since": read_time(request.GET, _JOBS_SINCE),
    }
    return render(request, f"{_FOLDER}/_failing_now.html", context)


def _failing_text(failing: FailingNow, group: FailureGroup) -> str:
    count = failing.of_group(group)
    return format_number(count) if failing.is_by_group or not count else f"about {format_estimate(count)}"


@require_safe
@requires_permission(roles.CAN_VIEW_MESSAGES)
@takes_parameters("since")
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
    before = _group_or_404(group_id)
    try:
        marked = services.mark_group(
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
    offer_undo(request, f"Group marked as {state}.", _undo_of_mark(request, before, marked))
    return redirect("failure-group", group_id)


def _undo_of_mark(request: HttpRequest, before: FailureGroup, marked: FailureGroup) -> Undo:
    return make_undo(
        request,
        reverse("failure-undo-mark", args=[marked.pk]),
        state=marked.state,
        moment=marked.state_at,
        former=before.state,
        former_at=before.state_at,
        former_until=before.snoozed_until,
    )


@require_POST
@requires_permission(roles.CAN_VIEW_MESSAGES)
def undo_mark(request: HttpRequest, group_id: int) -> HttpResponse:
    """Give a group back its former status, unless it has changed since then."""
    _check_permission(request, "mark_group", group_id)
    values, is_undone = read_undone(request), True
    try:
        services.undo_mark(group_id=group_id, actor=actor_of(request), **values)
    except services.GroupNotFound as error:
        raise Http404(str(error)) from error
    except services.GroupConflict:
        is_undone = False
    report_undone(request, "the group", is_undone=is_undone)
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
    except EditConflict:
        group = _group_or_404(group_id)
        differences = list_differences([(form, DescribeForm(initial=_values_of(group)))])
        return _render_group(request, group, status=409, describe_form=form, differences=differences)
    notices.success(request, "Owner, ticket and note saved.")
    return redirect("failure-group", group_id)


def _values_of(group: FailureGroup) -> dict[str, object]:
    return {
        "owner": group.owner,
        "ticket": group.ticket,
        "note": group.note,
        "version": services.read_version(group),
    }


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
    counts = selectors.failures_by_minute([group.pk], group.first_seen - MAX_COUNT_SPAN)
    minutes = [(minute, failures) for _, minute, failures in counts]
    line = _describe_line(group, sum_windows(minutes, now=now))
    outcome = outcomes_of_groups([group.pk])[group.pk]
    is_repaired = outcome.is_repaired and line.is_settled
    affected = [each for each in selectors.affected_objects(group.pk) if each.failed]
    context = {
        "group": group,
        "line": line,
        "test_batch": f"&canary={_TEST_BATCH}" if line.failing_now > _TEST_BATCH else "",
        "outcome": outcome,
        "is_repaired": is_repaired,
        "may_close": is_repaired and group.state != GroupState.FIXED,
        "close_form": MarkForm(initial=_CLOSING),
        "chart": draw_group(group, minutes, now=now, chosen=read_choice(request.GET, "since", SPANS) or ""),
        "newest": selectors.newest_live_messages(group.pk),
        # Where each object has one message, the list of messages says as much.
        "affected": affected if any(each.failed > 1 for each in affected) else [],
        "checked_messages": CHECKED_MESSAGES,
        "incidents": incidents_of_groups([group.pk]).get(group.pk, [])[:_MAX_INCIDENTS],
        "may_change": request.user.has_perm(roles.CAN_CHANGE_GROUPS),
        "may_restart": line.failing_now and request.user.has_perm(roles.CAN_RESTART),
        "may_view_jobs": request.user.has_perm(roles.CAN_VIEW_JOBS),
        "mark_form": MarkForm(),
        "describe_form": DescribeForm(initial=_values_of(group)),
    }
    return render(request, f"{_FOLDER}/group.html", context | extra, status=status)


def _describe_line(group: FailureGroup, windows: Windows) -> GroupLine:
    failing = failing_now()
    count = failing.of_group(group)
    return GroupLine(
        group=group,
        windows=windows,
        failing_now=count,
        is_exact=failing.is_by_group or not count,
        error_code=ErrorCode.objects.filter(pk=group.failed_error_code).first(),
        systems=selectors.systems_of_groups([group.pk]).get(group.pk, []),
    )
