"""The manual in the browser: search, both themes, paper, and no request to another host."""

import re

import pytest
from playwright.sync_api import expect

from tests.pages.checks import NARROW, WIDE, check_looks
from tests.pages.test_printing import PAPER, printed
from tests.support.factories import make_message

# The slow test has every chapter.
PAGES = (
    "/docs/",
    "/docs/how_it_works/architecture/",
    "/docs/search/?q=restart",
    "/docs/nothing/",
)


class TestManual:
    def test_is_readable_without_a_login_in_both_themes_and_at_any_width(self, open_window):
        window = open_window(viewport=WIDE, color_scheme="light")
        hosts = set()
        window.page.on(
            "request", lambda request: hosts.add(request.url.split("/docs/")[0].split("/static/")[0])
        )
        for path in PAGES:
            window.open(path)
            check_looks(window.page, with_frame=path == PAGES[0])
        assert hosts == {window.server}

    @pytest.mark.slow
    def test_is_readable_in_each_chapter(self, open_window):
        from messages_app.manual.library import read_manual

        window = open_window(viewport=WIDE, color_scheme="light")
        for name, chapter in read_manual().chapters.items():
            window.open(read_manual().address_of(name))
            expect(window.page.get_by_role("heading", level=1)).to_have_text(chapter.title)
            check_looks(window.page, with_frame=True)

    def test_is_searched_and_read_from_heading_to_heading(self, window):
        page = window.page
        window.open("/docs/")
        page.get_by_role("searchbox", name="Search the manual").fill("erase subject")
        page.keyboard.press("Enter")
        page.get_by_role("main").get_by_role("link", name="Erase a subject").click()
        expect(page.get_by_role("heading", level=1)).to_have_text("Erase a subject")
        expect(page.get_by_role("link", name="Erase a subject", exact=True)).to_have_attribute(
            "aria-current", "page"
        )
        page.get_by_role("navigation", name="On this page").get_by_role(
            "link", name="3. What remains"
        ).click()
        expect(page).to_have_url(f"{window.server}/docs/howto/erase_a_subject/#3-what-remains")
        assert page.locator('[id="3-what-remains"]').bounding_box()["y"] >= 60
        page.get_by_role("link", name="Next").click()
        expect(page.get_by_role("heading", level=1)).to_have_text(
            "Keep the archive and exports in an object store"
        )

    def test_keeps_the_colours_that_the_reader_chose(self, open_window):
        window = open_window(viewport=WIDE, color_scheme="light")
        colour = "getComputedStyle(document.body).backgroundColor"
        window.open("/docs/")
        light = window.page.evaluate(colour)
        window.choose_colours("Dark")
        window.open("/docs/glossary/")
        assert window.page.evaluate(colour) != light

    def test_shows_drawings_in_the_colours_of_the_theme(self, open_window):
        window = open_window(viewport=WIDE, color_scheme="light")
        window.open("/docs/how_it_works/messages/")
        state = window.page.locator('[data-state="FAILED"]')
        colours = "(box) => [...box.children].map((one) => getComputedStyle(one).fill).slice(0, 2)"
        light = state.evaluate(colours)
        window.choose_colours("Dark")
        dark = state.evaluate(colours)
        assert len({*light, *dark}) == 4
        drawing = window.page.get_by_role("img", name="The states of a message")
        expect(drawing).to_have_accessible_description(re.compile(r"From FAILED to PARTLY_FAILED: restart\."))

    def test_shows_the_first_box_of_a_drawing_that_is_wider_than_its_frame(self, open_window):
        window = open_window(viewport=NARROW)
        for name in ("message_store", "document_history"):
            window.open(f"/docs/how_it_works/{name}/")
            first = window.page.locator(".c-drawing-box").first
            frame, box = window.page.locator(".c-prose-drawing").bounding_box(), first.bounding_box()
            assert frame["x"] <= box["x"]
            assert box["x"] + box["width"] <= frame["x"] + frame["width"]

    def test_is_printed_without_its_frame(self, open_window):
        window = open_window(viewport=PAPER, color_scheme="dark")
        for path in ("/docs/reference/jobs/", "/docs/howto/deploy/", "/docs/how_it_works/attaching/"):
            window.open(path)
            assert printed(window.page) == []
            window.page.emulate_media(media="print")
            for part in (".c-book-head", ".c-book-nav", ".c-book-sections", ".c-prose-anchor"):
                expect(window.page.locator(part).first).to_be_hidden()
            assert window.page.evaluate(
                "[...document.querySelectorAll('pre, .c-prose-drawing')]"
                ".every((e) => e.scrollWidth <= e.clientWidth)"
            )
            window.page.emulate_media(media="screen")


class TestLinksOfConsole:
    def test_lead_to_the_chapter_about_the_page(self, window):
        window.log_in("support")
        window.open("/jobs/")
        window.page.get_by_role("link", name="Manual").click()
        expect(window.page).to_have_url(f"{window.server}/docs/reference/jobs/")

    def test_lead_from_an_error_to_its_chapter(self, window):
        window.log_in("support")
        window.open("/audit/nothing/")
        window.page.get_by_role("link", name="About this error").click()
        expect(window.page.get_by_role("heading", level=1)).to_have_text("Error codes of the API")

    def test_are_found_by_the_palette(self, window):
        make_message(state="FAILED")
        page = window.page
        window.log_in("support")
        window.open("/")
        for text, title in (
            ("restart", "Restart fifty messages from a script Integrator"),
            ("attach", "Attach to a running hub Administrator"),
            ("erase", "Erase a subject Administrator"),
        ):
            page.keyboard.press("Control+k")
            page.get_by_role("combobox", name="Id, error").fill(text)
            expect(page.get_by_role("option", name=title)).to_be_visible()
            page.keyboard.press("Escape")
        page.keyboard.press("Control+k")
        page.get_by_role("combobox", name="Id, error").fill("detach")
        page.get_by_role("option", name="Detach Attach to a running hub").click()
        expect(page).to_have_url(f"{window.server}/docs/howto/attach/#detach")
