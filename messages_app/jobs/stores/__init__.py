"""The stores whose rows are items of jobs, as their registrations name them."""

from collections.abc import Mapping
from importlib import import_module
from typing import Any

from messages_app.core.stores import installed_stores
from messages_app.jobs.kinds.registry import spec_of
from messages_app.jobs.stores.store import Store


def item_stores() -> Mapping[str, Store[Any]]:
    """Return the stores by their names, in the order of the setting STORES."""
    modules = (import_module(store.job_items) for store in installed_stores() if store.job_items)
    return {module.ITEMS.name: module.ITEMS for module in modules}


def store_of(kind: str) -> Store[Any]:
    """Return the store whose rows are items of jobs of this kind. For an unknown kind, that is messages."""
    return item_stores()[spec_of(kind).store]
