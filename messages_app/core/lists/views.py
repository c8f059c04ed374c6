"""The page of a list: its normalised address, its form, and its errors instead of rows."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TypedDict

from django.db import OperationalError
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect
from django.utils import timezone

from messages_app.core.charts.histogram import Histogram, Picture
from messages_app.core.charts.slices import SliceCounts, cut_into_slices
from messages_app.core.error_handlers import problem_of
from messages_app.core.filters import address
from messages_app.core.filters.table import Values, names_of_times
from messages_app.core.lists.filter_form import ListForm
from messages_app.core.pagination.keyset import M
from messages_app.core.pagination.paginator import Page, PageParams, parse_page
from messages_app.core.problems import Problem

# Renders a page from this context, this form and this status.
Answer = Callable[[Mapping[str, object], ListForm, int], HttpResponse]


# The range of a chart must not be empty.
_NARROWEST, _ONE_SECOND = timedelta(seconds=60), timedelta(seconds=1)


@dataclass(frozen=True, kw_only=True)
class ListRequest:
    """
    The parsed address of a list.

    Args:
        values: the values of the list's filters.
        now: the time from which relative times are counted.
    """

    form: ListForm
    values: Values
    now: datetime

    @property
    def paging(self) -> PageParams:
        """The cursor and the size of the page, for the list's query."""
        return parse_page(self.form.params)

    def describe_page(self, page: Page[M], ordering: str) -> dict[str, object]:
        """Return the context of a page of rows, and of the links to its neighbours."""
        return {"page": page, **self.form.queries_of_neighbours(page, ordering=ordering, now=self.now)}

    def range_of(self, column: str, *, usual: timedelta, longest: timedelta) -> tuple[datetime, datetime]:
        """
        Return the range of a chart: the range of a time's filters, up to now.

        Args:
            usual: its length if the filters have no start.
            longest: the age of the oldest rows that are kept.
        """
        end = self.now + _ONE_SECOND  # now is rounded down to a second
        stop = min(self.values.get(f"{column}_to", end), end)
        start = self.values.get(f"{column}_from", stop - usual)
        return min(max(start, self.now - longest), stop - _NARROWEST), stop


@dataclass(frozen=True, kw_only=True)
class Chart:
    """
    The chart of a list over time.

    Args:
        column: the time of its rows.
        count: counts the rows that the filters find, by slice and state, from start to stop.
        usual, longest: as for ListRequest.range_of.
        from_ground: the states from the bottom up.
        cut_note: the rows that are not shown if there are too many, in words.
    """

    column: str
    count: Callable[..., SliceCounts]
    usual: timedelta
    longest: timedelta
    from_ground: Sequence[str]
    cut_note: str

    def draw_picture(self, requested: ListRequest, *, is_usual: bool = False) -> Picture:
        """Return the picture. `is_usual`: the range is not that of a filter."""
        start, stop = requested.range_of(self.column, usual=self.usual, longest=self.longest)
        slices = cut_into_slices(start, stop)
        counted = self.count(values=requested.values, start=start, stop=stop, slices=slices)
        histogram = Histogram(
            start=start,
            stop=stop,
            slices=slices,
            counts=counted.counts,
            sampled=1,
            is_usual=is_usual,
            note=self.cut_note if counted.is_cut else "",
        )
        form = requested.form
        names = [name for name in form.filters if name not in names_of_times(form.filters)]
        others = [(name, value) for name in names for value in form.params.getlist(name)]
        return Picture(
            histogram,
            column=self.column,
            from_ground=lambda state: (self.from_ground.index(state),),
            others=others,
        )


class _Context(TypedDict):
    """The context of every list's page."""

    form: ListForm
    problem: Problem | None
    other_errors: list[str]
    is_narrowed: bool
    list: str


def answer_list(
    request: HttpRequest,
    form: type[ListForm],
    fetch: Callable[[ListRequest], Mapping[str, object]],
    answer: Answer,
) -> HttpResponse:
    """
    Render a list: its form, and the result of `fetch` or, if the address has errors, the errors instead.
    """
    params = address.tidy_params(request.GET, form.filters, now=timezone.now())
    if params != request.GET:
        return redirect(request.path + (address.query_of(params) if params else ""))
    try:
        result, problem = fetch(_read_request(params, form)), None
    except Problem as raised:
        result, problem = {}, raised
    except OperationalError as error:
        result, problem = {}, problem_of(error)
    context = _make_context(request, form, params, problem)
    response = answer({**result, **context}, context["form"], problem.status if problem else 200)
    for header, value in (problem.headers if problem else {}).items():
        response.headers[header] = value
    return response


def _read_request(params: QueryDict, form: type[ListForm]) -> ListRequest:
    now = address.moment_of(params)
    values = address.read_values(params, form.filters, now=now)
    return ListRequest(form=form(params, allowed=form.filters.keys()), values=values, now=now)


def _make_context(
    request: HttpRequest, form: type[ListForm], params: QueryDict, problem: Problem | None
) -> _Context:
    errors = problem.errors if problem else ()
    return {
        "form": form(params, allowed=form.filters.keys(), errors=errors),
        "problem": problem,
        "other_errors": [error.message for error in errors if error.field not in form.field_names],
        "is_narrowed": bool(set(params) - address.PARAMETERS),
        "list": request.path,
    }
