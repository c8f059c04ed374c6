"""
Conversion of every exception to a `Problem`: the API's exception handler and Django's error handlers.

Source: docs/contributing/spec/interfaces.md, "Rules of the API"; docs/contributing/spec/promises.md, S-3,
S-63, I-11, I-64.
"""

import logging
import re
import sys
from collections.abc import Iterator
from contextlib import suppress
from typing import TYPE_CHECKING, TypedDict

from django.conf import settings
from django.core.exceptions import (
    BadRequest,
    PermissionDenied,
    RequestDataTooBig,
    SuspiciousOperation,
    TooManyFieldsSent,
)
from django.db import DatabaseError, InterfaceError, OperationalError
from django.http import Http404, HttpRequest, HttpResponse, UnreadablePostError
from rest_framework import exceptions as drf
from rest_framework.exceptions import ErrorDetail, ValidationError
from rest_framework.request import Request

from messages_app.core.addresses import refuse_method
from messages_app.core.problems import (
    NO_SUCH_ADDRESS,
    FieldError,
    Problem,
    bad_input,
    not_found,
    problem_response,
)
from messages_app.core.store_functions import functions_of_stores

if TYPE_CHECKING:  # REST framework loads this handler by the settings while it is being imported.
    from rest_framework.views import APIView

# Our codes by those of the framework. Other codes become invalid_value.
_CODES = {
    "required": "required",
    "blank": "required",
    "null": "required",
    "empty": "required",
    "max_length": "too_long",
    "max_value": "out_of_range",
    "min_value": "out_of_range",
    "unknown_field": "unknown_field",
}
_SENTENCES = {
    "required": "{field} is required.",
    "blank": "{field} must not be empty.",
    "null": "{field} must not be null.",
}


def field_errors(error: ValidationError) -> list[FieldError]:
    """Return one FieldError for each message of `error`. The names of nested fields are joined by dots."""
    return list(_flatten_errors("", error.detail))


def _flatten_errors(field: str, detail: object) -> Iterator[FieldError]:
    if isinstance(detail, dict):
        for name, inner in detail.items():
            yield from _flatten_errors(f"{field}.{name}" if field else str(name), inner)
        return
    if isinstance(detail, list):
        for inner in detail:
            yield from _flatten_errors(field, inner)
        return
    if isinstance(detail, ErrorDetail):
        yield _field_error(field, detail)


def _field_error(field: str, detail: ErrorDetail) -> FieldError:
    code = detail.code or ""
    sentence = _SENTENCES.get(code)
    text = sentence.format(field=field) if sentence else f"{field}: {detail}"
    return FieldError(field, _CODES.get(code, "invalid_value"), text)


log = logging.getLogger(__name__)

# The schemes of `Authorization` that are accepted.
CHALLENGE = 'Bearer realm="Hub Console", Token realm="Hub Console"'
NO_PERMISSION = "You do not have permission for this. Ask an administrator."
_EXPIRED = "This form is from an earlier session or another site. Nothing was changed. Open the page again."
_LOGGED_OUT = "You are logged out. Nothing was changed. Log in to return to the page."
_ROW_BUSY = ("row_busy", "Another user is changing this row. Nothing was changed. Try again.", 2)
_TOO_SLOW = ("query_too_slow", "This takes too long. Narrow the filter or the time range.", 5)
_UNAVAILABLE = (
    "database_unavailable",
    "The database cannot be reached. Nothing was changed. Try again shortly.",
    5,
)

# insufficient_privilege: a right of the console's role was revoked.
_DENIED = "42501"
_DENIED_TABLE = re.compile(r"permission denied for table (\S+)")
_LACKS_RIGHT = (
    "database_permission",
    "The console's database role lacks a right that this needs. Nothing was changed. `doctor` names it.",
    5,
)

# undefined_table, undefined_column
_ABSENT = {"42P01", "42703"}

# By PostgreSQL's SQLSTATE: code, detail, seconds to wait.
_BY_SQLSTATE = {
    "55P03": _ROW_BUSY,  # lock_not_available: lock_timeout
    "40P01": _ROW_BUSY,  # deadlock_detected
    "40001": _ROW_BUSY,  # serialization_failure
    "57014": _TOO_SLOW,  # query_canceled: statement_timeout
    _DENIED: _LACKS_RIGHT,
    "25006": _UNAVAILABLE,  # read_only_sql_transaction: a replica, after a failover
}

_TOO_LARGE = (
    f"A form or body can have at most {settings.DATA_UPLOAD_MAX_MEMORY_SIZE / 2**20:g} MB."
    " Nothing was changed."
)

# Exceptions of the framework, whose texts are replaced: class, status, code, detail.
_BY_CLASS: list[tuple[type[Exception], int, str, str]] = [
    (RequestDataTooBig, 413, "body_too_large", _TOO_LARGE),
    (TooManyFieldsSent, 400, "too_many", "The form has too many fields."),
    (UnreadablePostError, 400, "malformed_json", "The body ended before its Content-Length."),
    (SuspiciousOperation, 400, "bad_request", "The request is not valid."),
    (BadRequest, 400, "bad_request", "The request is not valid."),
    (PermissionDenied, 403, "permission_denied", NO_PERMISSION),
    (drf.NotFound, 404, "not_found", NO_SUCH_ADDRESS),
    (drf.NotAuthenticated, 401, "not_authenticated", "Log in, or send 'Authorization: Bearer ...'."),
    (drf.PermissionDenied, 403, "permission_denied", NO_PERMISSION),
    (drf.NotAcceptable, 406, "not_acceptable", "This address returns only application/json."),
    (drf.UnsupportedMediaType, 415, "unsupported_media_type", "Send application/json."),
]


# A view did not find a row. The framework's own texts would reveal classes and patterns.
_FRAMEWORKS_NOT_FOUND = re.compile(r"No \w+ matches the given query\.|No \w+ found matching the query")


def problem_of(error: BaseException) -> Problem | None:
    """Return the problem for the caller, or None if `error` is a defect of the console."""
    if isinstance(error, Problem):
        return error
    if isinstance(error, DatabaseError | InterfaceError):
        return _database_problem(error)
    if isinstance(error, drf.ValidationError):
        return bad_input(field_errors(error))
    if isinstance(error, Http404):
        return not_found(_text_of_view(error)) if _text_of_view(error) else not_found()
    if isinstance(error, PermissionDenied) and _text_of_view(error):
        return Problem(403, "permission_denied", _text_of_view(error))
    for kind, status, code, detail in _BY_CLASS:
        if isinstance(error, kind):
            return Problem(status, code, detail)
    return None


def _text_of_view(error: Http404 | PermissionDenied) -> str:
    """
    Return the text that a view of the console gave; empty if it gave none, or the text is the framework's.
    """
    text = error.args[0] if len(error.args) == 1 else ""
    if not isinstance(text, str) or _FRAMEWORKS_NOT_FOUND.match(text):
        return ""
    return text


def _database_problem(error: DatabaseError | InterfaceError) -> Problem | None:
    if problem := problem_of_denied(error):
        return problem
    sqlstate = getattr(error.__cause__, "sqlstate", None) or ""
    if sqlstate in _ABSENT and (problem := _find_absence()):
        return problem
    words = _BY_SQLSTATE.get(sqlstate)
    if words is None and not isinstance(error, OperationalError | InterfaceError):
        return None
    code, detail, seconds = words or _UNAVAILABLE
    if words is _TOO_SLOW:
        detail = " ".join([detail, *_slow_reasons()])
    log.warning("%s: %s", code, str(error).partition("\n")[0])
    return Problem(503, code, detail, headers={"Retry-After": str(seconds)})


def problem_of_denied(error: DatabaseError | InterfaceError) -> Problem | None:
    """Return the problem that names the missing GRANT, if a store knows the table that must not be read."""
    table = _DENIED_TABLE.search(str(error))
    if table is None or getattr(error.__cause__, "sqlstate", None) != _DENIED:
        return None
    # The statement may have failed in a transaction, which cannot read the rights.
    with suppress(DatabaseError, InterfaceError):
        for functions in functions_of_stores():
            if functions.explain_denial and (problem := functions.explain_denial(table[1])):
                return problem
    return None


def _find_absence() -> Problem | None:
    """Return what the stores know about missing tables."""
    with suppress(DatabaseError, InterfaceError):
        for functions in functions_of_stores():
            if functions.explain_absence and (problem := functions.explain_absence()):
                return problem
    return None


def _slow_reasons() -> Iterator[str]:
    """Yield what the stores know about slow queries."""
    for functions in functions_of_stores():
        if functions.explain_slowness and (reason := functions.explain_slowness()):
            yield reason


def _internal_error() -> Problem:
    return Problem(
        500, "internal_error", "An internal error occurred. The log has details under the request id."
    )


class HandlerContext(TypedDict):
    """The view of an exception, as REST framework passes it to the handler."""

    view: "APIView"
    request: Request


def api_exception_handler(error: Exception, context: HandlerContext) -> HttpResponse | None:
    """Answer an exception of an API view. None passes it on to `server_error`, which logs it."""
    request = context["request"]._request
    if isinstance(error, drf.MethodNotAllowed):
        return problem_response(refuse_method(request, context["view"].allowed_methods), request)
    problem = problem_of(error)
    if problem is None:
        return None
    response = problem_response(problem, request)
    if problem.status == 401:
        response.headers["WWW-Authenticate"] = CHALLENGE
    return response


def bad_request(request: HttpRequest, exception: Exception) -> HttpResponse:
    return problem_response(problem_of(exception) or _internal_error(), request)


def permission_denied(request: HttpRequest, exception: Exception) -> HttpResponse:
    return problem_response(
        problem_of(exception) or Problem(403, "permission_denied", NO_PERMISSION), request
    )


def page_not_found(request: HttpRequest, exception: Exception) -> HttpResponse:
    return problem_response(problem_of(exception) or not_found(), request)


def csrf_failure(request: HttpRequest, reason: str = "") -> HttpResponse:
    """Answer a form with an invalid token: the session has ended, or the page is from before a new login."""
    is_logged_in = request.user.is_authenticated
    return problem_response(Problem(403, "csrf_failed", _EXPIRED if is_logged_in else _LOGGED_OUT), request)


def server_error(request: HttpRequest) -> HttpResponse:
    """The last resort: answer an error that no other handler answered, such as a database that is down."""
    error = sys.exc_info()[1]
    problem = problem_of(error) if error else None
    return problem_response(problem or _internal_error(), request)
