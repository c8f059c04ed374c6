"""Hash the passwords of tests with one iteration instead of a million, which are slow on purpose."""

import pytest
from django.contrib.auth.hashers import PBKDF2PasswordHasher


class QuickHasher(PBKDF2PasswordHasher):
    iterations = 1


@pytest.hookimpl(trylast=True)
def pytest_configure(config: pytest.Config) -> None:
    from django.conf import settings  # not before tests/support/servers.py has named them

    settings.PASSWORD_HASHERS = [f"{__name__}.{QuickHasher.__name__}"]
