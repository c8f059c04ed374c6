"""Funnels over REST: the same rows as the page, by the same query. Source: spec/interfaces.md 5."""

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from messages_app.access import roles
from messages_app.access.api import ApiView
from messages_app.messages.funnels.filters import FILTERS, parse
from messages_app.messages.funnels.queries import funnel_page
from messages_app.messages.funnels.serializers import FunnelPageSerializer
from messages_app.web.api_schema import READING, answers, paging_parameters
from messages_app.web.filters.schema import parameters
from messages_app.web.paging import page_links, parse_page_size

_PARAMETERS = [*parameters(FILTERS), *paging_parameters()]


class FunnelListView(ApiView):
    rights = {"GET": roles.CAN_VIEW_MESSAGES}
    parameters = None

    @extend_schema(
        operation_id="funnels_list",
        parameters=_PARAMETERS,
        responses=answers(200, FunnelPageSerializer, READING),
    )
    def get(self, request: Request) -> Response:
        """
        List the funnel values that are held or waited for now, each with its component.

        A funnel is the hub's rule that only one message of a value is processed at a time at one point. Those
        waited for longest come first, then those that are only held.
        """
        params = request.query_params
        page = funnel_page(
            parse(params),
            cursor=params.get("cursor"),
            page_size=parse_page_size(params.get("page_size")),
        )
        body = {
            **page_links(request._request, page),
            "at": page.at,
            "truncated": page.truncated,
            "results": page.rows,
        }
        return Response(FunnelPageSerializer(body).data)
