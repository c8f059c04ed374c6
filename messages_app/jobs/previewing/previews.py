"""The quick preview of each store's jobs: the one list of them."""

from collections.abc import Callable, Mapping

from django.db import OperationalError

from messages_app.jobs.previewing.quick import QuickPreview, quick_preview
from messages_app.jobs.previewing.stored import StoredPreview, stored_preview
from messages_app.jobs.states import STORE_OF, StoreName

PREVIEWS: Mapping[StoreName, Callable[..., QuickPreview | StoredPreview]] = {
    StoreName.MESSAGES: quick_preview,
    StoreName.MESSAGE_STORE: stored_preview,
}


def preview_of(*, kind: str, **asked: object) -> QuickPreview | StoredPreview:
    """Return what a job would do, as far as is known within two seconds: see `quick_preview`."""
    return PREVIEWS[STORE_OF[kind]](kind=kind, **asked)


def first_estimate(
    *, kind: str, filter: Mapping[str, object], options: Mapping[str, object]
) -> dict[str, object]:
    """
    Return what the report of a dry run says until it has counted: `estimate`, or nothing without an answer.

    Args:
        filter, options: of the job, checked.
    """
    try:
        return {"estimate": preview_of(kind=kind, filter=filter, options=options, user=None).as_report()}
    except OperationalError:
        return {}
