"""
Idempotency keys: a POST with an Idempotency-Key acts only once, even if it is sent several times.

Key, change and answer are committed together, so a repeat finds all of them or none.

Source: docs/contributing/spec/interfaces.md, "Rules of the API"; docs/contributing/spec/promises.md, I-5,
I-66; docs/contributing/spec/bad_input.md, A64 to A68.
"""

import hashlib
import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import timedelta

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models.functions import Now

from messages_app.access.models import IdempotencyKey
from messages_app.core.problems import Problem, bad_field
from messages_app.core.transaction_locks import TransactionLock

HEADER = "Idempotency-Key"
_KEPT_FOR = timedelta(days=1)
_KEY = re.compile(r"[\x21-\x7e]{1,255}")

# Errors that a later, identical request might not meet again. A repeat must get the same answer as the first.
KEPT_REFUSALS = frozenset({404, 409, 412})


@dataclass(frozen=True)
class Answer:
    """
    The answer to a POST.

    Args:
        status: the HTTP status.
        body: the JSON body.
        is_repeat: it is the stored answer of an earlier request, and nothing was done now.
    """

    status: int
    body: Mapping[str, object]
    is_repeat: bool = False


def check_key(key: str) -> str:
    """
    Check and return the key of the header.

    Raises:
        Problem: 400, it is empty, longer than 255 characters, or has characters other than visible ASCII.
    """
    if not _KEY.fullmatch(key):
        text = f"{HEADER} must be 1 to 255 visible ASCII characters without spaces."
        raise bad_field(HEADER, "invalid_value", text)
    return key


def fingerprint_request(
    method: str | None, path: str, body: object, conditions: Mapping[str, str] | None = None
) -> str:
    """Return a fingerprint of the request that does not depend on the layout of its JSON."""
    text = json.dumps([method, path, body, *([conditions] if conditions else [])], sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()


def _as_it_is(answer: Answer) -> Answer:
    return answer


def act_once(
    *,
    user: User,
    key: str,
    request_sha256: str,
    act: Callable[[], Answer],
    reduce: Callable[[Answer], Answer] = _as_it_is,
    complete: Callable[[Answer], Answer] = _as_it_is,
) -> Answer:
    """
    Return the answer of `act`, or the stored answer if the key was used before.

    Answers of `act` are stored: successes, and errors in KEPT_REFUSALS. If `act` raises, its changes are
    rolled back and the key remains unused.

    Args:
        reduce: returns the part of an answer that is stored, without contents and tokens.
        complete: returns the complete answer from the stored part.

    Raises:
        Problem: 409 in_progress, the first request is still in progress; 422, the key was used for a
            different request.
    """
    with transaction.atomic():
        _lock_key(user, key)
        record = IdempotencyKey.objects.filter(user=user, key=key).first()
        if record is not None:
            answer = complete(_repeat_answer(record, request_sha256))
            # With this, the commit waits for the replicas, like that of the first request.
            IdempotencyKey.objects.filter(pk=record.pk).update(status=record.status)
            return answer
        answer = act()
        stored = reduce(answer)
        IdempotencyKey.objects.create(
            user=user, key=key, request_sha256=request_sha256, status=stored.status, body=stored.body
        )
        return answer


def _lock_key(user: User, key: str) -> None:
    """Lock the key until the transaction ends. A crash releases the lock with its database session."""
    if not TransactionLock(f"idempotency:{user.pk}:{key}").try_acquire():
        text = "The first request with this key is still in progress."
        raise Problem(409, "in_progress", text, headers={"Retry-After": "1"})


def _repeat_answer(record: IdempotencyKey, request_sha256: str) -> Answer:
    if record.request_sha256 != request_sha256:
        text = f"This {HEADER} was already used for a different request."
        raise Problem(422, "idempotency_key_reused", text)
    return Answer(record.status or 200, record.body or {}, is_repeat=True)


def forget_old_keys() -> int:
    """Remove keys that are more than a day old, and return their number. Such a key would act again."""
    old, _ = IdempotencyKey.objects.filter(created_at__lt=Now() - _KEPT_FOR).delete()
    return old
