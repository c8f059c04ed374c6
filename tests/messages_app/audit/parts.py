"""
Database roles of the parts of the console, as in a deployment, and code that runs this process under one of
them.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from urllib.parse import quote

import psycopg
import pytest
from django.db import connection

from messages_app.audit.grants import grant_privileges
from messages_app.audit.privileges import Part

_PASSWORD = "of the tests"


def role_of(part: Part) -> str:
    return f"hubconsole_tests_{part}"


@pytest.fixture(scope="module")
def roles(django_db_setup, django_db_blocker) -> Iterator[None]:
    """Create a role for each part, with exactly its privileges."""
    with django_db_blocker.unblock():
        with connection.cursor() as cursor:
            cursor.execute(f"REVOKE TEMPORARY ON DATABASE {connection.settings_dict['NAME']} FROM PUBLIC")
            for part in Part:
                cursor.execute(f"CREATE ROLE {role_of(part)} LOGIN PASSWORD '{_PASSWORD}'")
        for part in Part:
            grant_privileges(role_of(part), part)
    yield
    with django_db_blocker.unblock(), connection.cursor() as cursor:
        for part in Part:
            cursor.execute(f"DROP OWNED BY {role_of(part)}; DROP ROLE {role_of(part)}")
        cursor.execute(f"GRANT TEMPORARY ON DATABASE {connection.settings_dict['NAME']} TO PUBLIC")


def address_of(part: Part) -> dict[str, object]:
    """Return Django's database settings for the role of a part."""
    return connection.settings_dict | {"USER": role_of(part), "PASSWORD": _PASSWORD}


def url_of(part: Part) -> str:
    """Return the address of the database in the environment of a part's services."""
    address = {name: quote(str(value)) for name, value in address_of(part).items()}
    return "postgresql://{USER}:{PASSWORD}@{HOST}:{PORT}/{NAME}".format(**address)


def logged_in(part: Part) -> psycopg.Connection:
    """Log in to the database as a part does."""
    address = address_of(part)
    return psycopg.connect(
        host=address["HOST"],
        port=address["PORT"] or None,
        dbname=address["NAME"],
        user=address["USER"],
        password=address["PASSWORD"],
        autocommit=True,
    )


@contextmanager
def running_as(part: Part) -> Iterator[None]:
    """Use the role of a part for all database work of this process, including connections of threads."""
    before = dict(connection.settings_dict)
    connection.close()
    connection.settings_dict.update(address_of(part))
    try:
        yield
    finally:
        connection.close()
        connection.settings_dict.update(before)


def refused(database: psycopg.Connection, statement: str) -> bool:
    """
    Return whether a statement fails only because of a missing privilege, not in a trigger. Rolls it back.
    """
    try:
        with database.transaction(force_rollback=True):
            database.execute(statement)
    except psycopg.errors.InsufficientPrivilege as error:
        is_of_right = error.diag.message_primary.startswith(("permission denied", "must be "))
        return is_of_right and "PL/pgSQL" not in (error.diag.context or "")
    except (psycopg.errors.ObjectNotInPrerequisiteState, psycopg.errors.FeatureNotSupported):
        return True  # a view that does not accept rows from any role
    except psycopg.Error:
        return False
    return False
