"""A number that a customer names, only in a payload, found by a user without the right to payloads."""

import time

from playwright.sync_api import expect

from messages_app.business_keys.models import KeyDefinition
from messages_app.business_keys.passes import extract_new_keys
from tests.pages.checks import check_page
from tests.support.factories import make_message

NUMBER = "297238158"
PAYLOAD = "<payment xmlns='urn:p'><variableSymbol>{}</variableSymbol><iban>CZ65</iban></payment>"
MAX_SECONDS = 10


def test_the_number_leads_from_any_page_to_what_happened_with_it(window):
    extract_new_keys()
    operation = {"service_name": "billing", "operation_name": "createInvoice"}
    KeyDefinition.objects.create(path="//variableSymbol", name="variable symbol", **operation)
    make_message(payload=PAYLOAD.format(NUMBER), state="FAILED", failed_desc="Connection refused")
    make_message(payload=PAYLOAD.format("100000001"), state="OK")
    assert extract_new_keys() == 2
    window.log_in("support")
    window.open("/jobs/")
    page = window.page
    began = time.monotonic()
    # No click: the shortcut, the number and Enter.
    page.keyboard.press("Control+k")
    page.keyboard.type(NUMBER)
    options = page.get_by_role("listbox", name="Found").get_by_role("option")
    expect(options.first).to_contain_text("variable symbol · 1 message")
    page.keyboard.press("Enter")
    page.wait_for_url(f"**/keys/{NUMBER}/")
    main = page.get_by_role("main")
    expect(main).to_contain_text("not processed because of an error")
    assert time.monotonic() - began < MAX_SECONDS
    expect(main).not_to_contain_text("CZ65")
    expect(main.get_by_role("listitem").filter(has_text="createInvoice")).to_have_count(1)
    check_page(page)
