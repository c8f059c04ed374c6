"""Groups of failures and the catalogue of error codes over REST."""

from collections.abc import Iterator
from contextlib import contextmanager

from django.http import HttpResponse
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from messages_app.access import roles
from messages_app.access.actors import actor_of
from messages_app.access.api import ActionView, ApiView, whole_list
from messages_app.access.idempotency import Answer
from messages_app.messages.failing import queries, serializers, services
from messages_app.messages.failing.models import ErrorCode, FailureGroup
from messages_app.web.api_schema import ACTING_ON_ONE, IDEMPOTENCY, READING, READING_ONE, answers, page_of
from messages_app.web.ids import read_id
from messages_app.web.problems import Problem, not_found, shown


def _group_id(text: str) -> int:
    """Return the id that an address names. Raises Problem: 404."""
    if (number := read_id(text)) is None:
        raise not_found(f"No group of failures has the id {shown(text)}.")
    return number


@contextmanager
def _as_problems() -> Iterator[None]:
    try:
        yield
    except services.GroupNotFound as error:
        raise not_found(str(error)) from None
    except services.GroupConflict as error:
        is_412 = isinstance(error, services.ExpectedStateNotMet)
        status, code = (412, "precondition_failed") if is_412 else (409, "state_conflict")
        raise Problem(status, code, str(error), extra={"current_state": error.current_state}) from None


class GroupListView(ApiView):
    rights = {"GET": roles.CAN_VIEW_MESSAGES}

    @extend_schema(
        operation_id="failure_groups_list",
        responses=answers(200, page_of(serializers.GroupLineSerializer), READING),
    )
    def get(self, request: Request) -> Response:
        """List the groups that failed in the last 7 days: the one that presses most first."""
        return whole_list(serializers.GroupLineSerializer(queries.failing_groups(), many=True).data)


class GroupView(ApiView):
    rights = {"GET": roles.CAN_VIEW_MESSAGES}

    @extend_schema(responses=answers(200, serializers.GroupDetailSerializer, READING_ONE))
    def get(self, request: Request, group_id: str) -> Response:
        """Give one group, whenever it failed last."""
        group = FailureGroup.objects.filter(pk=_group_id(group_id)).first()
        if group is None:
            raise not_found(f"No group of failures has the id {group_id}.")
        return Response(serializers.GroupDetailSerializer(group).data)


class MarkView(ActionView):
    rights = {"POST": roles.CAN_CHANGE_GROUPS}
    audited_as = "mark_group"

    @extend_schema(
        request=serializers.MarkSerializer,
        parameters=[IDEMPOTENCY],
        responses=answers(200, serializers.LastingGroupSerializer, ACTING_ON_ONE),
    )
    def post(self, request: Request, group_id: str) -> HttpResponse:
        """Say that a group is known, snoozed until a time, or fixed."""
        return self.answer_once(request, group_id=group_id)

    def act(self, request: Request, group_id: str) -> Answer:
        body = serializers.MarkSerializer(data=request.data)
        body.is_valid(raise_exception=True)
        with _as_problems():
            group = services.mark_group(
                group_id=_group_id(group_id), actor=actor_of(request), **body.validated_data
            )
        return Answer(200, serializers.LastingGroupSerializer(group).data)


class DescribeView(ActionView):
    rights = {"POST": roles.CAN_CHANGE_GROUPS}
    audited_as = "describe_group"

    @extend_schema(
        request=serializers.DescribeSerializer,
        parameters=[IDEMPOTENCY],
        responses=answers(200, serializers.LastingGroupSerializer, ACTING_ON_ONE),
    )
    def post(self, request: Request, group_id: str) -> HttpResponse:
        """Write who looks after a group, its ticket and its note; what is not named stays."""
        return self.answer_once(request, group_id=group_id)

    def act(self, request: Request, group_id: str) -> Answer:
        body = serializers.DescribeSerializer(data=request.data)
        body.is_valid(raise_exception=True)
        with _as_problems():
            group = services.describe_group(
                group_id=_group_id(group_id), actor=actor_of(request), **body.validated_data
            )
        return Answer(200, serializers.LastingGroupSerializer(group).data)


class ErrorCodeListView(ApiView):
    rights = {"GET": roles.CAN_VIEW_MESSAGES}

    @extend_schema(
        operation_id="error_codes_list",
        responses=answers(200, page_of(serializers.ErrorCodeSerializer), READING),
    )
    def get(self, request: Request) -> Response:
        """List the catalogue of error codes, by code."""
        return whole_list(serializers.ErrorCodeSerializer(ErrorCode.objects.order_by("code"), many=True).data)
