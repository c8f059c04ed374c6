"""The pages of an attached console in a browser: nothing fails, and actions reach the hub."""

import re
from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import Page, Request, Response, expect

from messages_app.messages.failures.grouping import group_new_failures
from messages_app.messages.metrics.passes import fold_changes
from tests.openapi.world import make_other_stores
from tests.pages.window import Window
from tests.support.attached import AttachedHub, attached_hub

pytestmark = pytest.mark.slow

FAILED, OPEN, PARENT = 4, 3, 7
LISTS = (
    *("/", "/messages/", "/messages/?state=FAILED", "/messages/?q=service:CUSTOMER received:>=2024-07-01"),
    *(
        "/messages/?archived=any",
        "/messages/find/?id=object-4",
        f"/messages/{FAILED}/",
        f"/messages/{PARENT}/",
    ),
    *(f"/messages/{FAILED}/payload/", f"/messages/{FAILED}/compare/?with={OPEN}", "/funnels/?value=value-2"),
    *(f"/messages/{FAILED}/restart/", "/jobs/new/?kind=restart&state=FAILED", "/jobs/new/?kind=archive"),
)


@pytest.fixture(params=["CleverBus 2.0", "OpenHub 2.3"])
def hub(request, transactional_db) -> Iterator[AttachedHub]:
    with attached_hub(request.param, "--create-triggers", more_rows=["rows_to_archive"]) as attached:
        for state in ("PROCESSING", "FAILED"):
            attached.run("UPDATE {hub}.message SET state = %s WHERE msg_id = %s", state, FAILED)
        fold_changes(), group_new_failures()
        make_other_stores()
        yield attached


@pytest.fixture
def attached_window(hub: AttachedHub, open_window: Callable[..., Window]) -> Window:
    window = open_window(viewport={"width": 1280, "height": 800})
    window.log_in("admin", "operator", "view_payload", shows_values=True)
    return window


def note_failures(page: Page) -> list[str]:
    """Return a list that grows with each request that fails, and each answer that is not a success."""
    found: list[str] = []

    def note_answer(answer: Response) -> None:
        if answer.status >= 400:
            found.append(f"{answer.status} {answer.url}")

    def note_request(request: Request) -> None:
        if request.failure != "net::ERR_ABORTED":  # a page that was left
            found.append(f"{request.failure} {request.url}")

    page.on("response", note_answer)
    page.on("requestfailed", note_request)
    return found


class TestPages:
    def test_load_without_errors(self, attached_window):
        page = attached_window.page
        failed = note_failures(page)
        for path in LISTS:
            page.goto(path, wait_until="networkidle")
            expect(page.get_by_role("heading", level=1)).to_have_count(1)
        assert failed == []
        assert attached_window.complaints == []

    def test_of_the_menu_load_without_errors(self, attached_window):
        page = attached_window.page
        page.goto("/")
        links = page.locator(".c-side a[href]").evaluate_all(
            "all => all.map((one) => one.getAttribute('href'))"
        )
        assert {"/messages/", "/failures/", "/funnels/", "/jobs/", "/archive/", "/audit/"} <= set(links)
        failed = note_failures(page)
        for path in links:
            page.goto(path, wait_until="networkidle")
        assert failed == []


class TestActions:
    def test_a_restart_by_its_page_reaches_the_hub(self, hub, attached_window):
        page = attached_window.page
        failed = note_failures(page)
        page.goto(f"/messages/{FAILED}/")
        page.get_by_role("link", name="Restart", exact=True).click()
        page.get_by_label("Reason").fill("the target is back")
        page.locator("main form[method=post] button.c-button-main").click()
        expect(page.get_by_role("region", name="State")).to_contain_text("PARTLY_FAILED")
        assert hub.run("SELECT state FROM {hub}.message WHERE msg_id = %s", FAILED) == [("PARTLY_FAILED",)]
        assert failed == []

    def test_a_filter_is_typed_and_a_message_of_it_opened(self, hub, attached_window):
        page = attached_window.page
        failed = note_failures(page)
        page.goto("/messages/")
        page.keyboard.press("/")
        page.keyboard.type("object:object-4")
        page.keyboard.press("Enter")
        page.wait_for_url(re.compile("object_id=object-4"))
        page.locator(f"main a[href^='/messages/{FAILED}/']").first.click()
        page.wait_for_url(f"**/messages/{FAILED}/**")
        expect(page.get_by_role("region", name="State")).to_contain_text("FAILED")
        assert failed == []
