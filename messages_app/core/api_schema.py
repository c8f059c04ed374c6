"""Parts of the OpenAPI description that all calls share."""

from collections.abc import Iterable, Mapping
from typing import Any, TypeVar

from drf_spectacular.extensions import OpenApiSerializerFieldExtension
from drf_spectacular.openapi import AutoSchema
from drf_spectacular.plumbing import ResolvedComponent, get_lib_doc_excludes
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, OpenApiResponse, inline_serializer
from rest_framework import serializers

from messages_app.core.pagination.paginator import DEFAULT_PAGE_SIZE, MAX_PAGE_SIZE
from messages_app.core.problem_codes import PROBLEM_CODES
from messages_app.core.problems import CONTENT_TYPE, FieldError, Problem
from messages_app.core.serializers import StrictSerializer

T = TypeVar("T")

_MEANINGS = {
    400: "Invalid input; `errors` lists each field.",
    401: "Missing or invalid token.",
    403: "Your roles do not allow this, the token lacks a scope (`scope`), or a reason is missing"
    " (`reveal_required`).",
    404: "Not found.",
    409: "The current state does not allow this: `current_state`.",
    410: "It existed but is no longer kept.",
    411: "Content-Length is missing.",
    412: "It is not in the expected state (`current_state`), or does not match `If-Match`.",
    413: "The body is too large.",
    415: "The body is not JSON.",
    422: "The Idempotency-Key was used for a different request.",
    429: "Too many requests per minute; continue after Retry-After seconds.",
    503: "Try again after Retry-After seconds.",
}
READING = (400, 401, 403, 429, 503)
READING_ONE = (*READING, 404)
READING_TAGGED = (*READING_ONE, 412)
ACTING = (*READING, 411, 413, 415, 422)
ACTING_ON_ONE = (*ACTING, 404, 409, 412)


class CodeField(serializers.Field[str | int, object, str | int, object]):
    """
    A string or number from a published list, shown as stored.

    A closed list has no other values. An open list may have others, because the hub writes some tables and
    new releases add values.

    Args:
        name: the name of the list's schema in the API description.
        codes: the values of the list.
        is_open: whether other values may occur.
        constant: the only value that this field has.
    """

    def __init__(
        self,
        name: str,
        codes: Iterable[str | int],
        *,
        is_open: bool = False,
        constant: str | None = None,
        **kwargs: Any,
    ) -> None:
        more = {} if constant is None else {"source": "*", "read_only": True}
        super().__init__(**kwargs | more)  # the arguments of any field
        self.constant = constant
        self.name, self.is_open = name, is_open
        self.codes = [int(code) if isinstance(code, int) else str(code) for code in codes]

    def to_representation(self, value: str | int) -> str | int:
        if self.constant is not None:
            return str(self.constant)
        return int(value) if isinstance(value, int) else str(value)


def _make_code_field() -> CodeField:
    return CodeField("ProblemCode", dict.fromkeys(one.code for one in PROBLEM_CODES), is_open=True)


class FieldErrorSerializer(serializers.Serializer[FieldError]):
    field = serializers.CharField()
    code = _make_code_field()
    message = serializers.CharField()


class ProblemSerializer(serializers.Serializer[Problem]):
    type = serializers.CharField()
    title = serializers.CharField()
    status = serializers.IntegerField()
    code = _make_code_field()
    detail = serializers.CharField()
    request_id = serializers.CharField()
    # The base class has a property of this name, which this serializer does not use.
    errors = FieldErrorSerializer(many=True, required=False)  # type: ignore[assignment]
    current_state = serializers.CharField(required=False)
    scope = serializers.CharField(required=False)


def bases_without_description() -> list[type]:
    """Return the classes whose docstrings are not for users of the API. drf-spectacular calls this."""
    library: list[type] = get_lib_doc_excludes()
    return [*library, StrictSerializer]


def describe_answers(status: int, body: object, problems: tuple[int, ...]) -> Mapping[object, object]:
    """Return the responses of one call: its successful answer, and the problems that it may return."""
    return {status: body} | describe_problems(problems)


def describe_problems(problems: tuple[int, ...]) -> dict[object, object]:
    """Return the responses of a call except its successful answer."""
    unchanged = OpenApiResponse(description="Not modified: it matches `If-None-Match`.")
    return ({304: unchanged} if problems == READING_TAGGED else {}) | {
        (problem, CONTENT_TYPE): OpenApiResponse(ProblemSerializer, description=_MEANINGS[problem])
        for problem in problems
    }


def page_of(row: type[serializers.BaseSerializer[T]]) -> serializers.Serializer[object]:
    """Return the schema of a page of a list: the addresses of the neighbouring pages, and the rows."""
    return inline_serializer(
        name=f"{row.__name__.removesuffix('Serializer')}Page",
        fields={
            "next": serializers.URLField(allow_null=True),
            "previous": serializers.URLField(allow_null=True),
            "results": row(many=True),
        },
    )


def paging_parameters(orders: tuple[str, ...] = ()) -> list[OpenApiParameter]:
    """
    Return the parameters of a keyset-paged list. `orders` are the names of its orders, the default first.
    """
    parameters = [
        OpenApiParameter("cursor", str, description="A value from `next` or `previous`."),
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
    description="The `ETag` you read: act only if it has not changed since, else 412. `*`: any.",
)
IF_NONE_MATCH = OpenApiParameter(
    "If-None-Match",
    OpenApiTypes.STR,
    OpenApiParameter.HEADER,
    description="The `ETag` you read: 304 without a body if the answer would be the same.",
)
IDEMPOTENCY = OpenApiParameter(
    "Idempotency-Key",
    OpenApiTypes.STR,
    OpenApiParameter.HEADER,
    description=(
        "1 to 255 visible ASCII characters. A request repeated with the same key and body is not executed "
        "again."
    ),
)


class CodeFieldSchema(OpenApiSerializerFieldExtension):
    """Describes a `CodeField` by a component, which `anyOf` extends to other values if the list is open."""

    target_class = CodeField
    match_subclasses = True

    def map_serializer_field(self, auto_schema: AutoSchema, direction: str) -> dict[str, object]:
        kind = "integer" if isinstance(self.target.codes[0], int) else "string"
        component = ResolvedComponent(
            name=self.target.name,
            type=ResolvedComponent.SCHEMA,
            schema={"type": kind, "enum": self.target.codes},
            object=self.target.name,
        )
        auto_schema.registry.register_on_missing(component)
        return {"anyOf": [component.ref, {"type": kind}]} if self.target.is_open else component.ref
