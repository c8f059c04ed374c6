"""One job for one page that was shown, however often its form is sent."""

import threading

from django.http import HttpRequest

from messages_app.access.actors import actor_of
from messages_app.access.idempotency import Answer, act_once, fingerprint
from messages_app.jobs import services
from messages_app.jobs.starting.confirming import Shown
from messages_app.web.problems import Problem

_SECONDS_BETWEEN = 0.2
_TIMES = 25


def accept(
    request: HttpRequest, seen: Shown, *, options: dict[str, object], reason: str, dry_run: bool
) -> tuple[int, bool]:
    """
    Return the id of the job that answers a page, and whether it was there before.

    Raises:
        InvalidJob: a parameter is wrong.
        AlreadyRunning: an archive job is under way.
    """

    def act() -> Answer:
        job = services.create_job(
            kind=seen.kind,
            filter=seen.filter,
            options=options,
            dry_run=dry_run,
            reason=reason,
            actor=actor_of(request),
            user=request.user,
            confirmed=None if dry_run else seen.confirmed,
        )
        return Answer(202, {"job_id": job.pk})

    key = f"{seen.nonce}-{'count' if dry_run else 'run'}"
    # The same page is the same request: what was changed in its form since does not make it another.
    sha256 = fingerprint("POST", request.path, key)
    answer = _patiently(lambda: act_once(user=request.user, key=key, request_sha256=sha256, act=act))
    return answer.body["job_id"], answer.is_repeat


def _patiently(ask) -> Answer:
    """Wait for the first of two that were sent at once: the browser shows the answer to the second."""
    for _ in range(_TIMES):
        try:
            return ask()
        except Problem as problem:
            if problem.code != "in_progress":
                raise
            threading.Event().wait(_SECONDS_BETWEEN)
    return ask()
