"""
The tags of tables, and of what differs: a page declares each column once, with its head and its cell.

    {% table "Watch rules" order="by name" for line in lines with rule=line.rule %}
      {% column "Rule" class="u-name" %}{{ rule.name }}{% endcolumn %}
      {% column "Value" number if may_view %}{{ rule.value|decimal }}{% endcolumn %}
    {% empty %}
      <p class="c-panel-body u-soft">No watch rules yet.</p>
    {% endtable %}

The options of a table are fields of `Table`. Without rows, only the part after `empty` is shown. A column may
have the options of `_OPTIONS`, the flags of `_FLAGS`, and a condition.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from django import template
from django.template.base import FilterExpression, Node, NodeList, Parser, Token, token_kwargs
from django.template.context import Context
from django.template.defaulttags import TemplateIfParser
from django.template.loader import render_to_string
from django.utils.safestring import SafeString

from messages_app.audit.selectors import last_entry_about
from messages_app.core.edit_versions import Difference
from messages_app.core.lists.table import Column, Table
from messages_app.core.markup import join_markup

register = template.Library()

# The fields of `Column` by the words for them.
_OPTIONS = {"class": "css_class", "head": "head_class", "label": "label", "hint": "hint", "sort": "sorting"}
_FLAGS = {"number": "is_number", "unnamed": "is_mark", "naming": "is_row_head"}

Values = dict[str, FilterExpression]


@dataclass(kw_only=True, eq=False)
class ColumnNode(Node):
    title: FilterExpression
    options: Values
    flags: dict[str, Any]
    condition: Any
    cell: NodeList
    child_nodelists = ("cell",)

    def is_shown(self, context: Context) -> bool:
        return self.condition is None or bool(self.condition.eval(context))

    def make_column(self, context: Context) -> Column:
        options = _resolve_values(self.options, context)
        values = {_OPTIONS[name]: value for name, value in options.items()}
        return Column(title=self.title.resolve(context), **values, **self.flags)


@dataclass(kw_only=True, eq=False)
class TableNode(Node):
    title: FilterExpression
    options: Values
    names: list[str]
    rows: FilterExpression
    row_values: Values
    columns: NodeList
    empty: NodeList = field(default_factory=NodeList)
    child_nodelists = ("columns", "empty")

    def render(self, context: Context) -> SafeString:
        rows = list(self.rows.resolve(context, ignore_failures=True) or ())
        if not rows:
            return self.empty.render(context)
        nodes = [node for node in self.columns if isinstance(node, ColumnNode) and node.is_shown(context)]
        columns = tuple(node.make_column(context) for node in nodes)
        options = _resolve_values(self.options, context)
        table = Table(columns=columns, title=self.title.resolve(context), **options)
        cells = [node.cell for node in nodes]
        body = join_markup(
            table.show_row(cell.render(context) for cell in cells) for _ in self._each_row(rows, context)
        )
        return render_to_string("messages_app/components/table.html", {"table": table, "body": body})

    def _each_row(self, rows: Iterable[Any], context: Context) -> Iterator[None]:
        """Put the values of each row into the context."""
        for row in rows:
            parts = row if len(self.names) > 1 else (row,)
            with context.push(**dict(zip(self.names, parts, strict=True))):
                for name, value in self.row_values.items():
                    context[name] = value.resolve(context)
                yield


def _resolve_values(values: Values, context: Context) -> dict[str, Any]:
    return {name: value.resolve(context) for name, value in values.items()}


@register.tag("table")
def parse_table(parser: Parser, token: Token) -> TableNode:
    title, *bits = token.split_contents()[1:]
    options = token_kwargs(bits, parser)
    names, rows, row_values = _parse_loop(bits, parser)
    columns = parser.parse(("empty", "endtable"))
    empty = NodeList()
    if parser.next_token().contents == "empty":
        empty = parser.parse(("endtable",))
        parser.delete_first_token()
    return TableNode(
        title=parser.compile_filter(title),
        options=options,
        names=names,
        rows=rows,
        row_values=row_values,
        columns=columns,
        empty=empty,
    )


def _parse_loop(bits: list[str], parser: Parser) -> tuple[list[str], FilterExpression, Values]:
    """Parse `for a, b in rows with c=a.c`. Raises TemplateSyntaxError: it has another form."""
    if bits[:1] != ["for"] or "in" not in bits:
        raise template.TemplateSyntaxError("A table needs its rows: for ROW in ROWS.")
    place = bits.index("in")
    rest = bits[place + 2 :]
    row_values: Values = {}
    if rest[:1] == ["with"]:
        del rest[0]
        row_values = token_kwargs(rest, parser)
    if rest:
        raise template.TemplateSyntaxError(f"A table has no {rest[0]!r}.")
    return [name.strip(",") for name in bits[1:place]], parser.compile_filter(bits[place + 1]), row_values


@register.tag("column")
def parse_column(parser: Parser, token: Token) -> ColumnNode:
    title, *bits = token.split_contents()[1:]
    options = token_kwargs(bits, parser)
    condition = None
    if "if" in bits:
        place = bits.index("if")
        condition = TemplateIfParser(parser, bits[place + 1 :]).parse()
        del bits[place:]
    if unknown := [*(set(bits) - _FLAGS.keys()), *(options.keys() - _OPTIONS.keys())]:
        raise template.TemplateSyntaxError(f"A column has no {unknown[0]!r}.")
    cell = parser.parse(("endcolumn",))
    parser.delete_first_token()
    return ColumnNode(
        title=parser.compile_filter(title),
        options=options,
        flags={_FLAGS[flag]: True for flag in bits},
        condition=condition,
        cell=cell,
    )


@register.simple_tag(name="conflict", takes_context=True)
def show_conflict(
    context: Context,
    differences: Sequence[Difference] | str | None,
    kind: str = "",
    subject: object = "",
    action: str = "",
    *,
    address: str = "",
) -> SafeString:
    """
    Show what differs after two people have changed the same row; nothing if there is no conflict.

    Args:
        kind, subject, action: of the audit entries of changes of the row. The newest has who changed it.
        address: of the form; empty: that of the request.
    """
    if differences is None or isinstance(differences, str):  # A page without a conflict has no variable.
        return SafeString()
    address = address or context["request"].get_full_path()
    change = last_entry_about(kind, str(subject), action) if kind else None
    return render_to_string(
        "messages_app/components/conflict.html",
        {"differences": differences, "address": address, "change": change},
    )
