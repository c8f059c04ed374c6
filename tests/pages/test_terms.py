"""Words that explain themselves: by pointer, keyboard and tap."""

from playwright.sync_api import Page, expect

from tests.support.factories import make_message


def note_of(page: Page):
    return page.locator("#term-note")


class TestTerms:
    def test_are_explained_by_pointer_and_keyboard(self, window):
        window.log_in("support")
        window.open("/funnels/")
        page = window.page
        term, note = page.get_by_role("button", name="funnel", exact=True), note_of(page)
        expect(note).to_be_hidden()
        term.hover()
        expect(note).to_contain_text("A point of a route")
        assert note.bounding_box()["y"] >= term.bounding_box()["y"] + term.bounding_box()["height"]
        note.get_by_role("link", name="Manual").hover()
        page.wait_for_timeout(400)  # longer than the note stays without the pointer
        expect(note).to_be_visible()
        page.mouse.move(700, 800)
        expect(note).to_be_hidden()

        page.keyboard.press("Tab")
        term.focus()
        page.keyboard.press("Shift+Tab")
        page.keyboard.press("Tab")
        expect(note).to_be_visible()
        assert term.get_attribute("aria-describedby") == "term-text"
        page.keyboard.press("Tab")
        expect(note.get_by_role("link")).to_be_focused()
        page.keyboard.press("Escape")
        expect(note).to_be_hidden()
        expect(term).to_be_focused()
        assert term.get_attribute("aria-describedby") is None
        assert page.url.endswith("/funnels/")

        term.click()
        note.get_by_role("link", name="Manual").click()
        page.wait_for_url("**/docs/contributing/spec/cleverbus/#funnels")

    def test_are_explained_by_a_tap(self, open_window):
        window = open_window(viewport={"width": 390, "height": 844}, has_touch=True)
        make_message(state="OK")
        window.log_in("support")
        window.open("/")
        page = window.page
        term, note = page.get_by_role("button", name="incidents", exact=True), note_of(page)
        term.tap()
        expect(note).to_contain_text("Failures with one cause")
        box = note.bounding_box()
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= 390
        page.touchscreen.tap(200, 700)
        expect(note).to_be_hidden()
