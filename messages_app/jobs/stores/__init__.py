"""The stores whose rows are items of jobs."""

from collections.abc import Mapping
from typing import Any

from messages_app.jobs.kinds.registry import spec_of
from messages_app.jobs.stores.message_store import MESSAGE_STORE
from messages_app.jobs.stores.messages import MESSAGES
from messages_app.jobs.stores.store import Store
from messages_app.shared.job_states import StoreName

STORES: Mapping[StoreName, Store[Any]] = {
    StoreName.MESSAGES: MESSAGES,
    StoreName.MESSAGE_STORE: MESSAGE_STORE,
}


def store_of(kind: str) -> Store[Any]:
    """Return the store whose rows are items of jobs of this kind. For an unknown kind, that is messages."""
    return STORES[spec_of(kind).store]
