import pytest
from django.core.cache import cache


@pytest.fixture(autouse=True)
def fresh_tiles() -> None:
    """Forget tiles that were slow to read in another test."""
    cache.clear()
