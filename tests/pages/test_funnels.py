import pytest
from playwright.sync_api import expect

from tests.messages_app.messages.funnels.test_lanes import MINUTE, in_funnel
from tests.pages.checks import check_page


class TestFunnelsPage:
    def test_leads_from_a_stuck_funnel_down_to_its_holder(self, window):
        holder = in_funnel("AC-7", state="WAITING_FOR_RES", ago=8 * MINUTE)
        waiters = [in_funnel("AC-7", ago=(7 - number) * MINUTE) for number in range(3)]
        in_funnel("AC-8", state="PROCESSING")
        window.log_in("support")
        window.open("/messages/")
        page = window.page
        page.get_by_role("navigation", name="Main").get_by_role("link", name="Funnels").click()
        page.wait_for_url("**/funnels/")
        check_page(page)
        lane = page.get_by_role("listitem").filter(has=page.get_by_role("heading", name="AC-7"))
        expect(lane).to_contain_text(f"Held by {holder.pk}")
        expect(lane).to_contain_text("3 waiting")
        page.get_by_role("link", name="AC-7").click()
        rows = page.get_by_role("table").get_by_role("row")
        expect(rows).to_have_count(4)
        expect(rows.nth(1)).to_contain_text(f"{waiters[0].pk}")
        expect(rows.nth(1)).to_contain_text(f"held by {holder.pk}")
        check_page(page)
        rows.nth(1).get_by_role("link", name=f"{holder.pk}").click()
        expect(page.get_by_role("heading", level=1)).to_contain_text(f"{holder.pk}")

    @pytest.mark.slow
    def test_filters_without_scripts(self, open_window):
        in_funnel("AC-7", ago=2 * MINUTE)
        in_funnel("AC-8")
        window = open_window(java_script_enabled=False)
        window.log_in("support")
        page = window.page
        window.open("/funnels/")
        page.get_by_label("Value").fill("AC-8")
        page.get_by_role("button", name="Filter").click()
        expect(page.get_by_role("heading", name="AC-8")).to_be_visible()
        expect(page.get_by_role("heading", name="AC-7")).to_have_count(0)
        page.get_by_label("Value").fill("nothing")
        page.get_by_role("button", name="Filter").click()
        expect(page.get_by_role("main")).to_contain_text("Nothing holds or waits here")

    @pytest.mark.slow
    @pytest.mark.parametrize(("width", "scheme"), [(1280, "light"), (390, "dark")])
    def test_has_space_for_long_values_and_long_lines(self, open_window, width, scheme):
        for state in ("FAILED", "FAILED", "WAITING_FOR_RES", "POSTPONED"):
            in_funnel("v" * 50, state=state, guaranteed_order=True, funnel_component_id="c" * 50)
        in_funnel("7", state="PROCESSING")
        for _ in range(13):
            in_funnel("7")
        in_funnel("7", "8", "9")
        window = open_window(viewport={"width": width, "height": 900}, color_scheme=scheme)
        window.log_in("support")
        for path in (
            "/funnels/",
            "/funnels/?value=7",
            f"/funnels/?value={'v' * 50}&component={'c' * 50}",
            "/funnels/?blocked=true&ordering=most",
            "/funnels/?value=nothing",
            f"/funnels/?component={'x' * 60}",
        ):
            window.open(path)
            check_page(window.page)
