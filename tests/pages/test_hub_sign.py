"""The strip with the hub's name: on every page, readable in every colour, and above what scrolls."""

import pytest
from django.conf import settings
from playwright.sync_api import expect

from tests.pages.checks import check_looks
from tests.support.parameters import quick_first

PATHS = ("/", "/messages/", "/admin/", "/sessions/")


@pytest.fixture
def page(window, settings):
    settings.HUBCONSOLE_HUB_NAME = "Production <1>"
    window.log_in("admin", is_staff=True, is_superuser=True, has_confirmed=True)
    return window.page


@pytest.mark.parametrize("colour", quick_first(settings.HUB_COLOURS))
def test_is_readable_light_and_dark(page, settings, colour):
    settings.HUBCONSOLE_HUB_COLOUR = colour
    page.goto("/jobs/")
    page.wait_for_load_state("domcontentloaded")
    backgrounds = set()
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
        strip = page.get_by_role("region", name="Hub", exact=True)
        backgrounds.add(strip.evaluate("(one) => getComputedStyle(one).backgroundColor"))
    assert len(backgrounds) == 2
    assert "rgba(0, 0, 0, 0)" not in backgrounds
    check_looks(page, with_frame=True)


def test_is_on_every_page_and_in_its_title(page):
    for path in PATHS:
        page.goto(path)
        expect(page.get_by_role("region", name="Hub", exact=True)).to_have_text("Production <1>")
        assert page.title().endswith(" · Production <1> · Hub Console")


def test_is_on_the_log_in_page(open_window, settings):
    settings.HUBCONSOLE_HUB_NAME = "Production"
    page = open_window().page
    page.goto("/login/")
    expect(page.get_by_role("region", name="Hub", exact=True)).to_have_text("Production")
    assert page.evaluate("document.documentElement.scrollHeight <= innerHeight")


@pytest.mark.slow
def test_stays_above_a_page_that_scrolls(page):
    page.set_viewport_size({"width": 1280, "height": 300})
    page.goto("/users/")
    page.evaluate("scrollTo(0, 500)")
    assert page.evaluate("scrollY") > 100
    strip = page.get_by_role("region", name="Hub", exact=True).bounding_box()
    side = page.locator(".c-side").bounding_box()
    assert strip["y"] == 0
    assert side["y"] == strip["height"]
    assert side["y"] + side["height"] == 300


@pytest.mark.slow
def test_is_absent_without_a_name(window):
    window.log_in("admin")
    window.page.goto("/")
    expect(window.page.get_by_role("region", name="Hub", exact=True)).to_have_count(0)
    assert window.page.title() == "Overview · Hub Console"
    assert window.page.locator(".c-side").bounding_box()["y"] == 0
