"""
The lines that a page or a part of it shows, so that a test compares all of them.

A link is "[words](address)", the state of an element "{FAILED}", a checked or current element "*", a field
"<name=value>", an elapsed time "@" and its moment, the title of an element "(title: words)", an address that
htmx asks "(get /address/)", a shape "(rect x=1 width=2)". Cells of a row are separated by " | ". How long ago
something was is "some minutes ago", and from two days on its month, "2021-03 ago": give the times of a page
different months, and no last day of a month.
"""

import re
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime, timedelta

from django.contrib.auth.models import AnonymousUser
from django.http import HttpResponse
from django.template.context import make_context
from django.template.loader import get_template
from django.template.loader_tags import BlockNode
from django.test import RequestFactory
from lxml import html

from messages_app.shared.message_states import STATE_MEANINGS

_BLOCKS = frozenset(
    {
        "p",
        "div",
        "li",
        "ul",
        "ol",
        "dl",
        "dt",
        "tr",
        "table",
        "section",
        "form",
        "h1",
        "h2",
        "h3",
        "h4",
        "h5",
        "summary",
        "details",
        "caption",
        "figure",
        "pre",
        "nav",
        "fieldset",
        "legend",
        "label",
        "header",
        "aside",
        "textarea",
        "blockquote",
        "button",
        "select",
        "option",
        "figcaption",
        "thead",
        "tbody",
        "svg",
        "rect",
        "path",
    }
)
_SKIPPED = frozenset({"script", "style", "template"})
_MEANINGS = frozenset(STATE_MEANINGS.values())
_FIELDS = ("input", "select", "textarea", "progress")
_LINES = ("td", "th", "a", "dt")
_SHAPES = ("svg", "rect", "path", "line", "circle")
_SIZES = ("viewbox", "d", "x", "y", "x1", "x2", "y1", "y2", "cx", "cy", "width", "height")
_STATES = ("checked", "selected", "aria-current", "open", "disabled", "hidden")
_BLANKS = re.compile(r"\s+")
_ELAPSED = re.compile(r"(\d+) (d|h|min|s) ago")
_UNITS = {"h": "hours", "min": "minutes", "s": "seconds"}
_DATE = re.compile(r"\d{4}-\d\d-\d\d")


def outline_of(
    markup: str | HttpResponse | html.HtmlElement, *, within: str | None = None, keep_ages: bool = False
) -> list[str]:
    """
    Return the lines of a page or a part of it.

    Args:
        within: the id of an element, or the heading (h1, h2, h3) or the label of a section, form, table or
            navigation. Only it is read.
        keep_ages: write ages as they are, of a page that shows them at a given time.
    """
    element = _element_of(markup)
    if within is not None:
        element = _find_part(element, within)
    text = "".join(_write(element))
    lines = (_BLANKS.sub(" ", line).strip() for line in text.split("\n"))
    shown = [line.removesuffix(" |") for line in lines if line and line != "|"]
    return shown if keep_ages else [_ELAPSED.sub(_write_age, line) for line in shown]


def _write_age(age: re.Match[str]) -> str:
    """Write an age so that it is the same in each run, and differs from other ages."""
    count, unit = age.groups()
    if unit == "d":
        return f"{datetime.now(UTC) - timedelta(days=int(count)):%Y-%m} ago"
    return f"some {_UNITS[unit]} ago"


def _element_of(markup: str | HttpResponse | html.HtmlElement) -> html.HtmlElement:
    if isinstance(markup, html.HtmlElement):
        return markup
    if isinstance(markup, HttpResponse):
        assert markup.status_code == 200, markup.status_code
        markup = markup.content.decode()
    root = html.document_fromstring(markup if "<body" in markup else f"<body><br>{markup}</body>")
    mains = root.findall(".//main")
    # The head of a page has its title and sections; the outline is that of its content.
    for head in root.xpath("//main/div[@class='c-head']"):
        head.drop_tree()
    return mains[0] if mains else root.find("body")


def _find_part(element: html.HtmlElement, name: str) -> html.HtmlElement:
    by_label = [each for each in element.iter() if name in (each.get("id"), each.get("aria-label"))]
    parts = by_label or list(_sections_called(element, name))
    assert len(parts) == 1, f"{len(parts)} parts are called {name!r}"
    return parts[0]


def _sections_called(element: html.HtmlElement, name: str) -> Iterable[html.HtmlElement]:
    for head in element.iter("h1", "h2", "h3"):
        if _BLANKS.sub(" ", " ".join(head.itertext())).strip() == name:
            yield next(
                each for each in head.iterancestors() if each.tag in ("section", "main", "body", "form")
            )


def _write(element: html.HtmlElement) -> Iterator[str]:
    if not isinstance(element.tag, str) or element.tag in _SKIPPED:
        return
    is_term = element.get("class") == "c-term"
    is_block = element.tag in _BLOCKS and not is_term and not _is_icon(element)
    if is_block:
        yield "\n"
    yield _marks_of(element)
    words = "".join(_inside(element))
    if element.tag == "a":
        words = f"[{words.strip()}]({element.get('href')})"
    elif element.tag == "time" and not _DATE.match(words.strip()):
        words = f"@{element.get('datetime')}"
    yield words
    if element.tag in ("td", "th"):
        yield " | "
    if element.tag == "dt":
        yield ": "
    elif is_block:
        yield "\n"


def _inside(element: html.HtmlElement) -> Iterator[str]:
    yield _text_in(element, element.text)
    for child in element:
        text = "".join(_write(child))
        # Blocks in a cell stay in its row, and those in a link in its line.
        yield text.replace("\n", " ") if element.tag in _LINES else text
        yield _text_in(element, child.tail)


def _text_in(element: html.HtmlElement, text: str | None) -> str:
    return (text or "") if element.tag == "pre" else (text or "").replace("\n", " ")


def _is_icon(element: html.HtmlElement) -> bool:
    return "c-icon" in element.get("class", "").split()


def _marks_of(element: html.HtmlElement) -> str:
    marks = []
    if element.tag in _FIELDS and element.get("type") != "hidden":
        value = element.get("value")
        marks.append(f"<{element.get('name')}{'' if value is None else '=' + value}>")
    if element.tag == "option":
        marks.append(f"<{element.get('value')}>")
    if address := element.get("action") or element.get("formaction"):
        marks.append(f"({address})")
    marks += [f"({name[3:]} {element.get(name)})" for name in ("hx-get", "hx-post") if element.get(name)]
    if element.get("data-state"):
        marks.append("{" + element.get("data-state") + "}")
    if any(element.get(name) is not None for name in _STATES):
        marks.append("*")
    if element.get("title") and element.tag != "time" and element.get("title") not in _MEANINGS:
        marks.append(f"(title: {element.get('title')})")
    if element.tag in _SHAPES and not _is_icon(element):
        sizes = [f"{name}={element.get(name)}" for name in _SIZES if element.get(name)]
        marks.append(f"({' '.join([element.tag, *sizes])})")
    if element.tag in ("svg", "button", "input", "a", "progress", "nav") and element.get("aria-label"):
        marks.append(f"(label: {element.get('aria-label')})")
    return "".join(f"{mark} " for mark in marks)


def show_block(
    template: str, *, block: str = "content", user: object = None, at: str = "/", **context: object
) -> str:
    """
    Return the markup of a block of a page, without the frame of all pages.

    Args:
        user: who reads the page.
        at: the address of the page.
        context: the values of the page.
    """
    page = get_template(template).template
    (node,) = (each for each in page.nodelist.get_nodes_by_type(BlockNode) if each.name == block)
    request = RequestFactory().get(at)
    request.user = user or AnonymousUser()
    values = make_context(context, request)
    with values.bind_template(page), values.render_context.push_state(page):
        return node.nodelist.render(values)
