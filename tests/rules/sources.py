"""The product's source as trees: which calls are in which function, and what a name was set to there."""

import ast
import importlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace

from tests.support.locks import ROOT

PACKAGES = ("hubconsole", "messages_app", "spark_tasks")
# They change the process that imports them: its name, what its garbage collector checks.
PROGRAMS = ("__main__", "wsgi")
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


@dataclass(frozen=True)
class Module:
    """
    One module of the product.

    Args:
        names: what its global names represent.
    """

    name: str
    tree: ast.Module
    names: Mapping[str, object] = field(default_factory=dict)

    def calls(self) -> Iterator["Call"]:
        yield from self._calls(self.tree, (self.name,), (self.tree,))

    def _calls(self, node: ast.AST, path: tuple[str, ...], scopes: tuple[ast.AST, ...]) -> Iterator["Call"]:
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.Call):
                yield Call(".".join(path), child, Scope(self, scopes))
            further = (*path, child.name) if isinstance(child, (*_FUNCTIONS, ast.ClassDef)) else path
            inner = (child, *scopes) if isinstance(child, _FUNCTIONS) else scopes
            yield from self._calls(child, further, inner)


@dataclass(frozen=True)
class Scope:
    """
    Where a call is.

    Args:
        nodes: its function, those around it, and the module, innermost first.
        followed: names that were looked up on the way here; one may be set to something of itself.
    """

    module: Module
    nodes: tuple[ast.AST, ...]
    followed: frozenset[str] = frozenset()

    def following(self, name: str) -> "Scope":
        return replace(self, followed=self.followed | {name})

    def values(self, name: str) -> list[ast.expr]:
        """Return all that a name is set to; nothing where it is a parameter, or comes from another module."""
        for node in self.nodes:
            found = [value for target, value in _settings(node) if _has(target, name)]
            if found or (isinstance(node, _FUNCTIONS) and name in _parameters(node)):
                return found
        return []

    def returned(self, name: str) -> list[tuple[ast.expr | None, "Scope"]]:
        """Return what a function or method of the module gives back, each with the scope it is in."""
        made = [
            node for node in ast.walk(self.module.tree) if isinstance(node, _FUNCTIONS) and node.name == name
        ]
        return [
            (node.value, replace(self.following(name), nodes=(function, self.module.tree)))
            for function in made
            for node in ast.walk(function)
            if isinstance(node, ast.Return)
        ]


@dataclass(frozen=True)
class Call:
    """
    One call.

    Args:
        where: the module, classes and function that it is in.
    """

    where: str
    node: ast.Call
    scope: Scope

    @property
    def name(self) -> str:
        """The function's or method's own name, without what it is a part of."""
        return name_of(self.node)


def name_of(call: ast.Call) -> str:
    return getattr(call.func, "attr", None) or getattr(call.func, "id", "")


def modules() -> Iterator[Module]:
    """Yield the product's modules; migrations have run where they run, with no one's input."""
    for package in PACKAGES:
        for path in sorted((ROOT / package).rglob("*.py")):
            place = path.relative_to(ROOT).with_suffix("")
            if "migrations" not in place.parts and place.name not in PROGRAMS:
                name = ".".join(place.parts).removesuffix(".__init__")
                yield Module(name, ast.parse(path.read_text()), vars(importlib.import_module(name)))


def _settings(node: ast.AST) -> Iterator[tuple[ast.expr, ast.expr]]:
    for one in ast.walk(node):
        match one:
            case ast.Assign(targets=targets, value=value):
                yield from ((target, value) for target in targets)
            case ast.AnnAssign(target=target, value=ast.expr() as value):
                yield target, value
            case ast.AugAssign(target=target, value=value) | ast.NamedExpr(target=target, value=value):
                yield target, value
            case ast.For(target=target, iter=value) | ast.comprehension(target=target, iter=value):
                yield target, value


def _has(target: ast.expr, name: str) -> bool:
    """Say whether a target sets the name, or an item of what it represents."""
    if isinstance(target, ast.Subscript | ast.Starred):
        return _has(target.value, name)
    if isinstance(target, ast.Tuple | ast.List):
        return any(_has(each, name) for each in target.elts)
    return isinstance(target, ast.Name) and target.id == name


def _parameters(function: ast.FunctionDef) -> set[str]:
    return {one.arg for one in ast.walk(function.args) if isinstance(one, ast.arg)}
