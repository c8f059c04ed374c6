import pytest
from django.core.cache import cache

from tests.messages_app.core.deliveries.conftest import receiver

__all__ = ["receiver"]


@pytest.fixture(autouse=True)
def fresh_tiles() -> None:
    """Forget tiles that were slow to read in another test."""
    cache.clear()
