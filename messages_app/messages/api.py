"""
Messages over REST: list, count, detail, content, cancel and restart.

Source: docs/contributing/spec/interfaces.md, "Messages".
"""

from collections.abc import Mapping
from functools import partial

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from messages_app.access import roles
from messages_app.access.calls import Action
from messages_app.access.reads import Read
from messages_app.core.api_schema import page_of, paging_parameters
from messages_app.core.etags import Tag
from messages_app.core.filters.table import EXACT_PARAMETER, describe_parameters
from messages_app.core.lists.counts import EXACT_COUNT_MS
from messages_app.core.pagination import paginator
from messages_app.core.parameters import parse_flag, read_address_id
from messages_app.core.problems import Extra, Problem, not_found, problems_for
from messages_app.core.representation import represent_all, represent_value
from messages_app.core.serializers import (
    CountSerializer,
    ReasonField,
    RowSerializer,
    StrictBooleanField,
    StrictChoiceField,
    StrictSerializer,
)
from messages_app.messages import selectors, services
from messages_app.messages.api_fields import message_state, parent_binding
from messages_app.messages.fields import CONTENT_COLUMNS, FIELDS, NARROW_COLUMNS
from messages_app.messages.filters import message_filter
from messages_app.messages.hub_columns import MessageColumns
from messages_app.messages.models import ArchiveMessage, Message
from messages_app.messages.parquet_archive.reader import cold_rows
from messages_app.messages.services import (
    ActionRefused,
    AlreadyResent,
    ExpectedStateNotMet,
    HeldByJob,
    MessageArchived,
    MessageNotFound,
    StateConflict,
)
from messages_app.shared.message_states import MessageAction, MessageState

_DETAIL_COLUMNS = [name for name in FIELDS if name not in CONTENT_COLUMNS]


class MessageInListSerializer(RowSerializer):
    state = message_state(read_only=True)
    parent_binding_type = parent_binding(read_only=True)
    archived = serializers.BooleanField()
    failed_summary = serializers.CharField(
        allow_null=True, help_text="The first line of failed_desc, at most 200 characters."
    )

    class Meta:
        model = Message
        fields = (*NARROW_COLUMNS, "failed_summary", "archived")


MESSAGE_PAGE = page_of(MessageInListSerializer)


class MessageSerializer(RowSerializer):
    state = message_state(read_only=True)
    parent_binding_type = parent_binding(read_only=True)
    archived = serializers.SerializerMethodField()
    archived_to = serializers.SerializerMethodField()
    allowed_actions = serializers.SerializerMethodField()
    resent_from = serializers.SerializerMethodField(
        help_text="The message whose payload was corrected and resent as this one."
    )
    resent_as = serializers.SerializerMethodField(
        help_text="The message that was sent with a corrected payload instead of this one."
    )

    class Meta:
        model = Message
        fields = (*_DETAIL_COLUMNS, "archived", "archived_to", "allowed_actions", "resent_from", "resent_as")

    def get_archived(self, message: MessageColumns) -> bool:
        return isinstance(message, ArchiveMessage)

    @extend_schema_field(serializers.ChoiceField(choices=["tables", "parquet"], allow_null=True))
    def get_archived_to(self, message: MessageColumns) -> str | None:
        """Return where in the archive it is; null for a live message."""
        if not isinstance(message, ArchiveMessage):
            return None
        return "tables" if cold_rows(message) is None else "parquet"

    def get_allowed_actions(self, message: MessageColumns) -> list[MessageAction]:
        """Return what the hub's rules allow in the message's state; nothing in the archive."""
        return services.allowed_actions(message)

    def get_resent_from(self, message: MessageColumns) -> int | None:
        return _read_resend_links(message)[0]

    def get_resent_as(self, message: MessageColumns) -> int | None:
        return _read_resend_links(message)[1]


def _read_resend_links(message: MessageColumns) -> tuple[int | None, int | None]:
    """Return the links of a message, which are read once for both members of the answer."""
    if message.resend_links is None:
        message.resend_links = selectors.resend_links(message.msg_id)
    return message.resend_links


class CancelSerializer(StrictSerializer):
    reason = ReasonField()
    expected_state = StrictChoiceField(
        choices=[str(state) for state in MessageState],
        required=False,
        help_text="Act only if the message is in this state, else 412.",
    )


class RestartSerializer(CancelSerializer):
    total = StrictBooleanField(default=False, help_text="Also repeat external calls that succeeded.")
    also_resent = StrictBooleanField(
        default=False,
        help_text=(
            "Also restart a message that was corrected and resent, although the hub then processes both;"
            " else 409 `already_resent` with `resent_as`."
        ),
    )


_STATUS_AND_CODE: dict[type[ActionRefused], tuple[int, str]] = {
    StateConflict: (409, "state_conflict"),
    ExpectedStateNotMet: (412, "precondition_failed"),
    MessageArchived: (409, "archived"),
    HeldByJob: (409, "in_job"),
    AlreadyResent: (409, "already_resent"),
}


def problem_of_refusal(error: ActionRefused | MessageNotFound) -> Problem:
    """Return the problem with the current state of the message, and the job or message that it names."""
    if isinstance(error, MessageNotFound):
        return not_found(str(error))
    status, code = _STATUS_AND_CODE[type(error)]
    extra: Extra = {"current_state": error.current_state}
    if isinstance(error, HeldByJob):
        extra["job_id"] = error.job_id
    if isinstance(error, AlreadyResent):
        extra["resent_as"] = error.resent_as
    return Problem(status, code, str(error), extra=extra)


refusals_as_problems = problems_for({ActionRefused: problem_of_refusal, MessageNotFound: problem_of_refusal})


_FILTERS = describe_parameters(message_filter.FILTERS)


_ORDER_NAMES = tuple(order.name for order in selectors.API_ORDERS)


def message_id(text: str) -> int:
    """
    Return the id in an address.

    Raises:
        Problem: 404, the text is not an id.
    """
    return read_address_id(text, noun="message")


def list_messages(*, request: Request) -> Response:
    return list_selected_messages(request)


def list_selected_messages(request: Request, **fixed: str) -> Response:
    """
    Answer with a page of messages.

    Args:
        fixed: filters that the address has, in addition to those of the query string, which must not have
            them.
    """
    params = request.query_params.copy()
    for name, value in fixed.items():
        params.appendlist(name, value)
    message_filter.refuse_without_reason(params, user=request.user)
    filters = message_filter.parse_message_filter(params, user=request.user)
    page = selectors.message_page(
        filters=filters, orders=selectors.API_ORDERS, **paginator.parse_paging(params)
    )
    return paginator.page_answer(request, page, represent_all(MessageInListSerializer, page.rows))


def count_messages(*, request: Request) -> Mapping[str, object]:
    params = request.query_params
    message_filter.refuse_without_reason(params, user=request.user)
    filters = message_filter.parse_message_filter(params, user=request.user, other_parameters={"exact"})
    if parse_flag("exact", params.get("exact")):
        return {"count": selectors.count_exactly(filters, timeout_ms=EXACT_COUNT_MS), "exact": True}
    counted = selectors.quick_count(filters)
    return {"count": counted.number, "exact": counted.is_exact}


def read_message(*, msg_id: int) -> MessageColumns:
    message, _ = selectors.get_message(msg_id)
    return message


def _lock_message(*, msg_id: int) -> Mapping[str, object]:
    return represent_value(MessageSerializer, selectors.locked_message(msg_id))


_one = partial(
    Action,
    key=message_id,
    answer=MessageSerializer,
    tag=Tag(lock=_lock_message),
    errors=refusals_as_problems,
)

CALLS = [
    Read(
        "messages/",
        list_messages,
        name="Message List",
        right=roles.CAN_VIEW_MESSAGES,
        answer=MESSAGE_PAGE,
        parameters=[*_FILTERS, *paging_parameters(_ORDER_NAMES)],
        query=None,
        operation_id="messages_list",
        description=(
            "List messages, newest first.\n\nIf no index fits the filter, a request checks a bounded"
            " number of messages. A page can then have fewer than `page_size` messages, or none, and a"
            " `next` that continues the search."
        ),
    ),
    Read(
        "messages/count/",
        count_messages,
        name="Message Count",
        right=roles.CAN_VIEW_MESSAGES,
        answer=CountSerializer,
        parameters=[*_FILTERS, EXACT_PARAMETER],
        query=None,
        description=(
            "Count messages: with `exact=true` the number, if that takes at most two"
            " seconds.\n\nOtherwise the number is an estimate, except for messages that are failing"
            " now (`state=FAILED`), and for up to 10 000 messages in other states except OK: `exact`"
            " of the answer is then true."
        ),
    ),
    Read(
        "messages/<str:msg_id>/",
        read_message,
        name="Message",
        right=roles.CAN_VIEW_MESSAGES,
        key=message_id,
        answer=MessageSerializer,
        tag=Tag(),
        errors=refusals_as_problems,
        description="Return one message, live or archived, without its payload and envelope.",
    ),
    _one(
        "messages/<str:msg_id>/cancel/",
        services.cancel_message,
        right=roles.CAN_CANCEL,
        audited_as="cancel",
        body=CancelSerializer,
        description="Cancel a message.",
    ),
    _one(
        "messages/<str:msg_id>/restart/",
        services.restart_message,
        right=roles.CAN_RESTART,
        audited_as="restart",
        body=RestartSerializer,
        description="Hand a message back to the hub for another attempt.",
    ),
]
