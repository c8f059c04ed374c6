"""The steps that only the owner of the hub's tables may do: their indexes."""

from collections.abc import Iterator
from contextlib import contextmanager

import psycopg
from django.conf import settings
from django.db import ProgrammingError, connection
from django.db.backends.utils import CursorWrapper

Cursor = CursorWrapper | psycopg.Cursor


class NotTheOwner(Exception):
    """The role is not the owner of the hub's tables, or the owner's address is not accepted."""


@contextmanager
def owner_cursor() -> Iterator[Cursor]:
    """
    Give a cursor of the owner (HUBCONSOLE_OWNER_DATABASE_URL), or of the console's own role.

    Raises:
        NotTheOwner: the server refused the connection or a statement. Finished statements stay.
    """
    try:
        if not settings.OWNER_DATABASE_URL:
            with connection.cursor() as cursor:
                yield cursor
            return
        with psycopg.connect(settings.OWNER_DATABASE_URL, autocommit=True) as owner, owner.cursor() as cursor:
            yield cursor
    except (ProgrammingError, psycopg.ProgrammingError, psycopg.OperationalError) as error:
        raise NotTheOwner(str(error).splitlines()[0]) from error
