"""A real browser over a real server; whatever the browser complains of on its console fails the test."""

import os
from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import Browser, expect, sync_playwright

from tests.support import browser as installed

# The fixtures import code that needs Django, because this file is read before the settings.

ARGUMENTS = ["--disable-gpu", "--disable-background-networking"]
# Two other runs share the machine with the browser's: a step of one second may take many.
PATIENCE = 20_000  # ms


@pytest.fixture(scope="session")
def chromium() -> Iterator[Browser]:
    executable = installed.executable()
    # Playwright runs an event loop in this thread, which Django mistakes for asynchronous code.
    os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "true"
    as_root = ["--no-sandbox"] if os.geteuid() == 0 else []
    expect.set_options(timeout=PATIENCE)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=executable, args=[*ARGUMENTS, *as_root])
        yield browser
        browser.close()
    del os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"]


@pytest.fixture
def open_window(transactional_db, live_server, chromium) -> Iterator[Callable]:
    """Give a function that opens a window; its options are those of a browser context."""
    from tests.pages.window import Window

    contexts, windows = [], []

    def open_one(**options: object) -> Window:
        context = chromium.new_context(base_url=live_server.url, **options)
        context.set_default_timeout(PATIENCE)
        contexts.append(context)
        windows.append(Window(context.new_page(), server=live_server.url))
        return windows[-1]

    yield open_one
    complaints = [complaint for window in windows for complaint in window.complaints]
    for context in contexts:
        context.close()
    assert not complaints


@pytest.fixture
def window(open_window):
    return open_window(viewport={"width": 1440, "height": 900})
