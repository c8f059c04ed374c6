"""
The tags of components: a page has the content, and a template of the folder `components` has the markup.

`/styleguide/` shows each of them. Tables have tags of their own (tables.py). Further attributes of an element
are written with underscores: `hx_get`, `aria_label`.
"""

import html
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from django import template
from django.conf import settings
from django.contrib.messages.storage.base import Message
from django.forms import BaseForm, BoundField
from django.template.base import FilterExpression, Node, NodeList, Parser, Token, token_kwargs
from django.template.context import Context
from django.template.loader import render_to_string
from django.utils.html import conditional_escape
from django.utils.safestring import SafeString
from django.utils.text import capfirst

from messages_app.core.badges import Badge
from messages_app.core.lists.filter_form import Link
from messages_app.core.markup import join_markup
from messages_app.core.undo import read_undo
from messages_app.messages.first_steps import first_steps_or_none
from messages_app.payloads.text_markup import mark_invisible
from messages_app.templatetags.terms import explain_term, explain_text

register = template.Library()

# Attributes without a value.
_FLAGS = frozenset({"open", "hidden", "data_draft_note"})

_TOAST_ICONS = {"success": "check", "error": "warning", "warning": "warning"}


def render_component(name: str, /, **values: object) -> SafeString:
    """Render the template of a component."""
    return render_to_string(f"messages_app/components/{name}.html", values)


def _write_attributes(attributes: dict[str, object]) -> SafeString:
    """Write further attributes of an element, except those without a value; literals are escaped too."""
    return join_markup(
        f" {name.replace('_', '-')}" + ("" if name in _FLAGS else f'="{html.escape(str(value))}"')
        for name, value in attributes.items()
        if (value if name in _FLAGS else value is not None and value != "")
    )


@register.simple_block_tag(name="note", end_name="endnote")
def show_note(content: str, kind: str = "", icon: str = "info", **attributes: object) -> SafeString:
    """Show a note: an icon and a text. The kinds are info, success, warning and error."""
    written = _write_attributes(attributes)
    return render_component("note", content=content, kind=kind, icon=icon, attributes=written)


@register.simple_tag(name="toast", takes_context=True)
def show_toast(context: Context, message: Message) -> SafeString:
    """Show what an action did, on the page that follows it, and how it can be undone."""
    kind, text = message.level_tag, message.message
    values = {
        # Names that users chose cannot turn the words around them.
        "text": text if isinstance(text, SafeString) else mark_invisible(text),
        "undo": read_undo(message),
        "csrf_token": context.get("csrf_token"),
    }
    content = render_component("toast", **values)
    return show_note(content, kind, _TOAST_ICONS.get(kind, "info"), role="status", data_toast=kind)


@register.simple_block_tag(name="dialog", end_name="enddialog")
def show_dialog(
    content: str, id: str, kind: str = "", title: str = "", is_alert: bool = False, **attributes: object
) -> SafeString:
    """
    Show a dialog.

    Args:
        title: of its head, which has a button that closes it.
        is_alert: whether its content, which has elements with the ids ID-title and ID-text, needs an answer.
    """
    written = _write_attributes(attributes)
    return render_component(
        "dialog", content=content, id=id, kind=kind, title=title, is_alert=is_alert, attributes=written
    )


@register.simple_block_tag(name="emptystate", end_name="endemptystate")
def show_empty_state(
    content: str, title: str, icon: str, role: str = "", of_demo: bool = False
) -> SafeString:
    """
    Show what a page says instead of a list without rows, with the first step.

    Args:
        of_demo: whether the demo has such rows. While it is loaded, the page shows its progress instead.
    """
    steps = first_steps_or_none() if of_demo else None
    if steps and steps.loading:
        values = {"first_steps": steps, "until": "loaded"}
        return render_to_string("messages_app/messages/_filling.html", values)
    return render_component("empty_state", content=content, title=title, icon=icon, role=role)


@register.simple_block_tag(name="facts", end_name="endfacts")
def show_facts(content: str, kind: str = "") -> SafeString:
    return render_component("facts", content=content, kind=kind)


@register.simple_block_tag(name="fact", end_name="endfact")
def show_fact(content: str, name: str, kind: str = "", term: str = "") -> SafeString:
    """Show a name, which may name a term of the glossary, and its value."""
    title = explain_term(name, term) if term else name
    return render_component("fact", content=content, name=title, kind=kind)


@register.simple_block_tag(name="menu", end_name="endmenu")
def show_menu(
    content: str, title: str, icon: str, kind: str = "", button: str = "c-button-plain", **attributes: object
) -> SafeString:
    """Show a button, which has the attributes, that opens a menu; only one menu of a list is open."""
    written = _write_attributes(attributes)
    return render_component(
        "menu", content=content, title=title, icon=icon, kind=kind, button=button, attributes=written
    )


@register.simple_block_tag(name="tabs", end_name="endtabs")
def show_tabs(
    content: str, label: str = "", nav: str = "", kind: str = "c-segments", **attributes: object
) -> SafeString:
    """
    Show links of which one is chosen.

    Args:
        nav: the class of the element for the navigation, if the links lead to other pages.
    """
    written = _write_attributes(attributes)
    return render_component("tabs", content=content, label=label, nav=nav, kind=kind, attributes=written)


@register.simple_block_tag(name="tab", end_name="endtab")
def show_tab(
    content: str,
    address: str,
    is_on: bool = False,
    choice: object = None,
    chosen: object = None,
    current: str = "true",
    **attributes: object,
) -> SafeString:
    """
    Show one link of `tabs`.

    Args:
        is_on: whether it is the chosen one, which it also is if its `choice` is the `chosen` one.
        current: "page" if the links lead to other pages.
    """
    is_on = is_on or (choice is not None and choice == chosen)
    written = _write_attributes({"aria_current": current if is_on else "", **attributes})
    return render_component("tab", content=content, address=address, attributes=written)


@register.simple_tag(name="choices")
def show_choices(links: Iterable[Link], label: str = "", nav: str = "", **attributes: Any) -> SafeString:
    """Show tabs for these links."""
    content = join_markup(
        show_tab(
            conditional_escape(capfirst(link.text)),
            link.query,
            link.is_on,
            current="page" if nav and not link.is_above else "true",
        )
        for link in links
    )
    return show_tabs(content, label, nav, **attributes)


@register.simple_block_tag(name="pager", end_name="endpager")
def show_pager(
    content: str,
    back: str | None,
    further: str | None,
    words: str = "Newer,Older",
    label: str = "Pages",
    is_constant: bool = False,
    is_sparse: bool = False,
    further_id: str = "",
) -> SafeString:
    """
    Show links to the previous and the next page, with a text between them.

    Args:
        back, further: the addresses; None at an end, where a link is shown as not available.
        words: the texts of the two links.
        is_constant: whether the links are shown even if there is only one page.
        is_sparse: whether a link is left out at an end.
        further_id: the id of the second link.
    """
    if not (back or further or is_constant or content.strip()):
        return SafeString()
    text_of_back, text_of_further = words.split(",")
    return render_component(
        "pager",
        content=content,
        back=back,
        further=further,
        text_of_back=text_of_back,
        text_of_further=text_of_further,
        label=label,
        has_links=back or further or is_constant,
        is_sparse=is_sparse,
        further_id=further_id,
    )


@register.simple_block_tag(name="filterbar", end_name="endfilterbar", takes_context=True)
def show_filter_bar(context: Context, content: str, first: str = "", none: str = "") -> SafeString:
    """
    Show the filter of a list; its content are choices under it.

    Args:
        first: the template of a field before the others; `none` is the text of its empty choice.
    """
    values: dict[str, Any] = {str(name): value for name, value in context.flatten().items()}
    values.update(first=first, none=none, choices=SafeString(content.strip()))
    return render_component("filter_bar", **values)


@register.simple_tag(name="badge")
def show_badge(
    badge: Badge | None = None,
    tone: str = "",
    icon: str = "",
    text: str = "",
    size: str = "",
    chapter: str = "",
) -> SafeString:
    """
    Show a value as a badge: `badge`, if there is one, or its parts.

    Args:
        chapter: the chapter about the state of the page's own object, which then explains itself.
    """
    if badge is None and not text:
        return SafeString()
    element = render_component("badge", badge=badge or Badge(tone, icon, text, ""), size=size)
    return explain_text(element, badge.title, chapter) if badge and chapter else element


@register.simple_block_tag(name="tag", end_name="endtag")
def show_tag(content: str, title: str = "", address: str = "") -> SafeString:
    """Show a short word in a frame; with an address, as a link."""
    return SafeString(render_component("tag", content=content, title=title, address=address).strip())


@register.simple_tag(name="field")
def show_field(field: BoundField, label: str = "") -> SafeString:
    """Show a row of a form: label, input, hint and errors. Several boxes or buttons are a group."""
    name = "field_group" if field.field.widget.use_fieldset else "field"
    return render_component(name, field=field, label=label or field.label)


@register.simple_block_tag(name="fieldgroup", end_name="endfieldgroup")
def show_field_group(content: str, field: BoundField, label: str = "") -> SafeString:
    """Show the content as the group of a field, with its legend and errors."""
    return render_component("field_group", field=field, label=label or field.label, content=content)


@register.simple_tag(name="fielderrors")
def show_field_errors(field: BoundField, is_named: bool = False) -> SafeString:
    """
    Show the errors of a field. Its input refers to them, also if the template lays it out itself.

    Args:
        is_named: whether the errors begin with the label, because nothing else shows it.
    """
    values = {"id": field.auto_id, "errors": field.errors, "label": field.label, "is_named": is_named}
    return render_component("field_errors", **values)


@register.simple_tag(name="errors")
def show_errors(form: BaseForm) -> SafeString:
    """Show the errors that belong to no visible field, and links to faulty fields if there are several."""
    hidden = [error for field in form.hidden_fields() for error in field.errors]
    faulty_fields = [field for field in form.visible_fields() if field.errors]
    return render_component(
        "errors",
        errors=[*form.non_field_errors(), *hidden],
        faulty_fields=faulty_fields if len(faulty_fields) > 1 else [],
    )


@register.simple_tag(name="command")
def show_command(text: str) -> SafeString:
    """Show a command of the console as it is typed in a shell, with a button that copies it."""
    return render_component("command", text=f"{settings.COMMAND_LINE} {text}")


_PANEL_OPTIONS = frozenset({"icon", "kind", "is_padded", "is_stacked", "is_folded", "term"})


@dataclass(kw_only=True, eq=False)
class PanelNode(Node):
    title: FilterExpression | None
    options: dict[str, FilterExpression]
    tools: NodeList
    nodelist: NodeList
    child_nodelists = ("tools", "nodelist")

    def render(self, context: Context) -> SafeString:
        values: dict[str, Any] = {name: value.resolve(context) for name, value in self.options.items()}
        options = {name: values.pop(name) for name in _PANEL_OPTIONS & values.keys()}
        title, term = self.title.resolve(context) if self.title else "", options.pop("term", "")
        return render_component(
            "panel",
            title=explain_term(title, term) if term else title,
            tools=self.tools.render(context),
            content=self.nodelist.render(context),
            attributes=_write_attributes(values),
            **options,
        )


@register.tag("panel")
def parse_panel(parser: Parser, token: Token) -> PanelNode:
    """
    Parse a panel: its head with the title and tools (up to `content`), then its content.

    The options are `icon`, `kind` (further classes), `is_padded`, `is_stacked`, `is_folded`, and `term`: a
    term of the glossary that the title names, if it is not folded.
    """
    bits = token.split_contents()[1:]
    title = parser.compile_filter(bits.pop(0)) if bits and "=" not in bits[0] else None
    options = token_kwargs(bits, parser)
    if bits:
        raise template.TemplateSyntaxError(f"A panel has no {bits[0]!r}.")
    tools, nodelist = NodeList(), parser.parse(("content", "endpanel"))
    if parser.next_token().contents == "content":
        tools, nodelist = nodelist, parser.parse(("endpanel",))
        parser.delete_first_token()
    return PanelNode(title=title, options=options, tools=tools, nodelist=nodelist)
