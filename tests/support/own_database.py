"""The database of a process of tests, made at its first use."""

from collections.abc import Iterator

import pytest
from django.test.utils import setup_databases, teardown_databases
from pytest_django import DjangoDbBlocker


@pytest.fixture(scope="session")
def django_db_setup(django_test_environment: None, django_db_blocker: DjangoDbBlocker) -> Iterator[None]:
    """
    Make the database, in place of the fixture of pytest-django.

    That one makes only the databases that marks of the collected tests name. A process of `make test`
    collects file by file, and tests of attached hubs, which use databases of their own, have no mark.
    """
    with django_db_blocker.unblock():
        made = setup_databases(verbosity=0, interactive=False, aliases=["default"], serialized_aliases=[])
    yield
    with django_db_blocker.unblock():
        teardown_databases(made, verbosity=0)
