"""
Django's database engine for PostgreSQL, which also reads times that a `datetime` cannot represent.

Django looks for an engine in a module of this name: the ENGINE of the settings is "hubconsole".
"""

from functools import cache
from typing import Any

from django.db.backends.postgresql import base
from psycopg.adapt import AdaptersMap

from messages_app.shared.far_times import register_far_times


class DatabaseWrapper(base.DatabaseWrapper):
    def get_connection_params(self) -> dict[str, Any]:
        params: dict[str, Any] = super().get_connection_params()
        return params | {"context": _with_far_times(params["context"])}


@cache
def _with_far_times(adapters: AdaptersMap) -> AdaptersMap:
    """Return Django's adapters with those for far times, the same ones for all connections."""
    extended = AdaptersMap(adapters)
    register_far_times(extended)
    return extended
