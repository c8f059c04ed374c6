"""The forms of pages as browsers send them, and what the page of a refused form lacks."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from http import HTTPStatus

from django.http import HttpResponse
from django.test import Client
from lxml import html

# The types of fields whose text a user types, and whose text an answer never shows again.
_TYPED = {"text", "search", "number", "email", "url", "tel", "date", "time", "datetime-local"}
_SECRET = {"password"}
_FORMS = ".//form[@method='post']"
_FIELDS = ("input", "select", "textarea")
_REFUSED, _FAILED = 400, 500


@dataclass(frozen=True, kw_only=True)
class SentForm:
    """
    A form of a page.

    Args:
        values: (name, value) of its fields and of its main button, as a browser sends them unchanged.
        typed: the names of fields with a text.
        secret: the names of fields for passwords.
    """

    page: str
    address: str
    values: list[tuple[str, str]]
    typed: list[str]
    secret: list[str]

    @property
    def names(self) -> list[str]:
        return [*self.typed, *self.secret]

    def fill(self, changes: Mapping[str, str]) -> dict[str, list[str]]:
        """Return what a browser sends after the user has changed these fields."""
        data: dict[str, list[str]] = {}
        for name, value in self.values:
            data.setdefault(name, []).append(value)
        return data | {name: [value] for name, value in changes.items()}

    def send(self, client: Client, changes: Mapping[str, str]) -> HttpResponse:
        return client.post(
            self.address, self.fill(changes), headers={"Referer": f"http://testserver{self.page}"}
        )


def list_forms(page: str, response: HttpResponse) -> Iterator[SentForm]:
    """Yield the forms of a page that have fields to type in."""
    tree = _parse(response)
    for element in tree.iterfind(_FORMS):
        form = _read_form(page, tree, element)
        if form.names:
            yield form


def list_gaps(form: SentForm, response: HttpResponse, changes: Mapping[str, str]) -> Iterator[str]:
    """Yield what an answer to a form lacks: a refused form is a 4xx, and shows what to correct and where."""
    if response.status_code >= _FAILED:
        yield f"it failed with {response.status_code}"
        return
    tree = _parse(response) if response.content else html.Element("html")
    if response.status_code < _REFUSED and any("\0" in text for text in changes.values()):
        yield "it takes a NUL byte"
    if response.status_code < _REFUSED:
        if tree.find_class("c-field-error"):
            yield f"it has errors and the status {response.status_code}"
        return
    again = _find_again(form, tree)
    if again is None and response.status_code == HTTPStatus.CONFLICT:
        return  # what the form was about is over
    if again is None:
        yield f"it is a page without the form: {' '.join(tree.findtext('.//title', '').split())}"
        return
    names = [one.get("id") for one in tree.iter() if one.get("id")]
    yield from (f"two elements have the id {name}" for name in {n for n in names if names.count(n) > 1})
    yield from _list_strays(form, tree)
    if not any(True for _ in _list_marks(again)) and response.status_code == _REFUSED:
        yield "it marks no field and shows no error of the form"
    yield from _list_undescribed(tree, again)
    yield from _list_lost(form, tree, again, changes)


def _parse(response: HttpResponse) -> html.HtmlElement:
    return html.fromstring(response.content.decode())


def _read_form(page: str, tree: html.HtmlElement, element: html.HtmlElement) -> SentForm:
    values: list[tuple[str, str]] = []
    typed, secret = [], []
    for field in _list_fields(tree, element):
        kind = _kind_of(field)
        values.extend((field.get("name"), value) for value in _values_of(field, kind))
        # A number that confirms is not kept, so that every page is confirmed again.
        if kind in _TYPED and field.get("data-not-kept") is None:
            typed.append(field.get("name"))
        elif kind in _SECRET:
            secret.append(field.get("name"))
    return SentForm(
        page=page,
        address=element.get("action") or page,
        values=[*values, *_main_button(tree, element)],
        typed=typed,
        secret=secret,
    )


def _kind_of(field: html.HtmlElement) -> str:
    if field.tag == "textarea":
        return "text"
    if field.get("autocomplete") == "one-time-code":
        return "password"
    return "select" if field.tag == "select" else field.get("type", "text")


def _values_of(field: html.HtmlElement, kind: str) -> list[str]:
    """Return the values that a browser sends of an unchanged field."""
    if kind in ("checkbox", "radio"):
        return [field.get("value", "on")] if field.get("checked") is not None else []
    if kind != "select":
        return [_text_of(field)]
    options = field.findall(".//option")
    chosen = [option for option in options if option.get("selected") is not None]
    return [option.get("value", option.text) for option in chosen or options[:1]]


def _text_of(field: html.HtmlElement) -> str:
    return (field.text or "") if field.tag == "textarea" else field.get("value", "")


def _main_button(tree: html.HtmlElement, element: html.HtmlElement) -> list[tuple[str, str]]:
    """Return the name and value of the button that a form is sent with, if its main button has a name."""
    buttons = [one for one in element.iter("button") if one.get("formnovalidate") is None]
    buttons = buttons or list(element.iter("button"))
    main = next((one for one in buttons if "main" in one.get("class", "")), buttons[0] if buttons else None)
    return [] if main is None or not main.get("name") else [(main.get("name"), main.get("value", ""))]


def _list_fields(tree: html.HtmlElement, element: html.HtmlElement) -> Iterator[html.HtmlElement]:
    """Yield the fields inside a form, and those of the page that refer to it."""
    for field in tree.iter(*_FIELDS):
        owner = field.get("form")
        is_own = owner == element.get("id") if owner else element in field.iterancestors()
        if is_own and field.get("name") and field.get("disabled") is None:
            yield field


def _find_again(form: SentForm, tree: html.HtmlElement) -> html.HtmlElement | None:
    """Return the form of an answer that is sent to the same address."""
    return next(
        (one for one in tree.iterfind(_FORMS) if (one.get("action") or form.address) == form.address), None
    )


def _list_strays(form: SentForm, tree: html.HtmlElement) -> Iterator[str]:
    """Yield forms without an address on a page that has the address of another form: it would get them."""
    if form.address == form.page:
        return
    strays = [one for one in tree.iterfind(_FORMS) if not one.get("action")]
    if len(strays) > 1 or any(one.get("action") == form.address for one in tree.iterfind(_FORMS)):
        yield from (f"the form {one.get('aria-label')} has no address of its own" for one in strays)


def _list_marks(again: html.HtmlElement) -> Iterator[html.HtmlElement]:
    """Yield the elements to which the focus can move (static/js/faults.js)."""
    for element in again.iter():
        is_marked = element.get("data-errors") is not None or element.get("data-faulty") is not None
        if is_marked or (element.get("aria-invalid") == "true" and element.get("type") != "hidden"):
            yield element


def _list_undescribed(tree: html.HtmlElement, again: html.HtmlElement) -> Iterator[str]:
    """Yield faulty fields without a description, errors of no field, and links that lead nowhere."""
    ids = {one.get("id"): one for one in tree.iter() if one.get("id")}
    described = set()
    for element in again.iter():
        names = (element.get("aria-describedby") or "").split()
        shown = {name for name in names if name in ids and ids[name].find_class("c-field-error")}
        described |= shown
        is_grouped = any(one.get("data-faulty") is not None for one in element.iterancestors())
        if element.get("aria-invalid") == "true" and not shown and not is_grouped:
            yield f"no error describes {element.get('name')}"
    for error in again.find_class("c-field-error"):
        owners = [error, *error.iterancestors()]
        if error.get("hidden") is None and not any(
            one.get("id") in described or one.get("data-errors") is not None for one in owners
        ):
            yield f"it belongs to no field: {' '.join(error.text_content().split())}"
    for link in again.xpath(".//*[@data-errors]//a"):
        if link.get("href").removeprefix("#") not in ids:
            yield f"the link {link.text} leads nowhere"


def _list_lost(
    form: SentForm, tree: html.HtmlElement, again: html.HtmlElement, changes: Mapping[str, str]
) -> Iterator[str]:
    """Yield texts that were typed and are not shown again. No document can have a NUL byte."""
    shown = {field.get("name"): _text_of(field).strip() for field in _list_fields(tree, again)}
    for name in form.typed:
        text = changes.get(name, "").strip()
        if text and "\0" not in text and shown.get(name) != text:
            yield f"{name} had {text[:20]!r}, and has {str(shown.get(name))[:20]!r}"
