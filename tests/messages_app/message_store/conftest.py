import pytest

from tests.messages_app.message_store.callers import ByApi, ByServices


@pytest.fixture(params=[ByServices, ByApi], ids=["services", "api"])
def hub(request, transactional_db) -> ByServices | ByApi:
    return request.param()
