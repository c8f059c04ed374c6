"""The rules: each gives the places in the product's source that are not as they should be."""

import ast
import re
from collections.abc import Callable, Iterator
from types import ModuleType

from django.db.models import Model

from messages_app.cp_queue.models import CpDeferred, CpMessage, CpReady
from messages_app.document_history.models import DocumentHistory, HistoryLine
from messages_app.message_store.models import ArchivedHistory, MessageHistory, MessageProcess, MessageStore
from spark_tasks.tables import HUB_TABLES
from tests.rules.sources import Call, Module, Scope, name_of
from tests.support.locks import ROOT

# What sends SQL, or takes a text for it. RawSQL and extra() are refused by ruff (S610, S611).
_SENDING = {"execute", "executemany", "stream", "copy", "SQL"}
_COMPOSING = {"SQL", "Identifier"}
# What gives the text of a file in a package's sql/.
_FROM_FILE = re.compile(r"(^|_)statements$")

_LOOKING_UP = {
    "filter",
    "exclude",
    "get",
    "Q",
    "order_by",
    "annotate",
    "alias",
    "aggregate",
    "values",
    "values_list",
}
_REQUESTED = {"GET", "POST", "FILES", "COOKIES", "META", "headers", "body", "data", "query_params"}
_REQUESTED |= {"cleaned_data", "validated_data", "initial_data"}
_REQUESTED_NAMES = {"request", "params", "kwargs"}
_READING = {"loads", "parse_qs", "parse_qsl"}

_WRITING = {"save", "delete", "bulk_update", "asave", "adelete", "abulk_update"}
_HUB = {name for table in HUB_TABLES for name in (table.live, table.archive)}
_HUB |= {
    model._meta.db_table
    for model in (
        ArchivedHistory,
        CpDeferred,
        CpMessage,
        CpReady,
        DocumentHistory,
        HistoryLine,
        MessageHistory,
        MessageProcess,
        MessageStore,
    )
}

_IN_TEMPLATES = re.compile(r"\|\s*safe(seq)?\b|{%-?\s*autoescape\s+off")
# Of a tag: addresses, placeholders and other values that are not text of the page.
_QUOTED_VALUES = re.compile(r"(?<==)\"[^\"{}]*\"")
# What messages_app/core/formatting.py writes, written another way. A number for a script has no groups: "0u".
_FORMATS_IN_TEMPLATES = re.compile(
    r"{%-?\s*widthratio|\|\s*floatformat(?!:\"-?\d?u\")|\|\s*(?:intcomma|naturaltime|timesince|timeuntil)\b"
    # a sign of per cent, or a unit, without its space
    r"|}}(?:%|(?:ms|min|h|d)\b)|(?<=[\s>,(])\d+(?:%|(?:ms|min|h|d)\b)(?=[^<>]*<)"
    # a missing value by another word than the dash
    r"|>\s*(?:-|—|none|nothing|None|Nothing|n/a)\s*<|%}(?:-|—|none|nothing|n/a){%"
    r"|\|\s*default(?:_if_none)?:\"(?:-|–|—|none|nothing|n/a|None)\""
)
_FORMATS_IN_SCRIPTS = re.compile(r"\.to(?:Fixed|Locale\w*|Precision)\s*\(|\bIntl\.|}%`|[\"'`]%[\"'`]")
_FORMATS_IN_PYTHON = re.compile(r"{[^{}\"']*:(?:,|\.\d[%f])[^{}\"']*}|\bintcomma\b|\bnaturaltime\b")
_IN_SCRIPTS = re.compile(
    r"\.(?:inner|outer)HTML\s*\+?=(?!=)|\b(?:insertAdjacentHTML|setHTMLUnsafe|parseHTMLUnsafe|parseFromString"
    r"|createContextualFragment)\s*\(|\bdocument\.write(?:ln)?\s*\("
)

# One word. Those that are also the verb itself, such as read, run, put, set, split and feed, do not match.
_PARTICIPLE = re.compile(
    r"_?(?:(?!embed|shred|shed)[a-z]+(?<!e)ed|agreed|freed|begun|bound|built|chosen|done|drawn|driven|fallen|forgotten|found"
    r"|frozen|given|gone|heard|held|hidden|kept|known|left|lost|made|meant|met|paid|proven|said|seen|sent"
    r"|shown|spent|spoken|sworn|taken|taught|thrown|told|unknown|worn|woken|written)"
)


def sends_sql_that_is_put_together(module: Module) -> Iterator[str]:
    """
    SQL is written out in the module or in a file, or composed by psycopg.

    Source: docs/contributing/spec/promises.md, S-31.
    """
    for call in module.calls():
        is_raw = call.name == "raw" and isinstance(call.node.func, ast.Attribute)
        texts = call.node.args[:1] if call.name in _SENDING else []
        if is_raw or not all(_is_written(text, call.scope) for text in texts):
            yield call.where


def _is_written(node: ast.expr | None, scope: Scope) -> bool:
    match node:
        case ast.Constant():
            return True
        case ast.JoinedStr(values=parts):
            return all(_is_written(part, scope) for part in parts)
        case ast.FormattedValue(value=value):
            return _is_written(value, scope)
        case ast.IfExp(body=one, orelse=other) | ast.BinOp(left=one, op=ast.Add(), right=other):
            return _is_written(one, scope) and _is_written(other, scope)
        case ast.Name(id=name):
            values = [(value, scope.following(name)) for value in scope.values(name)]
            return name in scope.followed or _is_constant(name, scope) or _all_written(values)
        case ast.Call():
            return _gives_written(node, scope)
    return False


def _is_constant(name: str, scope: Scope) -> bool:
    return name.isupper() and isinstance(scope.module.names.get(name), str | int | float)


def _all_written(values: list[tuple[ast.expr | None, Scope]]) -> bool:
    return bool(values) and all(_is_written(value, scope) for value, scope in values)


def _gives_written(call: ast.Call, scope: Scope) -> bool:
    """Say so of a call: a file's text, a composable, or what a function here gives back."""
    if _is_from_file(call) or name_of(call) in _COMPOSING:
        return True
    if name_of(call) in {"format", "join", "as_string"}:
        return _is_composable(call.func.value, scope)
    return name_of(call) not in scope.followed and _all_written(scope.returned(name_of(call)))


def _is_from_file(call: ast.Call) -> bool:
    """Say whether it is `statements.read_text("...")`, the text of a file (shared/sql_files.py)."""
    match call.func:
        case ast.Attribute(value=ast.Name(id=name), attr="read_text"):
            return bool(_FROM_FILE.search(name))
    return False


def _is_composable(node: ast.expr, scope: Scope) -> bool:
    """Say whether something is psycopg's, which quotes what it is given; SQL() is checked on its own."""
    if isinstance(node, ast.Name):
        # Next to the names followed for text: a text that is set by its own format() is not a composable.
        mark, values = f"composed {node.id}", scope.values(node.id)
        if mark in scope.followed:
            return True
        return bool(values) and all(_is_composable(value, scope.following(mark)) for value in values)
    if isinstance(node, ast.Call) and name_of(node) in {"format", "join"}:
        return _is_composable(node.func.value, scope)
    return isinstance(node, ast.Call) and name_of(node) in _COMPOSING


def expands_requests_into_lookups(module: Module) -> Iterator[str]:
    """
    Which columns are looked up, and in which order, is the code's to say.

    Source: docs/contributing/spec/promises.md, S-32.
    """
    for call in module.calls():
        if call.name in _LOOKING_UP and any(_is_requested(one, call.scope) for one in _expanded(call)):
            yield call.where


def _expanded(call: Call) -> Iterator[ast.expr]:
    yield from (one.value for one in call.node.keywords if one.arg is None)
    yield from (one.value for one in call.node.args if isinstance(one, ast.Starred))
    if call.name == "order_by":
        yield from (one for one in call.node.args if not isinstance(one, ast.Starred))


def _is_requested(node: ast.expr, scope: Scope) -> bool:
    """Say whether the names in something, not the values next to them, are out of a request."""
    match node:
        case ast.Dict(keys=keys, values=values):
            names = [key or value for key, value in zip(keys, values, strict=True)]
            return any(_is_requested(name, scope) for name in names)
        case ast.DictComp(key=key):
            return _is_requested(key, scope)
        case ast.Name(id=name):
            values = scope.values(name) if name not in scope.followed else []
            further = scope.following(name)
            return name in _REQUESTED_NAMES or any(_is_requested(value, further) for value in values)
        case ast.Attribute(attr=attr) if attr in _REQUESTED:
            return True
        case ast.Call() if name_of(node) in _READING:
            return True
    return any(
        _is_requested(child, scope)
        for child in ast.iter_child_nodes(node)
        if isinstance(child, ast.expr | ast.keyword)
    )


def saves_rows_of_the_hub(module: Module) -> Iterator[str]:
    """
    The hub's rows are changed by conditional statements that are counted.

    Source: docs/contributing/spec/promises.md, S-61.
    """
    for call in module.calls():
        is_method = isinstance(call.node.func, ast.Attribute)
        if call.name in _WRITING and is_method and not _is_ours(call.node.func.value, module):
            yield call.where


def _is_ours(node: ast.expr, module: Module) -> bool:
    """Say whether it is a module, or rows of a table of ours; a row in a variable may be of any."""
    while isinstance(node, ast.Attribute | ast.Call):
        node = node.func if isinstance(node, ast.Call) else node.value
    named = module.names.get(node.id) if isinstance(node, ast.Name) else None
    if isinstance(named, type) and issubclass(named, Model):
        return named._meta.db_table not in _HUB
    return isinstance(named, ModuleType)


def makes_markup_of_variables(module: Module) -> Iterator[str]:
    """
    Markup is written out, and format_html escapes the rest.

    Source: docs/contributing/spec/promises.md, S-35.
    """
    for call in module.calls():
        patterns = {"format_html": call.node.args[:1], "format_html_join": call.node.args[:2]}
        if not all(isinstance(one, ast.Constant) for one in patterns.get(call.name, ())):
            yield call.where
    for node in ast.walk(module.tree):
        if isinstance(node, ast.FunctionDef) and node.name == "__html__":
            yield f"{module.name}.__html__"


def leaves_text_unescaped(text: str) -> list[str]:
    """Templates escape all that they show. Source: docs/contributing/spec/promises.md, S-35."""
    return _IN_TEMPLATES.findall(text)


def writes_markup(text: str) -> list[str]:
    """Scripts set text, not markup. Source: docs/contributing/spec/promises.md, S-35."""
    return _IN_SCRIPTS.findall(text)


def leaves_a_private_name_unused(module: Module) -> Iterator[str]:
    """A limit that nothing reads limits nothing, whatever its comment says."""
    names = [node for node in ast.walk(module.tree) if isinstance(node, ast.Name)]
    read = {node.id for node in names if isinstance(node.ctx, ast.Load)}
    for name in _private_names(module.tree):
        if name not in read:
            yield f"{module.name}.{name}"


def _private_names(tree: ast.Module) -> Iterator[str]:
    """Yield the names with a leading underscore that a module gives to values, functions and classes."""
    for node in tree.body:
        match node:
            case ast.FunctionDef(name=name) | ast.ClassDef(name=name):
                given = [name]
            case ast.Assign() | ast.AnnAssign():
                given = [
                    part.id
                    for part in ast.walk(node)
                    if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store)
                ]
            case _:
                given = []
        yield from (
            name for name in given if name.startswith("_") and name.strip("_") and not name.startswith("__")
        )


def names_a_function_by_a_participle(module: Module) -> Iterator[str]:
    """
    The name of a function is a verb with its object, or the noun of its value: not `found` or `_refused`.

    Properties are attributes, which an adjective may name. Functions inside others are not searched.

    Source: docs/contributing/style.md, "Names".
    """
    for holder in (module.tree, *(node for node in ast.walk(module.tree) if isinstance(node, ast.ClassDef))):
        for node in holder.body:
            if (
                isinstance(node, ast.FunctionDef)
                and _PARTICIPLE.fullmatch(node.name)
                and not _is_property(node)
            ):
                yield f"{module.name}.{node.name}"


def _is_property(function: ast.FunctionDef) -> bool:
    return any("property" in ast.unparse(decorator) for decorator in function.decorator_list)


IN_PYTHON: tuple[Callable[[Module], Iterator[str]], ...] = (
    sends_sql_that_is_put_together,
    expands_requests_into_lookups,
    saves_rows_of_the_hub,
    makes_markup_of_variables,
    leaves_a_private_name_unused,
    names_a_function_by_a_participle,
)


def formats_in_templates(text: str) -> list[str]:
    """Numbers, shares, spans and missing values are written by the filters of hub.py."""
    return _FORMATS_IN_TEMPLATES.findall(_QUOTED_VALUES.sub('""', text))


def formats_in_scripts(text: str) -> list[str]:
    """Scripts show what pages have formatted."""
    return _FORMATS_IN_SCRIPTS.findall(text)


def formats_in_python(text: str) -> list[str]:
    """Numbers, shares and spans are written by messages_app/core/formatting.py."""
    return _FORMATS_IN_PYTHON.findall(text)


# rule, folder, ending
IN_FILES = (
    (leaves_text_unescaped, ROOT / "templates", "html"),
    (writes_markup, ROOT / "static", "js"),
    (formats_in_templates, ROOT / "templates", "html"),
    (formats_in_scripts, ROOT / "static", "js"),
    (formats_in_python, ROOT / "messages_app", "py"),
)
