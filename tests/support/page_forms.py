"""The forms of pages, as a browser sends them back."""

from django.forms import BaseForm, BoundField
from django.http import HttpResponse
from django.test import Client

# The names of forms in contexts of pages that change a row.
_FORMS = ("form", "times", "describe_form")


def read_form(page: HttpResponse) -> dict[str, object]:
    """Return what a browser would send for the forms of a page without a change, except the reason."""
    forms = [page.context[name] for name in _FORMS if name in page.context]
    fields = [field for form in forms if isinstance(form, BaseForm) for field in form]
    values = {field.html_name: _write_value(field) for field in fields if field.name != "reason"}
    return {name: value for name, value in values.items() if value is not None}


def send_form(
    client: Client, address: str, values: dict[str, object], *, to: str = "", follow: bool = False
) -> HttpResponse:
    """Open a page and send its version with these values."""
    version = read_form(client.get(address))["version"]
    return client.post(to or address, {"version": version} | values, follow=follow)


def _write_value(field: BoundField) -> object:
    value = field.value()
    if isinstance(value, bool):
        return "on" if value else None
    written = field.field.widget.format_value(value)
    if isinstance(written, list) and not field.field.widget.allow_multiple_selected:
        return written[0] if written else ""
    return "" if written is None else written
