"""The page of a list: its address tidied, its form, and what is wrong said in the list's place."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime

from django.db import OperationalError
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect
from django.utils import timezone

from messages_app.web import paging
from messages_app.web.errors import problem_of
from messages_app.web.filters import addresses
from messages_app.web.filters.table import read
from messages_app.web.lists.form import ListForm
from messages_app.web.problems import Problem, bad_input

# Answers a page with this context and this status.
Answer = Callable[[dict[str, object], int], HttpResponse]


@dataclass(frozen=True, kw_only=True)
class Asked:
    """
    What the address of a list asks for.

    Args:
        values: of the list's filters.
        now: from when relative times are counted.
    """

    form: ListForm
    values: Mapping[str, object]
    now: datetime

    @property
    def paging(self) -> dict[str, object]:
        """The cursor and the size of the page, for the list's query."""
        found = paging.arguments(self.form.params)
        del found["ordering"]
        return found


def answer_list(
    request: HttpRequest,
    form: type[ListForm],
    shown: Callable[[Asked], Mapping[str, object]],
    answer: Answer,
) -> HttpResponse:
    """Answer a list: its form, and what `shown` gives, or what is wrong in its place."""
    params = addresses.tidied(request.GET, form.filters, now=timezone.now())
    if params != request.GET:
        return redirect(request.path + (addresses.query_of(params) if params else ""))
    try:
        found, problem = shown(_asked(params, form)), None
    except Problem as raised:
        found, problem = {}, raised
    except OperationalError as error:
        found, problem = {}, problem_of(error)
    context = _context(request, form, params, problem)
    response = answer({**found, **context}, problem.status if problem else 200)
    for header, value in (problem.headers if problem else {}).items():
        response.headers[header] = value
    return response


def _asked(params: QueryDict, form: type[ListForm]) -> Asked:
    now = addresses.moment_of(params)
    exact = addresses.exact(params, form.filters, now=now)
    values, errors = read(form.filters, exact, besides=addresses.PARAMETERS)
    if errors:
        raise bad_input(errors)
    return Asked(form=form(params, allowed=form.filters.keys()), values=values, now=now)


def _context(
    request: HttpRequest, form: type[ListForm], params: QueryDict, problem: Problem | None
) -> dict[str, object]:
    errors = problem.errors if problem else ()
    return {
        "form": form(params, allowed=form.filters.keys(), errors=errors),
        "problem": problem,
        "other_errors": [error.message for error in errors if error.field not in form.field_names],
        "is_narrowed": bool(set(params) - addresses.PARAMETERS),
        "list": request.path,
    }
