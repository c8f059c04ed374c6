"""How many messages are in which state, over REST."""

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from messages_app.access import roles
from messages_app.access.api import ApiView
from messages_app.messages.reporting import stats
from messages_app.messages.reporting.serializers import StatsSerializer
from messages_app.messages.reporting.time_ranges import FILTERS, TimeRange, parse
from messages_app.web.api_schema import READING, answers
from messages_app.web.filters.schema import parameters

_PARAMETERS = parameters(FILTERS)


class StatsView(ApiView):
    rights = {"GET": roles.CAN_VIEW_MESSAGES}
    parameters = None

    @extend_schema(
        operation_id="stats_list",
        parameters=_PARAMETERS,
        responses=answers(200, StatsSerializer, READING),
    )
    def get(self, request: Request) -> Response:
        """
        Count the messages of a time range by service, operation, source and state.

        By default of the last 24 hours; a range may be 7 days long.
        """
        range_ = parse(request.query_params, longest=stats.LONGEST)
        matrix = stats.matrix(range_)
        body = {
            **_bounds(range_),
            "truncated": matrix.truncated,
            "counted_from": matrix.counted_from,
            "results": matrix.rows,
            "totals": stats.totals(),
        }
        return Response(StatsSerializer(body).data)


def _bounds(range_: TimeRange) -> dict[str, object]:
    return {
        "next": None,
        "previous": None,
        "receive_timestamp_from": range_.start,
        "receive_timestamp_to": range_.end,
    }
