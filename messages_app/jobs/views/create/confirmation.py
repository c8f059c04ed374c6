"""
The contents of the page before a job starts, signed into its form, so that the answer can be checked.

They include the set and the number, expire, and can create only one job.
"""

import threading
from collections.abc import Callable
from dataclasses import asdict, dataclass
from secrets import token_hex
from typing import cast

from django.core import signing
from django.http import HttpRequest

from messages_app.access.actors import actor_of, user_of
from messages_app.access.idempotency import Answer, act_once, fingerprint_request
from messages_app.core.problems import Problem
from messages_app.jobs.labels import BETWEEN_DIGITS
from messages_app.jobs.preview.estimates import Estimate
from messages_app.jobs.services.create import create_job
from messages_app.shared.job_records import JobFilter, JobOptions

# From this number of messages on, the user has to type the number.
TYPED_FROM = 1_000
_MAX_AGE_SECONDS = 15 * 60
_SALT = "new-job"


class InvalidConfirmation(Exception):
    """The form does not have a valid signature of the page's contents."""


@dataclass(frozen=True, kw_only=True)
class Confirmation:
    """
    The contents of the page that the user answers.

    Args:
        about: the options that change the set.
        confirmed: the number of messages that would be changed, as shown; for an estimate, the upper bound.
        has_to_be_typed: the user has to type that number.
        nonce: a value that is the same in all answers to one page.
    """

    kind: str
    filter: JobFilter
    about: JobOptions
    confirmed: int
    has_to_be_typed: bool
    nonce: str

    @property
    def to_type(self) -> int | None:
        """The number that the user has to type, or None."""
        return self.confirmed if self.has_to_be_typed else None

    def seal(self) -> str:
        return signing.dumps(asdict(self), salt=_SALT)

    def is_typed(self, text: str) -> bool:
        """Whether the user typed the number, if they have to."""
        return self.to_type is None or BETWEEN_DIGITS.sub("", text) == str(self.to_type)


def new_confirmation(
    *,
    kind: str,
    filter: JobFilter,
    about: JobOptions,
    to_do: Estimate,
) -> Confirmation:
    """Return the record of the page's current contents."""
    return Confirmation(
        kind=kind,
        filter=filter,
        about=about,
        confirmed=to_do.shown,
        has_to_be_typed=to_do.shown >= TYPED_FROM,
        nonce=token_hex(12),
    )


def open_confirmation(text: str) -> tuple[Confirmation, bool]:
    """
    Return the contents of the page, and whether the page has expired.

    Raises:
        InvalidConfirmation: this console did not sign the text.
    """
    try:
        return Confirmation(**signing.loads(text, salt=_SALT, max_age=_MAX_AGE_SECONDS)), False
    except signing.SignatureExpired:
        return Confirmation(**signing.loads(text, salt=_SALT)), True
    except (signing.BadSignature, ValueError, TypeError) as error:
        raise InvalidConfirmation("This form was not created by this console.") from error


_SECONDS_BETWEEN = 0.2
_TIMES = 25


def accept_confirmation(
    request: HttpRequest, confirmation: Confirmation, *, options: JobOptions, reason: str, dry_run: bool
) -> tuple[int, bool]:
    """
    Return the id of the page's job, and whether it was created by an earlier request.

    Raises:
        InvalidJob: a parameter is wrong.
        AlreadyRunning: an archive job is not finished yet.
    """

    def create_once() -> Answer:
        job = create_job(
            kind=confirmation.kind,
            filter=confirmation.filter,
            options=options,
            dry_run=dry_run,
            reason=reason,
            actor=actor_of(request),
            user=request.user,
            confirmed=None if dry_run else confirmation.confirmed,
        )
        return Answer(202, {"job_id": job.pk})

    key = f"{confirmation.nonce}-{'count' if dry_run else 'run'}"
    # The same page is the same request, even if the form was changed.
    sha256 = fingerprint_request("POST", request.path, key)
    answer = _ask_patiently(
        lambda: act_once(user=user_of(request), key=key, request_sha256=sha256, act=create_once)
    )
    return cast(int, answer.body["job_id"]), answer.is_repeat


def _ask_patiently(ask: Callable[[], Answer]) -> Answer:
    """Wait for the first of two simultaneous requests, because the browser shows the answer to the second."""
    for _ in range(_TIMES):
        try:
            return ask()
        except Problem as problem:
            if problem.code != "in_progress":
                raise
            threading.Event().wait(_SECONDS_BETWEEN)
    return ask()
