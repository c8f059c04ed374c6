"""Declared reads of the API: one object, or a list in pages."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import KW_ONLY, dataclass
from typing import Any

from django.http import HttpResponse, HttpResponseNotModified
from django.http.response import HttpResponseBase
from drf_spectacular.utils import OpenApiParameter
from rest_framework.response import Response

from messages_app.access.calls import Call, CallView
from messages_app.core.api_schema import (
    IF_NONE_MATCH,
    READING,
    READING_ONE,
    READING_TAGGED,
    page_of,
    paging_parameters,
)
from messages_app.core.etags import Tag, describe_mismatch, tag_of
from messages_app.core.filters.table import Table, read_filters
from messages_app.core.filters.table import describe_parameters as parameters_of
from messages_app.core.pagination import paginator
from messages_app.core.problems import problem_response
from messages_app.core.representation import represent_all, represent_value


@dataclass(frozen=True)
class Read(Call):
    """
    A GET.

    Attributes:
        parameters: its query parameters in the API description.
        query: their names, each of which may be given once; None: the service reads them.
    """

    _: KW_ONLY
    parameters: Sequence[OpenApiParameter] = ()
    query: frozenset[str] | None = frozenset()

    def describe_parameters(self) -> list[OpenApiParameter]:
        return [*self.parameters, *([IF_NONE_MATCH] if self.tag else [])]

    def usual_problems(self) -> tuple[int, ...]:
        return READING_TAGGED if self.tag else READING_ONE if "<" in self.path else READING

    def query_names(self) -> frozenset[str] | None:
        return self.query

    def answer_request(self, view: CallView) -> HttpResponseBase:
        with self.errors():
            result = view.run_function(self.service, view.read_key(self))
        if isinstance(result, HttpResponseBase) and not isinstance(result, Response):
            return result
        response = result if isinstance(result, Response) else Response(represent_value(self.answer, result))
        return _compare_tag(view, self.tag, response) if self.tag else response


def _compare_tag(view: CallView, tag: Tag, read: Response) -> HttpResponse:
    """Return the answer with its entity tag, without a body if the caller already has it."""
    current = tag_of(read.data, moving=tag.moving)
    response: HttpResponse = read
    if view.conditions.is_another(current):
        response = problem_response(describe_mismatch(current), view.request._request)
    elif view.conditions.is_unchanged(current):
        response = HttpResponseNotModified()
    response.headers["ETag"] = str(current)
    return response


@dataclass(frozen=True)
class Listing(Read):
    """
    A GET of a list in pages. The service gets `cursor` and `page_size`; with filters also their `values`, and
    with orders also `ordering`. `answer` represents one row.

    Attributes:
        lines: returns the objects for `answer` from the rows of a page.
    """

    _: KW_ONLY
    filters: Table | None = None
    orders: Sequence[paginator.Order] = ()
    lines: Callable[[Any], Iterable[object]] = iter

    def describe_answer(self) -> Any:
        return page_of(self.answer)

    def describe_parameters(self) -> list[OpenApiParameter]:
        orders = tuple(order.name for order in self.orders)
        return [*parameters_of(self.filters or {}), *paging_parameters(orders)]

    def query_names(self) -> frozenset[str] | None:
        return paginator.PAGING if self.filters is None else None

    def answer_request(self, view: CallView) -> HttpResponseBase:
        request, values = view.request, view.read_key(self)
        if self.filters is not None:
            others = paginator.PARAMETERS if self.orders else paginator.PAGING
            values["values"] = read_filters(self.filters, request.query_params, other_parameters=others)
        parse = paginator.parse_paging if self.orders else paginator.parse_page
        values |= parse(request.query_params)
        page = view.run_function(self.service, values)
        return paginator.page_answer(request, page, represent_all(self.answer, self.lines(page.rows)))
