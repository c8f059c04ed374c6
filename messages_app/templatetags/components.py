"""
The tags of components: a page has the content, and a template of the folder `components` has the markup.

`/styleguide/` shows each of them. Tables have tags of their own (tables.py).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django import template
from django.forms import BoundField
from django.template.base import FilterExpression, Node, NodeList, Parser, Token, token_kwargs
from django.template.context import Context
from django.template.loader import render_to_string
from django.utils.safestring import SafeString

register = template.Library()


def _render_component(name: str, values: Mapping[str, object]) -> SafeString:
    return render_to_string(f"messages_app/components/{name}.html", dict(values))


@register.simple_block_tag(name="note", end_name="endnote")
def show_note(content: str, kind: str = "", icon: str = "info", role: str = "") -> SafeString:
    """Show a note: an icon and a text. The kinds are info, success, warning and error."""
    return _render_component("note", {"content": content, "kind": kind, "icon": icon, "role": role})


@register.simple_block_tag(name="emptystate", end_name="endemptystate")
def show_empty_state(content: str, title: str, icon: str, role: str = "") -> SafeString:
    """Show what a page says instead of a list without rows, with the first step."""
    return _render_component("empty_state", {"content": content, "title": title, "icon": icon, "role": role})


@register.simple_block_tag(name="facts", end_name="endfacts")
def show_facts(content: str, kind: str = "") -> SafeString:
    return _render_component("facts", {"content": content, "kind": kind})


@register.simple_block_tag(name="fact", end_name="endfact")
def show_fact(content: str, name: str, kind: str = "") -> SafeString:
    return _render_component("fact", {"content": content, "name": name, "kind": kind})


@register.simple_block_tag(name="menu", end_name="endmenu")
def show_menu(content: str, title: str, icon: str) -> SafeString:
    """Show a button that opens a menu; only one menu of a list is open."""
    return _render_component("menu", {"content": content, "title": title, "icon": icon})


@register.simple_tag(name="field")
def show_field(field: BoundField, label: str = "") -> SafeString:
    """Show a row of a form: label, input, hint and errors."""
    return _render_component("field", {"field": field, "label": label or field.label})


@register.simple_tag(name="bar")
def show_bar(tone: str = "", width: float = 100, shares: Sequence[object] | None = None) -> SafeString:
    """Show a thin bar: a share in the colour of a state, or several shares next to each other."""
    return _render_component("bar", {"tone": tone, "width": width, "shares": shares})


@dataclass(kw_only=True, eq=False)
class PanelNode(Node):
    title: FilterExpression
    options: dict[str, FilterExpression]
    tools: NodeList
    nodelist: NodeList

    def render(self, context: Context) -> SafeString:
        options: dict[str, Any] = {name: value.resolve(context) for name, value in self.options.items()}
        content = {"tools": self.tools.render(context), "content": self.nodelist.render(context)}
        return _render_component("panel", {"title": self.title.resolve(context), **options, **content})


@register.tag("panel")
def parse_panel(parser: Parser, token: Token) -> PanelNode:
    """
    Parse a panel: its head with the title and tools (up to `content`), then its content.

    The options are `id`, `label`, `icon`, `is_padded`, `is_stacked`, `is_folded` and `is_open`.
    """
    title, *bits = token.split_contents()[1:]
    options = token_kwargs(bits, parser)
    if bits:
        raise template.TemplateSyntaxError(f"A panel has no {bits[0]!r}.")
    tools, nodelist = NodeList(), parser.parse(("content", "endpanel"))
    if parser.next_token().contents == "content":
        tools, nodelist = nodelist, parser.parse(("endpanel",))
        parser.delete_first_token()
    return PanelNode(title=parser.compile_filter(title), options=options, tools=tools, nodelist=nodelist)
