"""The database of a process of tests, made at its first use."""

import pytest
from django.test.utils import setup_databases
from pytest_django import DjangoDbBlocker


@pytest.fixture(scope="session")
def django_db_setup(django_test_environment: None, django_db_blocker: DjangoDbBlocker) -> None:
    """
    Make the database, in place of the fixture of pytest-django. It ends with its server.

    That one makes only the databases that marks of the collected tests name. A process of `make test`
    collects file by file, and tests of attached hubs, which use databases of their own, have no mark.
    """
    with django_db_blocker.unblock():
        setup_databases(verbosity=0, interactive=False, aliases=["default"], serialized_aliases=[])
