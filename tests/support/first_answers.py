"""Pages in tests wait for estimates, scans and neighbours, however busy the machine is."""

import pytest

LONG = 60.0  # seconds


@pytest.hookimpl(trylast=True)
def pytest_sessionstart() -> None:
    from messages_app.jobs.views.create import views as new_job  # not before Django is set up
    from messages_app.messages.detail import views as message
    from messages_app.messages.listing import views as messages
    from messages_app.messages.listing.neighbours import Patience

    new_job._FIRST_SECONDS = LONG
    messages.FIRST_PATIENCE = LONG
    message.FIRST = Patience(milliseconds=int(LONG * 1000), seconds=LONG)
