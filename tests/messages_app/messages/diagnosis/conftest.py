import pytest


@pytest.fixture
def openhub(settings):
    """Follow the rules of OpenHub; without this they are those of CleverBus."""
    settings.HUB_RULES = "openhub"
