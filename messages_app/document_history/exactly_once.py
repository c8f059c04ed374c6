"""
`exactly_once` lets the hub's own Python code, usually a Celery task, process each document once.

    @shared_task
    @exactly_once(trigger="3f0c...")
    def book_invoice(*, uuid, document): ...

Source: docs/contributing/spec/document_history.md, "Entries", "In Doubt documents".
"""

import inspect
import logging
from collections.abc import Callable
from functools import wraps
from typing import Any, Protocol, TypedDict, cast

from celery import current_task
from celery.exceptions import Retry
from django.db import transaction

from messages_app.document_history.services.check import check_document
from messages_app.document_history.services.complete import abandon_document, complete_patiently
from messages_app.document_history.services.delivery import Checked
from messages_app.document_history.services.errors import DocumentConflict, DocumentNotFound, LeaseLost
from messages_app.document_history.states import NO_COUNT, Verdict

log = logging.getLogger(__name__)


class Service(Protocol):
    """
    A function under `exactly_once`.

    Attributes:
        resume: processes a resubmitted document without a check. Its arguments are the token of the
        resubmission and then those of the function.
    """

    resume: Callable[..., object]

    def __call__(self, *args: object, **kwargs: object) -> object: ...


class _Document(TypedDict):
    """The document in the arguments of a service."""

    uuid: str
    document: object
    document_name: str


def exactly_once(
    *, trigger: str, uuid: str = "uuid", document: str = "document", name: str = "document_name"
) -> Callable[[Callable[..., object]], Service]:
    """
    Run a function once for each document of a trigger.

    It is called only for a New document, and its result is returned. Calls for a Duplicate or a document In
    Doubt return None. When the function ends, even with an exception, which is raised to the caller, the
    document is completed: later copies are Duplicates. A task that asks Celery to retry it has not ended, so
    its processing entry is withdrawn. A killed task leaves the document in doubt.

    Args:
        trigger: the trigger's id.
        uuid: the name of the function's parameter with the document's UUID.
        document, name: the names of the parameters with its content and the name of its type, which are
            stored if the document is in doubt. The function need not have them.

    Raises (of the call): CannotDecide: no verdict; deliver again later, for example by
    `autoretry_for=(CannotDecide,)`. RuntimeError: it is called within a transaction.
    """

    def make_service(function: Callable[..., object]) -> Service:
        signature = inspect.signature(function)

        def document_of(args: tuple[Any, ...], kwargs: dict[str, Any]) -> _Document:
            arguments = signature.bind(*args, **kwargs).arguments
            return {
                "uuid": str(arguments.get(uuid) or ""),
                "document": arguments.get(document),
                "document_name": str(arguments.get(name) or ""),
            }

        @wraps(function)
        def run_if_new(*args: object, **kwargs: object) -> object:
            checked = _check_document(trigger, document_of(args, kwargs))
            if checked.verdict is not Verdict.NEW:
                log.warning("%s %r: %s. %s", trigger, checked.uuid, checked.verdict, checked.message)
                return None
            return _run_service(lambda: function(*args, **kwargs), trigger, checked.uuid or "", checked.token)

        def resume(token: str, *args: object, **kwargs: object) -> object:
            return _run_service(
                lambda: function(*args, **kwargs), trigger, document_of(args, kwargs)["uuid"], token
            )

        service = cast(Service, run_if_new)
        service.resume = resume
        return service

    return make_service


def _check_document(trigger: str, document: _Document) -> Checked:
    with transaction.atomic(durable=True):
        pass  # Refuses to run inside a transaction, because New is valid only after the commit.
    return check_document(trigger_id=trigger, redelivery_count=_redelivery_count(), **document)


def _redelivery_count() -> int:
    """Return 1 if the broker delivers the task again, 0 if not, -1 outside a task."""
    request = getattr(current_task, "request", None)
    if request is None or request.delivery_info is None:
        return NO_COUNT
    return int(bool(request.delivery_info.get("redelivered")))


def _run_service(
    service: Callable[[], object], trigger: str, document_uuid: str, token: str | None
) -> object:
    try:
        answer = service()
    except Retry:
        if token is not None:
            abandon_document(trigger_id=trigger, uuid=document_uuid, token=token)
        raise
    except Exception:
        _complete_document(trigger, document_uuid, token)
        raise
    _complete_document(trigger, document_uuid, token)
    return answer


def _complete_document(trigger: str, document_uuid: str, token: str | None) -> None:
    """
    Complete the document. Errors are logged, because the service has already run
    (docs/contributing/spec/document_history.md, "History not available").
    """
    if token is None:
        return
    try:
        is_done = complete_patiently(trigger_id=trigger, uuid=document_uuid, token=token)
    except (LeaseLost, DocumentConflict, DocumentNotFound) as error:
        log.error(
            "%s %r was processed, but this process may not complete it: %s", trigger, document_uuid, error
        )
        return
    if not is_done:
        log.critical(
            "%s %r was processed, but not completed: a copy will be in doubt.", trigger, document_uuid
        )
