"""Pages of new jobs in tests wait for their estimate, however busy the machine is."""

import pytest

LONG = 60.0  # seconds


@pytest.hookimpl(trylast=True)
def pytest_sessionstart() -> None:
    from messages_app.jobs.views.create import views  # not before Django is set up

    views._FIRST_SECONDS = LONG
