"""The frame of every page: the menu, folded and as a drawer, the way to the page, and notices with *Undo*."""

import pytest
from playwright.sync_api import expect

from messages_app.incidents.models import Incident
from messages_app.messages.listing.models import SavedView
from tests.pages.checks import check_page
from tests.support.factories import NOON, make_message

_LAYOUT = "document.querySelector('.c-side').getBoundingClientRect().width"


class TestMenu:
    def test_stays_folded_from_the_first_picture_of_the_next_page(self, window):
        window.log_in("admin")
        page = window.page
        window.open("/jobs/")
        assert page.evaluate(_LAYOUT) == 200
        page.get_by_role("button", name="Collapse menu").click()
        assert page.evaluate(_LAYOUT) == 56
        # The class is there before the body is, so that no picture shows the wide menu.
        page.add_init_script(
            "new MutationObserver(() => { if (document.body && window.wasFolded === undefined)"
            " window.wasFolded = document.documentElement.classList.contains('is-menu-folded') })"
            ".observe(document, { childList: true, subtree: true })"
        )
        window.open("/archive/")
        assert page.evaluate("window.wasFolded") is True
        expect(page.get_by_role("link", name="Messages", exact=True)).to_be_visible()
        check_page(page)

    def test_is_a_drawer_on_a_phone_that_keeps_the_focus(self, open_window):
        window = open_window(viewport={"width": 390, "height": 844})
        window.log_in("support")
        page = window.page
        window.open("/jobs/")
        jobs = page.get_by_role("navigation", name="Main").get_by_role("link", name="Jobs")
        expect(jobs).to_be_hidden()
        page.get_by_role("button", name="Menu", exact=True).click()
        expect(jobs).to_be_focused()
        check_page(page)
        for _ in range(40):
            page.keyboard.press("Tab")
            assert page.evaluate("document.activeElement.closest('#menu, body') !== null")
            assert not page.evaluate("document.querySelector('#frame-main').contains(document.activeElement)")
        page.keyboard.press("Escape")
        expect(jobs).to_be_hidden()
        expect(page.get_by_role("button", name="Menu", exact=True)).to_be_focused()

    def test_keeps_its_rows_in_place_with_pinned_objects(self, open_window):
        window = open_window(viewport={"width": 1440, "height": 900})
        window.log_in("admin")
        page = window.page
        for _ in range(5):
            window.open(f"/messages/{make_message().pk}/")
            page.get_by_role("button", name="Pin").click()
            expect(page.locator("#pin")).to_have_attribute("aria-pressed", "true")
        menu = page.get_by_role("navigation", name="Main")
        places = []
        for path in ("/", "/audit/"):
            window.open(path)
            places.append(menu.get_by_role("link", name="Handover").bounding_box()["y"])
            assert menu.evaluate("(links) => links.scrollHeight <= links.clientHeight")
        assert places[0] == places[1]

    def test_fits_a_small_screen_with_all_its_groups(self, open_window):
        window = open_window(viewport={"width": 1024, "height": 768})
        window.log_in("admin", is_superuser=True)
        for path in ("/settings/", "/admin/"):
            window.open(path)
            menu = window.page.get_by_role("navigation", name="Main")
            assert menu.evaluate("(links) => links.scrollHeight <= links.clientHeight"), path

    def test_shows_the_current_page_if_it_does_not_fit(self, open_window):
        window = open_window(viewport={"width": 1024, "height": 420})
        window.log_in("admin")
        window.open("/settings/")
        menu = window.page.get_by_role("navigation", name="Main")
        assert menu.evaluate("(links) => links.scrollTop > 0")
        bottom, end = menu.evaluate(
            "(links) => [links.querySelector('[aria-current]'), links]"
            ".map((one) => one.getBoundingClientRect().bottom)"
        )
        assert bottom <= end + 1


class TestBreadcrumbs:
    def test_are_on_one_line(self, window):
        window.log_in("support")
        window.open(f"/messages/{make_message().pk}/")
        crumbs = window.page.get_by_role("navigation", name="Breadcrumbs").get_by_role("listitem")
        middles = crumbs.evaluate_all(
            "(all) => all.map((one) => { const range = document.createRange(); range.selectNodeContents(one);"
            " const box = range.getBoundingClientRect(); return box.top + box.height / 2; })"
        )
        assert len(middles) == 2
        assert abs(middles[0] - middles[1]) < 1

    def test_lead_back_to_the_list(self, window):
        message = make_message()
        window.log_in("support")
        window.open(f"/messages/{message.pk}/")
        crumbs = window.page.get_by_role("navigation", name="Breadcrumbs")
        expect(crumbs.get_by_role("listitem")).to_have_text(["Messages", f"Message {message.pk}"])
        crumbs.get_by_role("link", name="Messages").click()
        window.page.wait_for_url("**/messages/")

    def test_show_a_title_as_it_is(self, window):
        incident = Incident.objects.create(title='no "<b>"', began_at=NOON, last_failure_at=NOON)
        window.log_in("support")
        window.open(f"/incidents/{incident.pk}/")
        crumbs = window.page.get_by_role("navigation", name="Breadcrumbs")
        expect(crumbs.get_by_role("listitem").last).to_have_text(f'Incident {incident.pk}: no "<b>"')


class TestUndo:
    @pytest.fixture
    def incident(self, transactional_db) -> Incident:
        return Incident.objects.create(title="one", began_at=NOON, last_failure_at=NOON)

    def test_gives_an_incident_back_by_the_keyboard(self, window, incident):
        window.log_in("operator")
        page = window.page
        window.open(f"/incidents/{incident.pk}/")
        page.get_by_role("button", name="Take").click()
        toast = page.get_by_role("status").filter(has_text="Owner saved.")
        expect(toast.get_by_role("button", name="Undo")).to_be_visible()
        incident.refresh_from_db()
        assert incident.owner == "ada"
        check_page(page)
        page.keyboard.press("z")
        expect(page.get_by_role("button", name="Take")).to_be_visible()
        incident.refresh_from_db()
        assert incident.owner == ""

    def test_saves_a_deleted_view_again(self, window):
        window.log_in("support")
        page = window.page
        window.open("/messages/?state=FAILED")
        page.locator("summary").filter(has_text="Save view").click()
        page.get_by_label("View name").fill("night")
        page.get_by_role("button", name="Save view").click()
        page.wait_for_url("**/messages/?**")
        window.open("/messages/views/")
        page.get_by_role("button", name="Delete").click()
        expect(page.get_by_role("main")).to_contain_text("Deleted.")
        assert SavedView.objects.count() == 0
        page.get_by_role("button", name="Undo").click()
        expect(page.get_by_role("main")).to_contain_text("Undone.")
        assert SavedView.objects.get().name == "night"

    def test_leaves_after_ten_seconds(self, window, incident):
        window.log_in("operator")
        page = window.page
        page.clock.install()
        window.open(f"/incidents/{incident.pk}/")
        page.get_by_role("button", name="Take").click()
        toast = page.get_by_role("status").filter(has_text="Owner saved.")
        expect(toast).to_be_visible()
        page.mouse.move(0, 0)
        page.clock.fast_forward(9_000)
        expect(toast).to_be_visible()
        page.clock.fast_forward(2_000)
        expect(toast).to_have_count(0)
