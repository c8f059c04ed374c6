"""The *Undo* of notices, as a browser sends it."""

from django.http import HttpResponse
from django.test import Client
from lxml import html


def read_undo_form(page: HttpResponse) -> tuple[str, dict[str, str]]:
    """Return the address and the fields of the only *Undo* of a page."""
    (form,) = html.fromstring(page.content).xpath('//form[contains(@class, "c-toast-undo")]')
    fields = {field.name: field.value for field in form.inputs if field.name != "csrfmiddlewaretoken"}
    return form.action, {name: value for name, value in fields.items() if name}


def has_undo(page: HttpResponse) -> bool:
    return b"c-toast-undo" in page.content


def press_undo(client: Client, page: HttpResponse) -> HttpResponse:
    """Send the *Undo* of a page."""
    address, fields = read_undo_form(page)
    return client.post(address, fields)
