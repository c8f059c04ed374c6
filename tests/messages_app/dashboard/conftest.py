import pytest
from django.core.cache import cache

from tests.messages_app.core.deliveries.conftest import may_call_this_machine, receiver

__all__ = ["may_call_this_machine", "receiver"]


@pytest.fixture(autouse=True)
def fresh_tiles() -> None:
    """Forget tiles that were slow to read in another test."""
    cache.clear()
