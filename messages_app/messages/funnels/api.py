"""
Funnels over REST: the same rows as the page, by the same query.

Source: docs/contributing/spec/interfaces.md, "Messages".
"""

from collections.abc import Iterable, Mapping

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers
from rest_framework.request import Request

from messages_app.access import roles
from messages_app.access.reads import Read
from messages_app.core.api_schema import paging_parameters
from messages_app.core.filters.table import describe_parameters
from messages_app.core.pagination.paginator import page_links, parse_page_size
from messages_app.core.representation import represent_all
from messages_app.messages.api_fields import message_state
from messages_app.messages.funnels.filters import FILTERS, parse_funnel_filter
from messages_app.messages.funnels.lanes import MAX_BEFORE, Lane, Why
from messages_app.messages.funnels.selectors import funnel_page

# Of a lane, up to this many waiting messages are listed.
MAX_WAITING = 10


class _MemberSerializer(serializers.Serializer):
    msg_id = serializers.IntegerField(source="member.msg_id")
    state = message_state(source="member.state")
    msg_timestamp = serializers.DateTimeField(source="member.msg_timestamp")
    receive_timestamp = serializers.DateTimeField(source="member.receive_timestamp")


class HolderSerializer(_MemberSerializer):
    start_process_timestamp = serializers.DateTimeField(source="member.start_process_timestamp")
    idle_at = serializers.DateTimeField(
        help_text="When the default idle window ends; after that it no longer blocks other messages."
    )
    is_idle = serializers.BooleanField(
        help_text="The idle window has passed: it is still running but no longer blocks."
    )


class WaitingSerializer(_MemberSerializer):
    position = serializers.IntegerField(help_text="1: first in the hub's poll order.")
    why = serializers.ChoiceField(
        choices=[str(why) for why in Why], help_text="The `reason` code of explain."
    )
    blocked_by = serializers.IntegerField(allow_null=True, help_text="The message that must change first.")


class OrderedSerializer(serializers.Serializer):
    msg_id = serializers.IntegerField()
    state = message_state()
    msg_timestamp = serializers.DateTimeField()
    receive_timestamp = serializers.DateTimeField()


class FunnelSerializer(serializers.Serializer):
    component_id = serializers.CharField(
        allow_null=True,
        help_text="null if no component is set, or if values are exclusive across all funnels (OpenHub).",
    )
    value = serializers.CharField()
    since = serializers.DateTimeField(
        help_text=(
            "Receive time of the longest-waiting message, or start of the longest-holding message if none "
            "waits."
        )
    )
    holders = HolderSerializer(many=True)
    order = OrderedSerializer(
        many=True,
        help_text=(
            f"Messages before the waiting ones in their guaranteed order, at most {MAX_BEFORE}, head first; "
            "a FAILED head blocks all others until it is restarted."
        ),
    )
    waiting_count = serializers.SerializerMethodField(
        help_text="Counted among the messages read; see `truncated`."
    )
    waiting = serializers.SerializerMethodField(help_text=f"The first {MAX_WAITING}, in poll order.")

    def get_waiting_count(self, lane: Lane) -> int:
        return len(lane.waiting)

    @extend_schema_field(WaitingSerializer(many=True))
    def get_waiting(self, lane: Lane) -> Iterable[object]:
        return represent_all(WaitingSerializer, lane.waiting[:MAX_WAITING])


class FunnelPageSerializer(serializers.Serializer):
    next = serializers.URLField(allow_null=True)
    previous = serializers.URLField(allow_null=True)
    at = serializers.DateTimeField(help_text="The database time of this view.")
    truncated = serializers.BooleanField(
        help_text="More messages wait than were read; the longest-waiting are included."
    )
    results = FunnelSerializer(many=True)


def list_funnels(*, request: Request) -> Mapping[str, object]:
    params = request.query_params
    page = funnel_page(
        parse_funnel_filter(params),
        cursor=params.get("cursor"),
        page_size=parse_page_size(params.get("page_size")),
    )
    return {
        **page_links(request._request, page),
        "at": page.at,
        "truncated": page.truncated,
        "results": page.rows,
    }


CALLS = [
    Read(
        "funnels/",
        list_funnels,
        name="Funnel List",
        right=roles.CAN_VIEW_MESSAGES,
        answer=FunnelPageSerializer,
        parameters=[*describe_parameters(FILTERS), *paging_parameters()],
        query=None,
        operation_id="funnels_list",
        description=(
            "List the funnel values that are held or waited for now, each with its component.\n\nA"
            " funnel is the hub's rule that only one message of a value is processed at a time at one"
            " point. Those waited for longest come first, then the ones that are only held."
        ),
    ),
]
