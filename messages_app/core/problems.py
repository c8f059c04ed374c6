"""
The one error format of pages and API: RFC 9457 problem details, with a code and the fields at fault.

Code below a view raises `Problem` anywhere.

Source: docs/contributing/spec/interfaces.md, "Rules of the API".
"""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from difflib import get_close_matches
from http import HTTPStatus
from typing import Any, NotRequired, TypedDict

from django.http import HttpRequest, HttpResponse

from messages_app.core.problem_pages import render_problem

API_PREFIX = "/api/"
CONTENT_TYPE = "application/problem+json"
_SHOWN_CHARACTERS = 80


@dataclass(frozen=True)
class FieldError:
    """
    An error of one field or parameter.

    Args:
        field: the name, as the caller wrote it.
        code: a word for programs, such as "invalid_value".
        message: a sentence for people.
    """

    field: str
    code: str
    message: str


class Extra(TypedDict, total=False):
    """
    Members of a problem in addition to those that all problems have.

    Args:
        current_state: the state that refuses the change; its name where the state is a code.
        refusal: why the CP queue refuses it, as a word for programs.
        scope: the scope that the token lacks.
        job_id: the job that is already running.
        resent_as: the message that was sent instead of this one.
        addresses: the nearest addresses that support the method.
    """

    current_state: str
    current_state_name: str
    refusal: str
    scope: str
    job_id: int
    resent_as: int
    addresses: list[str]


class FaultyField(TypedDict):
    """A FieldError as JSON."""

    field: str
    code: str
    message: str


class ProblemBody(Extra):
    """The JSON of a problem. Source: RFC 9457."""

    type: str
    title: str
    status: int
    code: str
    detail: str
    request_id: str
    errors: NotRequired[list[FaultyField]]


class Problem(Exception):
    """
    An answer that is not a success.

    Args:
        status: the HTTP status.
        code: a word for programs, such as "state_conflict".
        detail: a sentence for people, with the fault and the allowed values or actions.
        errors: the fields at fault, for bad input.
        extra: further members of the answer.
        headers: further headers, such as {"Retry-After": "5"}.
    """

    def __init__(
        self,
        status: int,
        code: str,
        detail: str,
        *,
        errors: Iterable[FieldError] = (),
        extra: Extra | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> None:
        super().__init__(detail)
        self.status = status
        self.code = code
        self.detail = detail
        self.errors = list(errors)
        self.extra: Extra = extra or {}
        self.headers = dict(headers or {})

    @property
    def title(self) -> str:
        return HTTPStatus(self.status).phrase


def bad_input(errors: Iterable[FieldError]) -> Problem:
    """Return a 400 with all `errors`. Its code and detail are those of the first one."""
    errors = list(errors)
    return Problem(400, errors[0].code, " ".join(error.message for error in errors), errors=errors)


def bad_field(field: str, code: str, message: str) -> Problem:
    """Return a 400 with an error of one field."""
    return bad_input([FieldError(field, code, message)])


class InvalidField(Exception):
    """
    A service found an invalid value; nothing was written.

    Args:
        field: the name of the field or parameter.
        code: a machine-readable code.
    """

    def __init__(self, field: str, code: str, text: str) -> None:
        super().__init__(text)
        self.field = field
        self.code = code

    def as_problem(self) -> Problem:
        return bad_field(self.field, self.code, str(self))


NO_SUCH_ADDRESS = "Page not found. The console has no such address."


def not_found(detail: str = NO_SUCH_ADDRESS) -> Problem:
    return Problem(404, "not_found", detail)


def problems_for(
    answers: Mapping[type[Exception], Callable[[Any], Problem]],
) -> Callable[[], AbstractContextManager[None]]:
    """
    Return a context manager that converts exceptions of services to problems.

    Args:
        answers: the problem for each class of exception. A subclass comes before its base class.
    """

    @contextmanager
    def as_problems() -> Iterator[None]:
        try:
            yield
        except tuple(answers) as error:
            answer = next(answers[raised] for raised in answers if isinstance(error, raised))
            raise answer(error) from None

    return as_problems


def quote_value(value: object) -> str:
    """Return `value` as error texts quote it: at most 80 characters, on one line."""
    text = str(value)
    if len(text) > _SHOWN_CHARACTERS:
        text = text[:_SHOWN_CHARACTERS] + "..."
    return repr(text)


def unknown_name(what: str, name: str, names: Iterable[str]) -> str:
    """Return the sentence for an unknown name, with the nearest known one as a suggestion."""
    near = get_close_matches(name.lower(), sorted(names), n=1)
    hint = f" Did you mean {near[0]!r}?" if near else ""
    return f"Unknown {what} {quote_value(name)}.{hint}"


def is_of_api(path: str) -> bool:
    """Whether a path belongs to the API, so that errors are JSON."""
    return path.startswith(API_PREFIX) or path == API_PREFIX.rstrip("/")


def problem_response(problem: Problem, request: HttpRequest) -> HttpResponse:
    """Return the response for `problem`: JSON below /api/, elsewhere a page with the same text."""
    if is_of_api(request.path_info):
        body = json.dumps(problem_body(problem, request_id=request_id_of(request)))
        response = HttpResponse(body, content_type=CONTENT_TYPE, status=problem.status)
    else:
        response = HttpResponse(render_problem(problem, request), status=problem.status)
    for name, value in problem.headers.items():
        response.headers[name] = value
    return response


def problem_body(problem: Problem, *, request_id: str) -> ProblemBody:
    """Return the members of the problem's JSON."""
    body: ProblemBody = {
        "type": "about:blank",
        "title": problem.title,
        "status": problem.status,
        "code": problem.code,
        "detail": problem.detail,
        "request_id": request_id,
    }
    if problem.errors:
        body["errors"] = [
            {"field": error.field, "code": error.code, "message": error.message} for error in problem.errors
        ]
    return {**body, **problem.extra}


def request_id_of(request: HttpRequest) -> str:
    return getattr(request, "request_id", "")
