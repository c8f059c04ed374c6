"""Reports on the queue: messages, statistics, an object, the log, the next pickup."""

from django.db import OperationalError
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from messages_app.access.api import ApiView
from messages_app.core.api_schema import READING, READING_ONE, describe_answers, page_of, paging_parameters
from messages_app.core.clock import time_limit, was_too_slow
from messages_app.core.filters.table import EXACT_PARAMETER
from messages_app.core.filters.table import describe_parameters as parameters_of
from messages_app.core.lists.api import PAGING, filters_of, page_answer, page_wanted
from messages_app.core.pagination import paginator
from messages_app.core.parameters import parse_flag, read_id
from messages_app.core.problems import Problem, not_found, quote_value
from messages_app.core.representation import represent_all, represent_value
from messages_app.cp_queue import parameters, registration, selectors
from messages_app.cp_queue.api import serializers
from messages_app.cp_queue.api.problems import SUCCESS, as_problems
from messages_app.cp_queue.selectors.log import DISPATCHES, MESSAGES
from messages_app.cp_queue.selectors.messages import ORDERS
from messages_app.cp_queue.states import MAX_INT, MIN_INT

# Time limit of exact counts; the limit of requests is longer.
_EXACT_MILLISECONDS = 4_000


class MessageListView(ApiView):
    rights = {"GET": registration.CAN_VIEW_CP_QUEUE}
    parameters = None

    @extend_schema(
        operation_id="cp_queue_messages_list",
        description="List the queue. `state=free` leaves out messages that wait after a retry.",
        parameters=[*parameters_of(MESSAGES), *paging_parameters(tuple(order.name for order in ORDERS))],
        responses=describe_answers(200, page_of(serializers.CpMessageSerializer), READING),
    )
    def get(self, request: Request) -> Response:
        values = filters_of(request, MESSAGES, other_parameters=paginator.PARAMETERS)
        page = selectors.message_page(values=values, **paginator.parse_paging(request.query_params))
        rows = represent_all(serializers.CpMessageSerializer, selectors.describe_messages(page.rows))
        return page_answer(request, page, rows)


class DispatchListView(ApiView):
    rights = {"GET": registration.CAN_VIEW_CP_QUEUE}
    parameters = None

    @extend_schema(
        operation_id="cp_queue_dispatches_list",
        description="List dispatched messages with their outcomes, newest first.",
        parameters=[*parameters_of(DISPATCHES), *paging_parameters()],
        responses=describe_answers(200, page_of(serializers.CpDispatchLogSerializer), READING),
    )
    def get(self, request: Request) -> Response:
        values = filters_of(request, DISPATCHES, other_parameters=PAGING)
        page = selectors.dispatch_page(values=values, **page_wanted(request))
        return page_answer(request, page, represent_all(serializers.CpDispatchLogSerializer, page.rows))


class StatisticsView(ApiView):
    rights = {"GET": registration.CAN_VIEW_CP_QUEUE}
    parameters = frozenset({"QueueName", "exact"})

    @extend_schema(
        description=(
            "std.GetCPMessageStatistics: figures of the queues, and of the services that pull from them."
            " Counts end at 5000 unless exact counts are requested."
        ),
        parameters=[OpenApiParameter("QueueName", str, description="This queue only."), EXACT_PARAMETER],
        responses=describe_answers(200, serializers.CpStatisticsSerializer, READING),
    )
    def get(self, request: Request) -> Response:
        exact = parse_flag("exact", self.values.get("exact"))
        queues = None
        if "QueueName" in self.values:
            with as_problems():
                queues = [parameters.stored_queue_name(self.values["QueueName"])]
        body = SUCCESS | {"queues": _read_counts(queues, exact), "services": selectors.service_states()}
        return Response(represent_value(serializers.CpStatisticsSerializer, body))


def _read_counts(queues: list[str] | None, exact: bool) -> list[selectors.QueueCounts]:
    """Return the figures. Raises Problem: 503, exact ones take too long."""
    try:
        with time_limit(_EXACT_MILLISECONDS):
            return selectors.queue_counts(queues=queues, exact=exact)
    except OperationalError as error:
        if not was_too_slow(error):
            raise
        text = "Counting takes too long. Request one queue, or leave out exact."
        raise Problem(503, "query_too_slow", text, headers={"Retry-After": "60"}) from None


class ObjectView(ApiView):
    rights = {"GET": registration.CAN_VIEW_CP_QUEUE}

    @extend_schema(
        description="List all messages of one object in all queues, and which of them a pickup would delete.",
        responses=describe_answers(200, serializers.CpObjectSerializer, READING_ONE),
    )
    def get(self, request: Request, osid: str) -> Response:
        number = read_id(osid)
        if number is None or not MIN_INT <= number <= MAX_INT:
            raise not_found(f"No object has the id {quote_value(osid)}.")
        body = {"osid": number, "messages": selectors.object_messages(object_id=number)}
        return Response(represent_value(serializers.CpObjectSerializer, body))


class PreviewView(ApiView):
    rights = {"GET": registration.CAN_VIEW_CP_QUEUE}
    parameters = frozenset({"QueueNames"})

    @extend_schema(
        description="Show what get-next would return now for these queues. Reserves nothing.",
        parameters=[OpenApiParameter("QueueNames", str, required=True, description="Separated by commas.")],
        responses=describe_answers(200, serializers.CpPreviewSerializer, READING),
    )
    def get(self, request: Request) -> Response:
        with as_problems():
            found = selectors.preview_pickup(queues=self.values.get("QueueNames", ""))
        if found is None:
            return Response(SUCCESS | {"MessageGUID": ""})
        body = {
            "MessageGUID": found.guid,
            "ObjectID": found.object_id,
            "ObjectType": found.object_type,
            "QueueName": found.queue,
            "collapsed": found.collapsed,
            "held_by": found.held_by,
        }
        return Response(SUCCESS | body)
