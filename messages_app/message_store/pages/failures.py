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
from messages_app.message_store.models import MAX_KEY, MAX_NAME
from messages_app.message_store.pages import frame
from messages_app.message_store.pages.words import badge_of
from messages_app.message_store.queries import MissingRecord
from messages_app.message_store.states import Status
from messages_app.web.filters.table import read, table, text_filter
from messages_app.web.problems import bad_input

# A page of groups stays light; the largest come first.
_MOST_GROUPS = 100
# As much of an error as every message of the group has: up to the first word that differs.
_SHORTEST_BEGINNING = 8
# Where the page of missing records begins, and which entity it is of.
_MISSING = table(
    text_filter("entity", MAX_NAME), text_filter("after_entity", MAX_NAME), text_filter("after", MAX_KEY)
)


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
    """Show the missing records one by one; the entities that they are of lead to theirs alone."""
    values, errors = read(_MISSING, request.GET)
    if errors:
        raise bad_input(errors)
    entity = values.get("entity")
    after = (values.get("after_entity", entity or ""), values["after"]) if "after" in values else None
    found = queries.missing_records(entity=entity, after=after)
    shown = found[: queries.MISSING_PAGE]
    context = {
        "records": shown,
        "entity": entity,
        "entities": queries.missing_entities(),
        "is_first": after is None,
        "next": _next(shown[-1], entity) if len(found) > len(shown) else None,
        "given_up": int(Status.REPROCESS_TIMEOUT),
        "waiting": int(Status.REQUIRES_REPROCESSING),
        "may_reprocess": request.user.has_perm(roles.CAN_REPROCESS),
    }
    return frame.page(request, "missing", context, section="store-missing")


def _next(last: MissingRecord, entity: str | None) -> str:
    """Return the query of the page beyond a record."""
    after = {"after_entity": last.entity, "after": last.record_key}
    return "?" + urlencode({"entity": entity, **after} if entity else after)


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
