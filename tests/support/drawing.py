"""Drawn examples have no deadline: on a busy machine one of them may wait for a second."""

import pytest
from hypothesis import settings


def pytest_configure(config: pytest.Config) -> None:
    settings.register_profile("no deadline", deadline=None)
    settings.load_profile("no deadline")
