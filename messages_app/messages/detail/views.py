"""The page of one message."""

import logging
import re
from collections.abc import Iterable
from datetime import datetime
from functools import partial

from django.http import HttpRequest, HttpResponse
from django.utils.http import urlencode
from django.views.decorators.http import require_safe

from messages_app.access import roles
from messages_app.access.decorators import requires_permission
from messages_app.core.clock import TooSlow, time_limit
from messages_app.core.page_parameters import takes_parameters
from messages_app.core.problems import bad_field, quote_value
from messages_app.incidents.models import Incident
from messages_app.messages import selectors
from messages_app.messages.actions.outcome import follow_last_action
from messages_app.messages.attachment import has_indexes, missing_indexes
from messages_app.messages.available_actions import offered_actions
from messages_app.messages.corrections.services import offer_of_resend
from messages_app.messages.detail.buttons import CAN_RESTORE, advised_buttons, restore_url
from messages_app.messages.detail.children import children_page, roll_up
from messages_app.messages.detail.following import is_unchanged, make_following, version_of
from messages_app.messages.detail.selectors import MessageDetail, message_detail
from messages_app.messages.detail.tree import find_ancestors
from messages_app.messages.diagnosis.explain import explain_message
from messages_app.messages.diagnosis.explanation import Explanation
from messages_app.messages.failures.incident_source import place_messages
from messages_app.messages.filters.message_filter import ANYWHERE, CONTENT
from messages_app.messages.hub_columns import MessageColumns
from messages_app.messages.hub_times import hub_times
from messages_app.messages.listing.neighbours import FIRST, LIST_PARAMETERS, find_neighbours
from messages_app.messages.metrics.polling import polling_state
from messages_app.messages.pages import PAGES, read_or_404
from messages_app.messages.tables import MESSAGES
from messages_app.messages.timeline.entries import Entry, Kind
from messages_app.messages.timeline.history import Timeline, timeline_of
from messages_app.messages.timeline.row_entries import first_line
from messages_app.messages.timeline.waterfall import draw_waterfall
from messages_app.payloads.view_params import MAX_WORD
from messages_app.shared.message_states import FINAL_STATES

log = logging.getLogger(__name__)


ANCESTORS_SHOWN = 20
# Each query of the explanation takes a few milliseconds; the page does not wait longer for one.
MAX_MILLISECONDS = 300
_MAX_NUMBERS = 20
# Shorter numbers in a text are usually counts, ports and status codes, although an id may be as short.
_NUMBER = re.compile(r"(?<![\w.:/-])[0-9]{4,18}(?![\w/-]|\.\w)")
_HISTORY_ROWS = 60
_UNEXPLAINED = "message %s was not explained"
_TIMELINE = "timeline"
_FAILURES = "failures"


@require_safe
@requires_permission(roles.CAN_VIEW_MESSAGES)
@takes_parameters(*LIST_PARAMETERS, _TIMELINE)
def message_page(request: HttpRequest, msg_id: int) -> HttpResponse:
    failures_only = _is_only_of_failures(request)
    # Before everything else, so that a change in the meantime is in the next version.
    version = version_of(msg_id)
    if is_unchanged(request, version):
        return HttpResponse(status=204)
    detail = read_or_404(message_detail, msg_id)
    message = detail.message
    at = getattr(message, "database_clock", None)
    timeline = timeline_of(message, at=at, traffic=detail.traffic)
    actions = offered_actions(request.user, state=message.state, archived=detail.archived)
    explanation = explanation_of(message, at=timeline.at)
    followed = follow_last_action(message, at=timeline.at, entries=timeline.actions)
    is_final = detail.archived or message.state in FINAL_STATES
    is_ended = is_final and not (followed is not None and followed.is_open)
    links = selectors.resend_links(msg_id)
    payload_query = _payload_query(request)
    context = {
        "links": links,
        "resend": offer_of_resend(request.user, message, resent_as=links.resent_as),
        "detail": detail,
        "message": message,
        # Lists of its values begin with live messages; an archived one is in the list only with the archive.
        "place": ANYWHERE if detail.archived else None,
        "actions": actions,
        "restore_url": restore_url(msg_id) if request.user.has_perms(CAN_RESTORE) else "",
        "advised": advised_buttons(explanation, user=request.user),
        "followed": followed,
        "following": make_following(version, at=timeline.at, is_ended=is_ended),
        "neighbours": find_neighbours(request.GET, user=request.user, message=message, patience=FIRST),
        "explanation": explanation,
        "tries": hub_times().attempts,
        "payload_query": payload_query,
        "shown_part": "contents" if payload_query else "story",
        "incident": _find_incident(message),
        **_family_context(msg_id),
        **_history_context(request, detail, timeline, failures_only),
    }
    return PAGES.render_page(request, "detail", context)


def _find_incident(message: MessageColumns) -> Incident | None:
    """Return the incident of a message's newest failure."""
    place = place_messages([message.msg_id]).get(message.msg_id)
    if place is None or place.incident_id is None:
        return None
    return Incident.objects.filter(pk=place.incident_id).first()


def _is_only_of_failures(request: HttpRequest) -> bool:
    value = request.GET.get(_TIMELINE)
    if value not in {None, _FAILURES}:
        raise bad_field(
            _TIMELINE, "invalid_value", f"{_TIMELINE} must be {_FAILURES}, not {quote_value(value)}."
        )
    return value == _FAILURES


def _payload_query(request: HttpRequest) -> str:
    """Return the query string that finds the text of the list's payload search in the payload."""
    word = request.GET.get(CONTENT)
    if not word or not request.user.has_perm(roles.CAN_VIEW_PAYLOAD):
        return ""
    return f"?{urlencode({'find': word[:MAX_WORD]})}"


def _family_context(msg_id: int) -> dict[str, object]:
    """Return the family; if reading it takes too long, as on a hub without the console's indexes, why."""
    if has_indexes():
        return _read_family(msg_id)
    try:
        with time_limit(MAX_MILLISECONDS):
            return _read_family(msg_id)
    except TooSlow:
        return {"family_unread": missing_indexes(), "parent_id": msg_id}


def _read_family(msg_id: int) -> dict[str, object]:
    line = read_or_404(partial(find_ancestors, most=ANCESTORS_SHOWN), msg_id)
    return {
        "line": line,
        "parents": line.members[:0:-1],
        "roll_up": roll_up(msg_id),
        "branch": children_page(msg_id),
        "parent_id": msg_id,
    }


def _history_context(
    request: HttpRequest, detail: MessageDetail, timeline: Timeline, failures_only: bool
) -> dict[str, object]:
    message, changes = detail.message, list(_history_entries(timeline.entries))
    texts = [message.failed_desc and first_line(message.failed_desc), message.business_error]
    return {
        "timeline": draw_waterfall(timeline, failures_only=failures_only),
        "failures_only": failures_only,
        "timeline_all": _with_timeline(request, None),
        "timeline_failures": _with_timeline(request, _FAILURES),
        "polling": polling_state(),
        "changes": changes[-_HISTORY_ROWS:],
        "changes_cut": timeline.is_truncated or len(changes) > _HISTORY_ROWS,
        "named": messages_named([*texts, *(entry.note for entry in changes[-_HISTORY_ROWS:])]),
    }


def _history_entries(entries: Iterable[Entry]) -> Iterable[Entry]:
    """Yield the entries of the history. An action is left out if its change of state names it."""
    kinds = {Kind.RECEIVED, Kind.STATE_CHANGE, Kind.OPERATOR_ACTION}
    history = [entry for entry in entries if entry.kind in kinds]
    with_change = {(entry.entry_id, entry.id) for entry in history if entry.kind == Kind.STATE_CHANGE}
    return (
        entry
        for entry in history
        if entry.kind != Kind.OPERATOR_ACTION or (entry.entry_id, entry.id) not in with_change
    )


def _with_timeline(request: HttpRequest, value: str | None) -> str:
    """Return the query string for this choice of the timeline. It keeps the query of the list."""
    params = request.GET.copy()
    params.pop(_TIMELINE, None)
    if value:
        params[_TIMELINE] = value
    return f"?{params.urlencode()}" if params else request.path


def explanation_of(message: MessageColumns, *, at: datetime) -> Explanation | None:
    """Return the explanation of a message; None if it fails, so that the page still opens."""
    try:
        with time_limit(MAX_MILLISECONDS):
            return explain_message(message, at=at)
    except Exception as error:
        is_slow = isinstance(error, TooSlow)
        # A hub without the console's indexes is slow at every message.
        log.log(logging.WARNING if is_slow else logging.ERROR, _UNEXPLAINED, message.pk, exc_info=not is_slow)
        return None


def messages_named(texts: Iterable[str | None]) -> set[int]:
    """Return the ids of messages, live or archived, among the first _MAX_NUMBERS numbers in these texts."""
    numbers = dict.fromkeys(int(number) for text in texts for number in _NUMBER.findall(text or ""))
    candidates = list(numbers)[:_MAX_NUMBERS]
    if not candidates:
        return set()
    return {
        msg_id
        for table in MESSAGES
        for msg_id in table._default_manager.filter(pk__in=candidates).values_list("pk", flat=True)
    }
