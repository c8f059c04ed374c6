"""The hub's tables in the admin, in a browser: a list, a row and an action."""

import re

import pytest
from playwright.sync_api import expect

from messages_app.jobs.models import Job
from messages_app.messages.models import Message
from tests.pages.checks import WIDE
from tests.pages.window import Window
from tests.support.factories import make_external_call, make_message, make_messages

LIST = "/admin/messages_app/message/"


@pytest.fixture
def operator(open_window) -> Window:
    window = open_window(viewport=WIDE)
    window.log_in("operator", is_staff=True)
    return window


def test_lead_from_a_filtered_list_to_a_message_its_call_and_the_console(operator):
    parent = make_message()
    message = make_message(state="FAILED", service_name="orders", parent_msg_id=parent.pk)
    call = make_external_call(message, state="FAILED")
    make_message(state="FAILED")
    page = operator.page
    operator.open("/admin/")
    page.get_by_role("navigation", name="Admin sections").get_by_role(
        "link", name="Messages", exact=True
    ).click()
    filters, lines = page.get_by_role("navigation", name="Filter"), page.locator("#result_list tbody tr")
    expect(lines).to_have_count(3)
    filters.get_by_role("link", name="FAILED", exact=True).click()
    expect(lines).to_have_count(2)
    filters.get_by_role("link", name="orders").click()
    expect(lines).to_have_count(1)
    lines.get_by_role("link", name=str(message.pk), exact=True).click()
    expect(page.get_by_role("heading", level=1)).to_have_text(f"Message {message.pk}")
    page.get_by_role("table", name="External calls").get_by_role("link", name=str(call.pk)).click()
    page.locator(".field-message_link").get_by_role("link", name=str(message.pk)).click()
    page.locator(".field-parent_link").get_by_role("link", name=str(parent.pk)).click()
    page.get_by_role("table", name="Children").get_by_role("link", name=str(message.pk)).click()
    page.get_by_role("link", name="Open in the console").click()
    page.wait_for_url(f"**/messages/{message.pk}/")
    assert not operator.complaints


def test_lead_to_the_preview_for_the_picked_messages(operator):
    picked, other = make_message(state="FAILED"), make_message(state="FAILED")
    page = operator.page
    operator.open(f"{LIST}?state=FAILED")
    page.locator(f"input[value='{picked.pk}']").check()
    expect(page.locator(".action-counter")).to_contain_text("1 of 2 selected")
    page.get_by_label("Action:").select_option(label="Restart…")
    page.get_by_role("button", name="Go").click()
    page.wait_for_url(f"**/jobs/new/?kind=restart&msg_id={picked.pk}")
    expect(page.get_by_role("heading", level=1)).to_contain_text("Restart")
    assert not Job.objects.exists()
    assert Message.objects.get(pk=other.pk).state == "FAILED"


def test_lead_to_the_preview_for_all_rows_of_the_list_over_its_pages(operator):
    make_messages(60)
    Message.objects.update(state="FAILED")
    page = operator.page
    operator.open(f"{LIST}?state=FAILED")
    page.locator("#action-toggle").check()
    page.get_by_role("button", name=re.compile("Select all rows of this list")).click()
    expect(page.get_by_text("All rows of this list are selected")).to_be_visible()
    page.get_by_label("Action:").select_option(label="Cancel…")
    page.get_by_role("button", name="Go").click()
    page.wait_for_url("**/jobs/new/?kind=cancel&state=FAILED")


def test_page_forward_and_back(operator):
    make_messages(60)
    page, lines = operator.page, operator.page.locator("#result_list tbody tr")
    operator.open(LIST)
    expect(lines).to_have_count(50)
    pages = page.get_by_role("navigation", name="Pages")
    pages.get_by_role("link", name="Next").click()
    expect(lines).to_have_count(10)
    pages.get_by_role("link", name="Previous").click()
    expect(lines).to_have_count(50)
    page.locator("#searchbar").fill("no-such-id")
    page.get_by_role("button", name="Search").click()
    expect(page.get_by_text("A search finds only complete ids.")).to_be_visible()
