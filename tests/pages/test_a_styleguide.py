"""An error of a component is an error of every page that has it, so these tests run before the others."""

import pytest

from tests.pages.checks import WIDE, check_looks


class TestStyleguide:
    @pytest.fixture(autouse=True)
    def make_routes(self, settings):
        settings.ROOT_URLCONF = "tests.pages.styleguide_urls"

    def test_has_no_barrier_at_any_width_in_any_colours(self, open_window):
        window = open_window(viewport=WIDE, color_scheme="light")
        window.log_in("admin")
        window.open("/styleguide/")
        check_looks(window.page)

    def test_shows_both_schemes_of_colours(self, open_window):
        window = open_window(viewport=WIDE, color_scheme="light")
        window.log_in("admin")
        window.open("/styleguide/")
        panels = window.page.locator(".c-styleguide-theme .c-panel:first-of-type")
        colours = panels.evaluate_all("(all) => all.map((each) => getComputedStyle(each).backgroundColor)")
        assert len(set(colours)) == 2
