"""Components as templates write them: their markup, elements and outlines."""

from django.template import Context, Template
from lxml import html

from tests.support.page_outlines import outline_of


def show(tags: str, **values: object) -> str:
    return Template(tags).render(Context(values))


def show_element(tags: str, **values: object) -> html.HtmlElement:
    return html.fromstring(show(tags, **values).strip())


def outline(tags: str, **values: object) -> list[str]:
    return outline_of(show(tags, **values))
