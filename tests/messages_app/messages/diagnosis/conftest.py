import pytest


@pytest.fixture
def openhub(settings):
    """Use the rules of OpenHub instead of the rules of CleverBus."""
    settings.HUB_RULES = "openhub"
