import pytest

from tests.support.parameters import quick_first


@pytest.fixture(params=quick_first(["ByApi", "ByServices"]), ids=["api", "services"])
def hub(request, transactional_db) -> object:
    from tests.messages_app.message_store import callers  # not before Django has its settings

    return getattr(callers, request.param)()
