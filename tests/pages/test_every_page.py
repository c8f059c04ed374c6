import gzip
import re

import pytest

from tests.pages.checks import check_page
from tests.pages.every_path import every_path

MAX_PAGE_BYTES = 200_000
# Until a page that has been resized is drawn anew.
_DRAWN = "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))"
WIDE, NARROW = {"width": 1280, "height": 800}, {"width": 390, "height": 800}
# The policy under which every page of ours must work: nothing inline, nothing evaluated.
STRICT = "default-src 'none'; " + "; ".join(
    f"{kind}-src 'self'" for kind in ("script", "style", "img", "font", "connect")
)


@pytest.fixture
def paths() -> list[str]:
    """Store rows of every kind, and return the addresses of the pages that show them."""
    return every_path()


class TestEveryPage:
    def test_has_names_headings_and_room(self, open_window, paths):
        # Room depends on the width alone, contrast on the colours alone: one visit shows both.
        window = open_window(viewport=WIDE, color_scheme="light")
        window.open("/login/")
        check_looks(window)
        window.log_in("admin", "view_payload")
        for path in paths:
            window.open(path)
            window.page.wait_for_load_state("networkidle")  # what a page loads after itself counts too
            check_looks(window)

    def test_weighs_little_and_needs_nothing_inline_or_evaluated(self, window, paths):
        window.page.route("**/*", lambda route: _serve_strictly(route))
        weights: dict[str, int] = {}
        window.page.on("response", lambda response: weights.update(_weight(response)))
        window.log_in("admin", "view_payload")
        for path in paths:
            weights.clear()
            window.open(path)
            window.page.wait_for_load_state("networkidle")
            assert sum(weights.values()) < MAX_PAGE_BYTES, (path, weights)
        window.open(next(path for path in paths if re.fullmatch(r"/messages/[0-9]{2,}/", path)))
        window.page.locator("summary").filter(has_text="Payload").click()
        window.page.locator("pre.source").wait_for()

    def test_follows_the_readers_choice_of_colours(self, open_window):
        window = open_window(color_scheme="light")
        window.log_in("support")
        light = _background(window)
        window.page.get_by_role("button", name="Dark").click()
        assert _background(window) != light
        window.page.reload()
        assert _background(window) != light
        assert window.page.evaluate("localStorage.getItem('adminTheme')") == '"dark"'


class TestAdminPages:
    def test_work_under_the_same_roof(self, window):
        window.log_in(is_staff=True, is_superuser=True, username="root")
        for path in (
            "/admin/",
            "/admin/auth/user/",
            "/admin/auth/user/add/",
            "/admin/messages_app/apitoken/",
            "/admin/django_celery_beat/periodictask/add/",
            "/admin/django_celery_beat/crontabschedule/add/",
            "/admin/password_change/",
        ):
            assert window.open(path) == 200
            window.page.get_by_role("link", name="Messages").first.wait_for()


def check_looks(window) -> None:
    """Check the page that is open, wide and light, then narrow and dark."""
    for size, scheme in ((WIDE, "light"), (NARROW, "dark")):
        window.page.set_viewport_size(size)
        window.page.emulate_media(color_scheme=scheme)
        window.page.evaluate(_DRAWN)
        check_page(window.page)


def _serve_strictly(route) -> None:
    response = route.fetch(max_redirects=0)
    route.fulfill(response=response, headers=response.headers | {"content-security-policy": STRICT})


def _weight(response) -> dict[str, int]:
    """Return a response's size by its address, as it is when compressed."""
    if not response.ok:
        return {}
    body = response.body()
    return {response.url: len(body) if "font" in response.url else len(gzip.compress(body))}


def _background(window) -> str:
    return window.page.evaluate("getComputedStyle(document.body).backgroundColor")
