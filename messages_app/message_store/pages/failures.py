"""Messages that failed alike, and the records that messages wait for."""

from urllib.parse import urlencode

from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.views.decorators.http import require_safe

from messages_app.access import roles
from messages_app.access.gate import requires
from messages_app.drawing.bars import bars
from messages_app.grouping.groups import Group
from messages_app.message_store import queries
from messages_app.message_store.pages import frame
from messages_app.message_store.pages.words import badge_of
from messages_app.message_store.states import Status

# A page of groups stays light; the largest come first.
_MOST_GROUPS = 100
# As much of an error as every message of the group has: up to the first word that differs.
_SHORTEST_BEGINNING = 8


@require_safe
@requires(roles.CAN_VIEW_STORE)
def error_list(request: HttpRequest) -> HttpResponse:
    groups = queries.error_groups()
    shown = groups[:_MOST_GROUPS]
    drawn = bars(("", group.count, _address(group)) for group in shown)
    context = {
        "lines": [(group, badge_of(group.key[0]), bar) for group, bar in zip(shown, drawn, strict=True)],
        "more": max(len(groups) - _MOST_GROUPS, 0),
        "newest": queries.NEWEST_ERRORS,
        "grouped": sum(group.count for group in groups),
    }
    return frame.page(request, "errors", context, section="store-errors")


@require_safe
@requires(roles.CAN_VIEW_STORE)
def missing_list(request: HttpRequest) -> HttpResponse:
    missing = queries.missing_entities()
    drawn = bars((one.entity, one.references, "") for one in missing)
    context = {
        "lines": list(zip(missing, drawn, strict=True)),
        "given_up": int(Status.REPROCESS_TIMEOUT),
        "waiting": int(Status.REQUIRES_REPROCESSING),
        "may_reprocess": request.user.has_perm(roles.CAN_REPROCESS),
    }
    return frame.page(request, "missing", context, section="store-missing")


def _address(group: Group) -> str:
    """Return the list of a group's messages: by status, entity, and what all their errors begin with."""
    status, entity = group.key
    filters = {"status": status}
    if entity:
        filters["source_entity"] = entity
    beginning = group.summary.partition("<")[0].strip()
    if len(beginning) >= _SHORTEST_BEGINNING:
        filters["error_contains"] = beginning
    return f"{reverse('store-messages')}?{urlencode(filters)}"
