"""Groups of failures and the catalogue of error codes over REST."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from django.db.models import QuerySet
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
from messages_app.web.api_schema import (
    ACTING_ON_ONE,
    IDEMPOTENCY,
    IF_MATCH,
    IF_NONE_MATCH,
    READING,
    READING_TAGGED,
    answers,
    page_of,
)
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


# What further failures change.
_MOVING = frozenset(
    {"failures", "first_seen", "last_seen", "summary", "example", "known", "msg_ids", "affected", "outcome"}
)


class GroupView(ApiView):
    rights = {"GET": roles.CAN_VIEW_MESSAGES}
    moving = _MOVING

    @extend_schema(
        parameters=[IF_NONE_MATCH], responses=answers(200, serializers.GroupDetailSerializer, READING_TAGGED)
    )
    def get(self, request: Request, group_id: str) -> Response:
        """Give one group, whenever it failed last."""
        return Response(serializers.GroupDetailSerializer(_found(FailureGroup.objects.all(), group_id)).data)


def _found(groups: QuerySet[FailureGroup], text: str) -> FailureGroup:
    """Return the group of an address. Raises Problem: 404."""
    group = groups.filter(pk=_group_id(text)).first()
    if group is None:
        raise not_found(f"No group of failures has the id {text}.")
    return group


class _OneGroupView(ActionView):
    """A POST about one group."""

    moving = _MOVING

    def seen(self, request: Request, group_id: str) -> Mapping[str, object]:
        group = _found(FailureGroup.objects.select_for_update(no_key=True), group_id)
        return serializers.LastingGroupSerializer(group).data


class MarkView(_OneGroupView):
    rights = {"POST": roles.CAN_CHANGE_GROUPS}
    audited_as = "mark_group"

    @extend_schema(
        request=serializers.MarkSerializer,
        parameters=[IDEMPOTENCY, IF_MATCH],
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


class DescribeView(_OneGroupView):
    rights = {"POST": roles.CAN_CHANGE_GROUPS}
    audited_as = "describe_group"

    @extend_schema(
        request=serializers.DescribeSerializer,
        parameters=[IDEMPOTENCY, IF_MATCH],
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
