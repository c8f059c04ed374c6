"""Errors of the client. Read `code`, which does not change; the texts are for people and may."""

from typing import Any


class HubConsoleError(Exception):
    """The base of all errors of the client."""


class Unreachable(HubConsoleError):
    """
    The console did not answer.

    Attributes:
        may_have_acted: whether the request may have arrived. A POST is repeated with the same idempotency
            key, so that a change that arrived is not made twice.
    """

    def __init__(self, text: str, *, may_have_acted: bool) -> None:
        super().__init__(text)
        self.may_have_acted = may_have_acted


class NotTrusted(Unreachable):
    """
    This machine does not trust the certificate of the console.

    The request is not repeated, because it would be refused again: see `verify` of the client.
    """

    def __init__(self, text: str) -> None:
        super().__init__(text, may_have_acted=False)


class Refused(HubConsoleError):
    """
    The console answered with a problem (RFC 9457).

    Attributes:
        status: of the answer.
        code: the reason, one of the list at /docs/reference/errors/ of the console.
        detail: the reason in words.
        errors: for bad input, a `field`, `code` and `message` for each fault.
        problem: the whole answer.
        retry_after: the seconds that the console asks to wait, if it does.
    """

    def __init__(self, status: int, problem: dict[str, Any], *, retry_after: float | None = None) -> None:
        self.status = status
        self.code = str(problem.get("code", ""))
        self.detail = str(problem.get("detail") or problem.get("title") or "")
        self.errors: list[dict[str, str]] = problem.get("errors") or []
        self.problem = problem
        self.retry_after = retry_after
        # The detail of a single fault is its message.
        faults = [f"{error.get('field')}: {error.get('message')}" for error in self.errors]
        super().__init__(" ".join([f"{status} {self.code}: {self.detail}", *faults[len(faults) == 1 :]]))


class BadInput(Refused):
    """A value is wrong: `errors` names it (400, 422)."""


class NotLoggedIn(Refused):
    """The token is unknown, expired or revoked (401)."""


class NotAllowed(Refused):
    """The token or its user may not do this (403)."""


class NotFound(Refused):
    """It does not exist, or has expired (404, 410)."""


class Conflict(Refused):
    """Its state does not allow it (409), or it has changed since you read it (412)."""


class Busy(Refused):
    """The console asks to come back later (429, 503), and the client has already waited."""


class JobNotDone(HubConsoleError):
    """
    A job failed, was stopped, or is paused until a person decides.

    Attributes:
        job: as it is now.
    """

    def __init__(self, job: Any) -> None:
        why = job["error"] or job["paused_for"] or ""
        super().__init__(f"Job {job['job_id']} is {job['state']}{f': {why}' if why else ''}")
        self.job = job


class Damaged(HubConsoleError):
    """A downloaded file differs from what the console wrote."""


_BY_STATUS: dict[int, type[Refused]] = {
    400: BadInput,
    401: NotLoggedIn,
    403: NotAllowed,
    404: NotFound,
    409: Conflict,
    410: NotFound,
    412: Conflict,
    422: BadInput,
    429: Busy,
    503: Busy,
}


def make_refusal(status: int, problem: dict[str, Any], *, retry_after: float | None) -> Refused:
    kind = _BY_STATUS.get(status, Refused) if "code" in problem or status in (429, 503) else Refused
    return kind(status, problem, retry_after=retry_after)
