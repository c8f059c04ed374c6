import gzip

import pytest
from playwright.sync_api import Page, Response

from tests.pages.checks import WIDE, check_looks, looks_for_axe
from tests.pages.every_path import every_path, kind_of_path
from tests.support.eventually import eventually

MAX_PAGE_BYTES = 200_000
OPENED_MOST = ("/", "/messages/", "/messages/1/")
_LOADED = "performance.getEntriesByType('resource').map((entry) => entry.name)"


@pytest.fixture
def paths() -> list[str]:
    """Store rows of every kind, and return the addresses of the pages that show them."""
    return every_path()


class TestEveryPage:
    def test_has_names_headings_space_a_small_size_and_nothing_inline(self, open_window, paths):
        # The pages that are open most; the slow test has all of them, with any content.
        window = open_window(viewport=WIDE, color_scheme="light")
        window.open("/login/")
        check_looks(window.page)
        window.log_in("admin", "view_payload", shows_values=True)
        sizes: dict[str, int] = {}
        kinds: set[str] = set()
        opened = {kind_of_path(path): path for path in reversed(paths)}
        for path in (opened[kind] for kind in OPENED_MOST):
            _check_weight_and_policy(window.page, path, sizes)
            check_looks(window.page, axe_in=looks_for_axe(kind_of_path(path), kinds), with_frame=not kinds)
            kinds.add(kind_of_path(path))

    @pytest.mark.slow
    def test_meets_these_rules_with_any_content_at_any_width(self, open_window, paths):
        window = open_window(viewport=WIDE, color_scheme="light")
        window.log_in("admin", "view_payload", shows_values=True)
        sizes: dict[str, int] = {}
        for path in paths:
            _check_weight_and_policy(window.page, path, sizes)
            check_looks(window.page, with_frame=True)

    def test_runs_no_script_that_was_put_into_it(self, window):
        window.log_in("support")
        window.open("/messages/")
        page = window.page
        page.evaluate(
            """() => {
                const script = document.createElement("script");
                script.textContent = "window.wasRun = true";
                document.body.append(script);
                document.body.insertAdjacentHTML("beforeend", "<img src=x onerror='window.wasRun = true'>");
                document.body.insertAdjacentHTML("beforeend", "<a href='javascript:window.wasRun = 1'>x</a>");
                document.body.lastElementChild.click();
            }"""
        )
        eventually(lambda: len(window.complaints) >= 3)
        assert page.evaluate("window.wasRun") is None
        assert all("Content Security Policy" in text or "404" in text for text in window.complaints)
        window.complaints.clear()

    def test_follows_the_readers_choice_of_colours(self, open_window):
        window = open_window(color_scheme="light")
        window.log_in("support")
        window.open("/messages/")
        light = _background(window)
        window.choose_colours("Dark")
        assert _background(window) != light
        window.page.reload()
        assert _background(window) != light
        assert window.page.evaluate("localStorage.getItem('adminTheme')") == '"dark"'


def _check_weight_and_policy(page: Page, path: str, sizes: dict[str, int]) -> None:
    """Open a page; the browser complains of what is inline or evaluated, because the policy refuses it."""
    response = page.goto(path, wait_until="networkidle")  # what a page loads after itself, too
    assert "unsafe" not in response.headers["content-security-policy"], path
    assert not page.locator("[onerror], [onload], [href^='javascript:' i]").count(), path
    assert _weight(response, page, sizes) < MAX_PAGE_BYTES, path


def _weight(response: Response, page: Page, sizes: dict[str, int]) -> int:
    """Return the bytes of a page and everything it loaded, compressed; `sizes` keeps those of its parts."""
    loaded = page.evaluate(_LOADED)  # once: a page that checks again on its own continues loading
    for address in loaded:
        if address not in sizes:
            sizes[address] = _compressed(address, page.request.get(address).body())
    return _compressed(page.url, response.body()) + sum(sizes[one] for one in loaded)


def _compressed(address: str, body: bytes) -> int:
    return len(body) if address.endswith(".woff2") else len(gzip.compress(body))


def _background(window) -> str:
    return window.page.evaluate("getComputedStyle(document.body).backgroundColor")
