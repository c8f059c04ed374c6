"""What the addresses of the API share in its OpenAPI description."""

from collections.abc import Mapping

from drf_spectacular.plumbing import get_lib_doc_excludes
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, OpenApiResponse, inline_serializer
from rest_framework import serializers

from messages_app.web.paging import DEFAULT_PAGE_SIZE, MAX_PAGE_SIZE
from messages_app.web.problems import CONTENT_TYPE
from messages_app.web.serializers import StrictSerializer

_MEANINGS = {
    400: "Bad input; `errors` names each field.",
    401: "No token, or one that does not hold.",
    403: "Your roles do not allow this, or the token lacks a scope: `scope`; or only a reason is missing:"
    " `reveal_required`.",
    404: "There is no such thing.",
    409: "Its state does not allow this: `current_state`.",
    410: "There was one; it is kept no longer.",
    411: "The body has no Content-Length.",
    412: "It is not in the expected state: `current_state`; or not as `If-Match` says.",
    413: "The body is too large.",
    415: "The body is not JSON.",
    422: "The Idempotency-Key was used for another request.",
    429: "More requests than the token may make a minute; go on after Retry-After seconds.",
    503: "Try again after Retry-After seconds.",
}
READING = (400, 401, 403, 429, 503)
READING_ONE = (*READING, 404)
READING_TAGGED = (*READING_ONE, 412)
ACTING = (*READING, 411, 413, 415, 422)
ACTING_ON_ONE = (*ACTING, 404, 409, 412)


class FieldErrorSerializer(serializers.Serializer):
    field = serializers.CharField()
    code = serializers.CharField()
    message = serializers.CharField()


class ProblemSerializer(serializers.Serializer):
    type = serializers.CharField()
    title = serializers.CharField()
    status = serializers.IntegerField()
    code = serializers.CharField()
    detail = serializers.CharField()
    request_id = serializers.CharField()
    errors = FieldErrorSerializer(many=True, required=False)
    current_state = serializers.CharField(required=False)
    scope = serializers.CharField(required=False)


def bases_without_description() -> list[type]:
    """Return the classes whose docstrings are for readers of the code; drf-spectacular calls this."""
    return [*get_lib_doc_excludes(), StrictSerializer]


def answers(status: int, body: object, problems: tuple[int, ...]) -> Mapping[object, object]:
    """Return the responses of one call: its success, and the problems that it may answer instead."""
    return {status: body} | refusals(problems)


def refusals(problems: tuple[int, ...]) -> dict[object, object]:
    """Return the responses of a call that are not its success."""
    unchanged = OpenApiResponse(description="It is as `If-None-Match` says.")
    return ({304: unchanged} if problems == READING_TAGGED else {}) | {
        (problem, CONTENT_TYPE): OpenApiResponse(ProblemSerializer, description=_MEANINGS[problem])
        for problem in problems
    }


def page_of(row: type[serializers.BaseSerializer]) -> serializers.Serializer:
    """Return the shape of a list: the neighbouring pages' addresses, and the rows."""
    return inline_serializer(
        name=f"{row.__name__.removesuffix('Serializer')}Page",
        fields={
            "next": serializers.URLField(allow_null=True),
            "previous": serializers.URLField(allow_null=True),
            "results": row(many=True),
        },
    )


def paging_parameters(orders: tuple[str, ...] = ()) -> list[OpenApiParameter]:
    """Return the parameters of a keyset-paged list; `orders` are the names it offers, the default first."""
    parameters = [
        OpenApiParameter("cursor", str, description="From `next` or `previous`; nothing else is one."),
        OpenApiParameter(
            "page_size",
            {"type": "integer", "minimum": 1, "maximum": MAX_PAGE_SIZE, "default": DEFAULT_PAGE_SIZE},
        ),
    ]
    if orders:
        parameters.append(OpenApiParameter("ordering", str, enum=orders, default=orders[0]))
    return parameters


IF_MATCH = OpenApiParameter(
    "If-Match",
    OpenApiTypes.STR,
    OpenApiParameter.HEADER,
    description="An `ETag` that was read: act only if nobody has changed it since, else 412. `*`: any.",
)
IF_NONE_MATCH = OpenApiParameter(
    "If-None-Match",
    OpenApiTypes.STR,
    OpenApiParameter.HEADER,
    description="An `ETag` that was read: 304 and no body where the answer would be the same.",
)
IDEMPOTENCY = OpenApiParameter(
    "Idempotency-Key",
    OpenApiTypes.STR,
    OpenApiParameter.HEADER,
    description="1 to 255 visible ASCII characters. A repeat with the same key and body acts no second time.",
)
