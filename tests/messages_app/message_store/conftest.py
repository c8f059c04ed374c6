import pytest


@pytest.fixture(params=["ByServices", "ByApi"], ids=["services", "api"])
def hub(request, transactional_db) -> object:
    from tests.messages_app.message_store import callers  # not before Django has its settings

    return getattr(callers, request.param)()
