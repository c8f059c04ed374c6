import pytest


@pytest.fixture
def quick_passwords(settings):
    """A hasher that takes no time: the usual one takes a third of a second for each, on purpose."""
    settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
