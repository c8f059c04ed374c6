"""
What was shown before a job is started: sealed into the form, so that the answer can be held against it.

It names the set and the number, it grows old, and whatever is sent with it makes one job.
"""

import threading
from collections.abc import Callable
from dataclasses import asdict, dataclass
from secrets import token_hex
from typing import cast

from django.core import signing
from django.http import HttpRequest

from messages_app.access.actors import actor_of, user_of
from messages_app.access.idempotency import Answer, act_once, fingerprint
from messages_app.core.problems import Problem
from messages_app.jobs import services
from messages_app.jobs.labels import BETWEEN_DIGITS
from messages_app.jobs.preview.estimates import Estimate
from messages_app.shared.job_records import JobFilter, JobOptions

# From so many messages on the number has to be typed.
TYPED_FROM = 1_000
_MAX_AGE_SECONDS = 15 * 60
_SALT = "new-job"


class NotShown(Exception):
    """The form does not say what was shown, or that was too long ago."""


@dataclass(frozen=True, kw_only=True)
class Shown:
    """
    What the page showed.

    Args:
        about: the options that decide what the job is about.
        confirmed: how many messages would be changed, as shown; of an estimate within bounds, at most.
        has_to_be_typed: that number is typed by hand.
        nonce: two answers to the same page have the same.
    """

    kind: str
    filter: JobFilter
    about: dict[str, object]
    confirmed: int
    has_to_be_typed: bool
    nonce: str

    @property
    def to_type(self) -> int | None:
        """The number to be typed, None where none is."""
        return self.confirmed if self.has_to_be_typed else None

    def sealed(self) -> str:
        return signing.dumps(asdict(self), salt=_SALT)

    def is_typed(self, text: str) -> bool:
        """Whether the number was typed, where one has to be."""
        return self.to_type is None or BETWEEN_DIGITS.sub("", text) == str(self.to_type)


def shown(
    *,
    kind: str,
    filter: JobFilter,
    about: dict[str, object],
    to_do: Estimate,
) -> Shown:
    """Return what a page shows now."""
    return Shown(
        kind=kind,
        filter=filter,
        about=about,
        confirmed=to_do.shown,
        has_to_be_typed=to_do.shown >= TYPED_FROM,
        nonce=token_hex(12),
    )


def opened(text: str) -> tuple[Shown, bool]:
    """
    Return what the form says was shown, and whether that is too long ago.

    Raises:
        NotShown: this console did not write it.
    """
    try:
        return Shown(**signing.loads(text, salt=_SALT, max_age=_MAX_AGE_SECONDS)), False
    except signing.SignatureExpired:
        return Shown(**signing.loads(text, salt=_SALT)), True
    except (signing.BadSignature, ValueError, TypeError) as error:
        raise NotShown("This form was not created by this console.") from error


# One job for one page that was shown, however often its form is sent.


_SECONDS_BETWEEN = 0.2
_TIMES = 25


def accept(
    request: HttpRequest, seen: Shown, *, options: JobOptions, reason: str, dry_run: bool
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
    answer = _patiently(lambda: act_once(user=user_of(request), key=key, request_sha256=sha256, act=act))
    return cast(int, answer.body["job_id"]), answer.is_repeat


def _patiently(ask: Callable[[], Answer]) -> Answer:
    """Wait for the first of two that were sent at once: the browser shows the answer to the second."""
    for _ in range(_TIMES):
        try:
            return ask()
        except Problem as problem:
            if problem.code != "in_progress":
                raise
            threading.Event().wait(_SECONDS_BETWEEN)
    return ask()
