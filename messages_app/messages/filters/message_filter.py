"""
The filters of the message list: one table, read by the API, the pages and the commands.

Source: docs/contributing/spec/interfaces.md, "Messages"; docs/contributing/spec/bad_input.md, "Lists".
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import cast
from urllib.parse import urlencode

from django.core.exceptions import PermissionDenied
from django.db import models
from django.http import QueryDict

from messages_app.access import roles
from messages_app.access.actors import Caller
from messages_app.access.permissions import is_reason_missing, needs_right
from messages_app.core.filters import address, moments
from messages_app.core.filters.table import (
    Filter,
    filters_by_name,
    make_lookups,
    parse_filters,
    text_filter,
    time_range,
    write_values,
)
from messages_app.core.filters.values import parse_choice, parse_id
from messages_app.core.pagination import paginator
from messages_app.core.parameters import UNKNOWN_PARAMETER
from messages_app.core.problems import FieldError, bad_input
from messages_app.messages import fields
from messages_app.messages.attachment import has_indexes
from messages_app.shared.message_states import MessageState
from messages_app.shared.system_names import MAX_SYSTEM

# archived=any: the live table and the archive as one list.
ANYWHERE = "any"

PLACES = ("true", "false", ANYWHERE)

# family=roots: messages that name no parent.
# family=failed: messages that others, of the same table, name as their parent, where at least one of those is
# in one of FAILURE_STATES. One level: a grandchild's failure shows its own parent.
FAMILY_ROOTS, FAMILY_FAILED = "roots", "failed"

FAMILIES = (FAMILY_ROOTS, FAMILY_FAILED)


def parse_place(text: str, one: Filter) -> bool | str:
    """Return True for the archive, False for the live table, ANYWHERE for both."""
    place = parse_choice(text, one)
    return ANYWHERE if place == ANYWHERE else place == "true"


MAX_PAYLOAD_SEARCH_RANGE = timedelta(days=7)

# For the page, which searches slice by slice and shows its progress.
MAX_PAYLOAD_SEARCH_RANGE_OF_PAGE = timedelta(days=31)

SERVICE, OPERATION, ERROR_CODE = "service_name", "operation_name", "failed_error_code"

STATE, FUNNEL_VALUE, CONTENT, ARCHIVED = "state", "funnel_value", "payload_contains", "archived"

FAMILY, FAILURE_GROUP, INCIDENT = "family", "failure_group", "incident"

# The system at which the newest failure of a message happened (failures/systems.py).
EXTERNAL_SYSTEM = "external_system"

# The columns with a facet, and all facets. Each takes several values, and another filter leaves values out.
FACET_COLUMNS = tuple(fields.facet_columns())
_AFTER = FACET_COLUMNS.index(OPERATION) + 1
FACETS = (*FACET_COLUMNS[:_AFTER], EXTERNAL_SYSTEM, *FACET_COLUMNS[_AFTER:])
_NOT = "_not"

MSG_ID, MAX_IDS = "msg_id", 1000

TIME_COLUMNS = fields.filtered_columns(models.DateTimeField)


def name_exclusion(name: str) -> str:
    """Return the name of the filter that leaves out values of a facet."""
    return f"{name}{_NOT}"


# By the name of the excluding filter, the facet.
EXCLUDED = {name_exclusion(name): name for name in FACETS}


def _text_filter(name: str) -> Filter:
    """Return the filter by a text column; a funnel value may also be in a table of its own (branches.py)."""
    length = fields.MODEL_FIELDS[name].max_length or 0
    is_facet = name in FACETS
    return text_filter(
        name, length, lookup="" if is_facet or name == FUNNEL_VALUE else name, repeatable=is_facet
    )


def _excluding_filter(name: str) -> Filter:
    """Return the filter that leaves out values of a facet."""
    description = "Leaves out messages with these values."
    if name == STATE:
        return Filter(
            name=name_exclusion(name),
            lookup="",
            parse=parse_choice,
            choices=tuple(MessageState),
            repeatable=True,
            description=description,
        )
    length = MAX_SYSTEM if name == EXTERNAL_SYSTEM else fields.MODEL_FIELDS[name].max_length or 0
    return text_filter(name_exclusion(name), length, lookup="", repeatable=True, description=description)


# Users who see payloads masked must not learn them by searching (docs/contributing/spec/promises.md, I-60).
RIGHTS = {CONTENT: roles.CAN_VIEW_PAYLOAD}

FILTERS = filters_by_name(
    Filter(name=STATE, lookup="", parse=parse_choice, choices=tuple(MessageState), repeatable=True),
    *(_text_filter(name) for name in fields.filtered_columns(models.CharField) if name != STATE),
    Filter(
        name=MSG_ID,
        lookup="",
        parse=parse_id,
        repeatable=True,
        most_values=MAX_IDS,
        description=f"Messages with these ids; at most {MAX_IDS}. Ids that do not exist are left out.",
    ),
    *(
        Filter(name=name, lookup=name, parse=parse_id)
        for name in fields.filtered_columns(models.BigIntegerField)
        if name != MSG_ID
    ),
    Filter(
        name=FAILURE_GROUP,
        lookup="",
        parse=parse_id,
        description="Messages whose latest failure belongs to this group, whatever their current state.",
    ),
    Filter(
        name=INCIDENT,
        lookup="",
        parse=parse_id,
        description="Messages that belong to this incident, whatever their current state.",
    ),
    text_filter(
        EXTERNAL_SYSTEM,
        MAX_SYSTEM,
        lookup="",
        repeatable=True,
        description="Messages whose latest failure happened at this system, whatever their current state.",
    ),
    *(_excluding_filter(name) for name in FACETS),
    *(bound for column in TIME_COLUMNS for bound in time_range(column)),
    text_filter(CONTENT, 200, lookup="payload__contains"),
    Filter(
        name=FAMILY,
        lookup="",
        parse=parse_choice,
        choices=FAMILIES,
        description="roots: messages without a parent. failed: parents of a FAILED or PARTLY_FAILED message.",
    ),
    Filter(
        name=ARCHIVED,
        lookup="",
        parse=parse_place,
        choices=PLACES,
        description=f"{ANYWHERE}: live and archived messages as one list. Default: false.",
    ),
)


@dataclass(frozen=True)
class MessageFilter:
    """
    The filters of one list of messages, with their values.

    Args:
        values: by the filter's name; a tuple of states for `state`, a datetime for a time, an int for an id;
            for `archived` True or "any".
    """

    values: Mapping[str, object] = field(default_factory=dict)

    @property
    def is_archived(self) -> bool:
        """Whether the archive is read instead of the live table."""
        return self.values.get(ARCHIVED) is True

    @property
    def is_anywhere(self) -> bool:
        """Whether the live table and the archive are read as one list."""
        return self.values.get(ARCHIVED) == ANYWHERE

    @property
    def states(self) -> tuple[str, ...]:
        """The states of its messages; none if they may have any."""
        chosen, left_out = self.chosen_values(STATE), self.left_out_values(STATE)
        if not left_out:
            return chosen
        return tuple(state for state in chosen or MessageState if state not in left_out)

    def chosen_values(self, facet: str) -> tuple[str, ...]:
        """Return the values of a facet that the filter selects; none if it selects all."""
        return cast(tuple[str, ...], self.values.get(facet, ()))

    def left_out_values(self, facet: str) -> tuple[str, ...]:
        """Return the values of a facet that the filter leaves out."""
        return cast(tuple[str, ...], self.values.get(name_exclusion(facet), ()))

    def without_filters(self, *names: str) -> "MessageFilter":
        """Return the filter without some of its parts."""
        return MessageFilter({name: value for name, value in self.values.items() if name not in names})

    @property
    def msg_ids(self) -> tuple[int, ...] | None:
        return cast(tuple[int, ...] | None, self.values.get(MSG_ID))

    @property
    def funnel_value(self) -> str | None:
        return cast(str | None, self.values.get(FUNNEL_VALUE))

    @property
    def family(self) -> str | None:
        """FAMILY_ROOTS, FAMILY_FAILED or None."""
        return cast(str | None, self.values.get(FAMILY))

    @property
    def failure_group(self) -> int | None:
        return cast(int | None, self.values.get(FAILURE_GROUP))

    @property
    def incident(self) -> int | None:
        return cast(int | None, self.values.get(INCIDENT))

    @property
    def ranges(self) -> list[str]:
        """Return the time columns that the filter limits to a range."""
        return [column for column in TIME_COLUMNS if {f"{column}_from", f"{column}_to"} & set(self.values)]

    @property
    def is_empty(self) -> bool:
        """Whether the filter selects every message of the table."""
        return not set(self.values) - {ARCHIVED}

    def orm_lookups(self) -> dict[str, object]:
        """Return the ORM lookups of the filters that have one."""
        return make_lookups(FILTERS, self.values)

    def as_pairs(self) -> list[tuple[str, str]]:
        """Return (name, value) of each filter, in the table's order, the value as the address has it."""
        return write_values(FILTERS, self.values)

    def as_query(self) -> str:
        """Return the canonical query string: the same for every way of writing the same filter."""
        return urlencode(self.as_pairs())


def names_for(user: Caller | None) -> frozenset[str]:
    """
    Return the filters that `user` may use; None is the console itself.

    A filter whose right is missing is refused like one that does not exist, with a text that names the right.
    """
    if user is None:
        return frozenset(FILTERS)
    return frozenset(FILTERS) - {name for name, right in RIGHTS.items() if not user.has_perm(right)}


def refuse_without_reason(names: Collection[str], *, user: Caller) -> None:
    """
    Report to a caller of the API that only a reason is missing; `parse` would report an unknown filter.

    Raises:
        PermissionDenied: `user` may use each of `names`, but one of them only once the session has a reason.
    """
    for right in (right for name, right in RIGHTS.items() if name in names):
        if not user.has_perm(right) and is_reason_missing(user):
            raise PermissionDenied


def parse_message_filter(
    params: QueryDict,
    *,
    user: Caller | None,
    other_parameters: Collection[str] = paginator.PARAMETERS,
    content_range: timedelta = MAX_PAYLOAD_SEARCH_RANGE,
) -> MessageFilter:
    """
    Return the filter of a query string.

    Args:
        params: the parameters of the request.
        user: the user who asks; None for the console itself.
        other_parameters: parameters that are not filters, which the caller reads.
        content_range: the longest time range for a search of payloads.

    Raises:
        Problem: 400 with an entry for each parameter at fault.
    """
    allowed = {name: FILTERS[name] for name in names_for(user)}
    values, errors = parse_filters(allowed, params, other_parameters=other_parameters)
    errors = [_named_right(error, user) for error in errors]
    errors = errors or [*_state_errors(values), *_content_errors(values, content_range)]
    if errors:
        raise bad_input(errors)
    return MessageFilter({name: value for name, value in values.items() if value is not False})


def read_list_filter(params: QueryDict, *, user: Caller | None, now: datetime) -> MessageFilter:
    """
    Return the filter of an address of the list at `now`. A search of payloads without an end ends at `now`.

    Raises:
        Problem: 400 with an entry for each parameter at fault.
    """
    params = address.tidy_params(params, FILTERS, now=now)
    params = address.with_exact_times(params, FILTERS, now=now)
    if CONTENT in params and "receive_timestamp_from" in params:
        params.setdefault("receive_timestamp_to", moments.as_exact_time("-0s", is_end=True, now=now))
    return parse_message_filter(
        params,
        user=user,
        other_parameters=address.PARAMETERS,
        content_range=MAX_PAYLOAD_SEARCH_RANGE_OF_PAGE,
    )


def _named_right(error: FieldError, user: Caller | None) -> FieldError:
    """Name what a filter needs that exists but not for this user: a permission, or a reason."""
    right = RIGHTS.get(error.field)
    if user is None or right is None or error.code != UNKNOWN_PARAMETER:
        return error
    is_masked = not user.has_perm(right) and is_reason_missing(user)
    text = "values are masked in this session. Show values first." if is_masked else needs_right(right)
    return replace(error, message=f"{error.field}: {text}")


def _state_errors(values: Mapping[str, object]) -> list[FieldError]:
    """Return the error of a filter that leaves out every state that it selects."""
    filters = MessageFilter(values)
    if not filters.left_out_values(STATE) or filters.states:
        return []
    name = name_exclusion(STATE)
    return [FieldError(name, "invalid_value", f"{name} leaves out every state.")]


def _content_errors(values: Mapping[str, object], longest: timedelta) -> list[FieldError]:
    """Return the errors of a search of payloads. No index helps, so its time range limits the work."""
    if CONTENT not in values:
        return []
    start, end = values.get("receive_timestamp_from"), values.get("receive_timestamp_to")
    if not isinstance(start, datetime) or not isinstance(end, datetime):
        text = f"{CONTENT} needs receive_timestamp_from and receive_timestamp_to."
        return [FieldError(CONTENT, "required", text)]
    if end - start > longest:
        text = f"{CONTENT} searches at most {longest.days} days of receive_timestamp."
        return [FieldError(CONTENT, "out_of_range", text)]
    return []


def natural_order(filters: MessageFilter) -> str:
    """Return the order of the filter's index: by receipt if the filter has a range of receipt."""
    by_receipt = "receive_timestamp" in filters.ranges and has_indexes()
    return "-receive_timestamp" if by_receipt else "-msg_id"
