"""The checks of /health/: whether all parts work and, only for users of the console, which do not."""

import logging
from collections.abc import Callable, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from concurrent.futures import TimeoutError as TooLate
from functools import partial
from threading import Lock
from time import monotonic

import psycopg
from django.db import Error as DjangosDatabaseError
from django.db import connection
from django.http import HttpRequest, JsonResponse
from django.views.decorators.cache import never_cache
from rest_framework.request import Request

from hubconsole.checks import Unhealthy, database, servers
from messages_app.access.authentication import TokenAuthentication
from messages_app.core.page_parameters import ignores_parameters
from messages_app.core.problems import Problem

DEADLINE = 1.8  # seconds for all parts together
FRESH = 2.0  # seconds

_FINE = {"ok": True}
_OTHER_ROLE = (
    "Run this with the DATABASE_URL of web or of a worker. If it is one of these, run `grant` for its role as"
    " the owner of the tables."
)
_NO_DATABASE = "Start PostgreSQL or correct DATABASE_URL. `up` runs an embedded one."

Parts = Mapping[str, Callable[[], str | None]]

logger = logging.getLogger(__name__)
_lock = Lock()
_latest: dict[str, tuple[float, dict]] = {}


def check_parts(
    *,
    deadline: float = DEADLINE,
    parts: Parts = database.PARTS,
    others: Parts = servers.PARTS,
    is_local: bool = False,
) -> dict:
    """
    Check all parts at the same time.

    Args:
        deadline: the seconds after which missing answers count as failures.
        parts: the checks that use the database.
        others: the checks that do not.
        is_local: a user of this machine reads the answer, so it includes errors of drivers. Otherwise these
            are only logged.

    Returns:
        {"ok": bool, "database": part, ...}, where a part is {"ok": True}, with "note": str if it needs
        attention anyway, or {"ok": False, "why": str, "do": str}.
    """
    pool = ThreadPoolExecutor(len(others) + 1, thread_name_prefix="health")
    until = monotonic() + deadline
    database_answer = pool.submit(_ask_database, parts, is_local)
    answers = {name: pool.submit(_check_part, name, part, is_local) for name, part in others.items()}
    results = _wait_in_time(database_answer, until, _no_database(parts))
    results |= {name: _wait_in_time(future, until, _too_late()) for name, future in answers.items()}
    pool.shutdown(wait=False)  # A part that hangs reaches its own timeout later.
    return {"ok": all(part["ok"] for part in results.values()), **results}


@never_cache
@ignores_parameters
def show_health(request: HttpRequest) -> JsonResponse:
    """
    Answer /health/: 200 if every part works, otherwise 503. Only users and tokens see which part does not.
    """
    answer = _latest_answer()
    body = answer if _is_user(request) else {"ok": answer["ok"]}
    return JsonResponse(body, status=200 if answer["ok"] else 503)


def _is_user(request: HttpRequest) -> bool:
    """Return whether the request has a session or a token of the API; False while the database is down."""
    try:
        if "Authorization" in request.headers:
            return TokenAuthentication().authenticate(Request(request)) is not None
        return request.user.is_authenticated
    except (Problem, DjangosDatabaseError):
        return False


def _latest_answer() -> dict:
    """Return an answer of the last two seconds, so that frequent requests do not load the parts."""
    with _lock:
        at, answer = _latest.get("answer", (0.0, {}))
        if not answer or monotonic() - at > FRESH:
            answer = check_parts()
            _latest["answer"] = (monotonic(), answer)
        return answer


def _ask_database(parts: Parts, is_local: bool) -> dict[str, dict]:
    """Run all checks that use the database, over one connection."""
    answers = _no_database(parts)
    try:
        for name, part in parts.items():
            answers[name] = _check_part(name, partial(database.check_part, part), is_local)
            if name == "database" and not answers[name]["ok"]:
                break  # The other checks use it too.
    finally:
        connection.close()  # The connection of this thread.
    return answers


def _no_database(parts: Parts) -> dict[str, dict]:
    """Return the answers of all parts that depend on the database, for when it does not answer."""
    unknown = _describe_failure("unknown without the database", "Fix the database first.")
    return dict.fromkeys(parts, unknown) | {"database": _describe_failure("cannot be reached", _NO_DATABASE)}


def _check_part(name: str, part: Callable[[], str | None], is_local: bool) -> dict:
    try:
        note = part()
    except Unhealthy as error:
        return _describe_failure(error.why, error.do)
    except Exception as error:  # An error of any driver may contain addresses.
        if isinstance(error.__cause__ or error, psycopg.errors.InsufficientPrivilege):
            return _describe_failure(str(error).partition("\n")[0], _OTHER_ROLE)
        do = (
            _NO_DATABASE if name in database.doctor_parts() else servers.UNREACHABLE.get(name, "See the log.")
        )
        if is_local:
            reason = (str(error).strip() or type(error).__name__).splitlines()[0]
            return _describe_failure(f"cannot be reached ({reason.rstrip('.')})", do)
        logger.warning("health: %s", name, exc_info=True)
        return _describe_failure("cannot be reached", do)
    return _FINE | {"note": note} if note else _FINE


def _wait_in_time(future: Future, until: float, otherwise: dict) -> dict:
    try:
        return future.result(timeout=max(0.0, until - monotonic()))
    except TooLate:
        return otherwise


def _too_late() -> dict:
    return _describe_failure(
        "does not answer in time", "Check that its address is right and that it is not overloaded."
    )


def _describe_failure(why: str, do: str) -> dict:
    return {"ok": False, "why": why, "do": do}
