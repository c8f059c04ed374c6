"""Programs in strings of the tests, which run in processes of their own: the names that they import exist."""

import ast
import importlib
import textwrap
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

from tests.support.locks import ROOT

_OURS = ("messages_app", "spark_tasks", "hubconsole", "tests", "benchmarks")


def find_stale_names(source: str) -> Iterator[str]:
    """Yield each name of ours that a program in one of a module's strings uses, and that does not exist."""
    for node in ast.walk(ast.parse(source)):
        match node:
            case ast.Constant(value=str(text)) if "import " in text:
                yield from _find_in_program(text)


def list_modules() -> list[Path]:
    """Return the modules of tests and benchmarks."""
    return sorted(path for folder in ("tests", "benchmarks") for path in (ROOT / folder).rglob("*.py"))


def _find_in_program(text: str) -> Iterator[str]:
    try:
        program = ast.parse(textwrap.dedent(text))
    except SyntaxError:  # A sentence, or a text of another language.
        return
    imported: dict[str, ModuleType] = {}
    for node in ast.walk(program):
        if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] in _OURS:
            for alias in node.names:
                value = _value_of(node.module or "", alias.name)
                if value is None:
                    yield f"{node.module}.{alias.name}"
                elif isinstance(value, ModuleType):
                    imported[alias.asname or alias.name] = value
    for node in ast.walk(program):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id in imported:
            module = imported[node.value.id]
            if not hasattr(module, node.attr):
                yield f"{module.__name__}.{node.attr}"


def _value_of(module: str, name: str) -> object:
    """Return what a module has under a name, or None."""
    for loaded, wanted in ((module, name), (f"{module}.{name}", "__name__")):
        try:
            if (value := getattr(importlib.import_module(loaded), wanted, None)) is not None:
                return value if loaded == module else importlib.import_module(loaded)
        except ImportError:
            continue
    return None
