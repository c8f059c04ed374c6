"""
Input that is kept while a choice in a form replaces its fields.

A form sends itself with `CHOOSE`, and is shown again with the fields of the choice and with what was typed.
Nothing is checked or stored. Values that the new fields do not show are in hidden fields, so that they are
back with the earlier choice.
"""

from collections.abc import Collection, Iterable

from django import forms
from django.http import HttpRequest, HttpResponse, QueryDict

CHOOSE = "choose"
# The choice whose fields were shown when the form was sent.
SHOWN = "shown"


def is_choosing(request: HttpRequest) -> bool:
    """Whether a form was only sent to show the fields of a choice."""
    return request.method == "POST" and CHOOSE in request.POST


def keep_input(form: forms.Form, typed: QueryDict, *, sent_fields: Collection[str]) -> None:
    """
    Give a form that is not bound the values that were typed, as far as its fields can show them.

    Args:
        sent_fields: the fields of the sent form. Browsers leave out their unchecked checkboxes.
    """
    for name, field in form.fields.items():
        if name not in typed and not (name in sent_fields and isinstance(field, forms.BooleanField)):
            continue
        value = field.widget.value_from_datadict(typed, {}, name)
        if not isinstance(field, forms.ChoiceField) or field.valid_value(value):
            form.initial[name] = value


def carried_values(
    typed: QueryDict, *, names: Iterable[str], forms_shown: Iterable[forms.Form]
) -> list[tuple[str, str]]:
    """Return (name, value) for each of these names that was typed and has no field in the shown forms."""
    fields = {name for form in forms_shown for name in form.fields}
    return [(name, value) for name in names if name not in fields for value in typed.getlist(name)]


def announce_choice(request: HttpRequest, response: HttpResponse, query: str) -> HttpResponse:
    """
    Let the browser show the address of the choice, to which a reload or a login returns.

    Other parts of the page that depend on the fields wait for the event `hub:chosen`.
    """
    if "HX-Request" in request.headers:
        response.headers["HX-Replace-Url"] = f"{request.path}?{query}"
        response.headers["HX-Trigger-After-Swap"] = "hub:chosen"
    return response
