"""The numbers of the menu in tests that count the queries of a page."""

import pytest
from django.core.cache import cache


@pytest.fixture
def lasting_menu_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep what the menu shows from the first page of a test until its end."""
    monkeypatch.setattr("messages_app.dashboard.menu_counts._KEPT_SECONDS", 3_600)
    monkeypatch.setattr("messages_app.dashboard.menu_counts._SLOW_KEPT_SECONDS", 3_600)
    cache.clear()
