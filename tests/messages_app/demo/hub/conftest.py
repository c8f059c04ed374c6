import pytest

# The fixtures import code that needs Django, because this file is read before the settings.


@pytest.fixture
def stage(db):
    from tests.messages_app.demo.hub.playing import make_stage

    return make_stage()


@pytest.fixture
def openhub(settings) -> None:
    settings.HUB_RULES = "openhub"
