"""The rules for sizes and titles on every registered page."""

import pytest
from django.contrib.auth.models import User
from playwright.sync_api import Page

from messages_app.access.person.services import keep_density
from tests.pages.every_path import every_path, kind_of_path
from tests.pages.page_rules import COMPACT, SCHEMES, SIZES, WIDE, list_faults, measure_page
from tests.support.factories import make_message

# The pages that are open most; the slow test has all.
OFTEN_OPEN = (
    *("/", "/messages/", "/messages/1/", "/incidents/", "/incidents/1/"),
    *("/failures/", "/jobs/", "/jobs/1/", "/funnels/"),
)
_WIDE_LIGHT, _NARROW_DARK = (WIDE, "light"), ("390", "dark")
_ALL_LOOKS = [_WIDE_LIGHT, *((size, scheme) for size in SIZES for scheme in SCHEMES)]


@pytest.fixture
def page(open_window) -> Page:
    width, height = SIZES[WIDE]
    window = open_window(viewport={"width": width, "height": height}, color_scheme="light")
    window.log_in("admin", "view_payload")
    return window.page


class TestRules:
    def test_are_followed_by_the_pages_that_are_open_most(self, page):
        paths = {kind_of_path(path): path for path in reversed(every_path())}
        broken = find_faults(page, [paths[kind] for kind in OFTEN_OPEN], [_WIDE_LIGHT, _NARROW_DARK])
        assert list_broken(broken) == []

    def test_are_followed_by_compact_messages(self, page):
        for _ in range(COMPACT):
            make_message(state="FAILED", failed_error_code="E103", failed_desc="E103: refused " * 9)
        keep_density(user=User.objects.get(), density="compact")
        page.goto("/messages/", wait_until="networkidle")
        measured = measure_page(page, *_WIDE_LIGHT)
        assert measured["isCompact"]
        assert measured["isOfMessages"]
        assert list(list_faults(measured, WIDE, is_loaded_here=True)) == []

    @pytest.mark.slow
    def test_are_followed_by_every_page_at_every_size(self, page):
        paths = every_path()
        broken = find_faults(page, paths, _ALL_LOOKS)
        assert list_broken(broken) == []


def find_faults(page: Page, paths: list[str], looks: list[tuple[str, str]]) -> dict[str, dict[str, object]]:
    """Return the rules that pages break, by the kind of the page, each with one example."""
    broken: dict[str, dict[str, object]] = {}
    for path in paths:
        size, _ = looks[0]
        page.set_viewport_size(dict(zip(("width", "height"), SIZES[size], strict=True)))
        page.goto(path, wait_until="networkidle")
        for place, (size, scheme) in enumerate(looks):
            for fault in list_faults(measure_page(page, size, scheme), size, is_loaded_here=place == 0):
                broken.setdefault(kind_of_path(path), {}).setdefault(fault.rule, (path, fault.detail))
    return broken


def list_broken(broken: dict[str, dict[str, object]]) -> list[str]:
    """Return the broken rules, each with an example."""
    return [
        f"{kind} breaks “{rule}”: {example}"
        for kind, rules in sorted(broken.items())
        for rule, example in sorted(rules.items())
    ]
