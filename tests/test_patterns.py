"""
Every pattern of the product handles hostile text quickly.

Source: docs/contributing/spec/promises.md, S-38.
"""

import importlib
import pkgutil
import re
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.rules.sources import PACKAGES, PROGRAMS
from tests.support.locks import ROOT

SOURCES = [file for package in PACKAGES for file in (ROOT / package).rglob("*.py")]
LENGTH = 50_000
SECONDS = 0.1
# Text that slow patterns fail on: one thing repeated, and an end that does not match.
PIECES = [
    "a",
    "A",
    "0",
    " ",
    "\t ",
    "\n",
    ".",
    "-",
    "_",
    "/",
    "<",
    "<a ",
    "[",
    "{",
    '"',
    "'",
    ",",
    ":",
    "=",
    "%",
]
PIECES += [
    "&",
    "a ",
    "a.",
    "a-",
    "a_",
    "a/",
    "a=",
    "a,",
    "0.",
    "0:",
    "0-",
    "a0",
    "é",
    "ab:cd ",
    "--0 ",
    "\\n",
]
END = "\x00!"
# Patterns that take longer, and how much text the code hands them, with the reason why it can be no more.
BOUNDED = {
    "messages_app.shared.error_slots._POINTER": (900, "replace_slots cuts an error text before the match"),
}
# Tables of which one pattern is asked another way than the others.
WAYS = {
    "messages_app.shared.tokens._ENDS": ({"match"}, "of a string, the only one without a fixed text"),
}


def _patterns() -> Iterator[tuple[str, re.Pattern]]:
    """Give every pattern that a module has, in its tables too, under the name where it is defined first."""
    seen: set[int] = set()
    for name in sorted(_modules()):
        for held, value in vars(importlib.import_module(name)).items():
            for pattern in _within(value):
                if id(pattern) not in seen:
                    seen.add(id(pattern))
                    yield f"{name}.{held}", pattern


def _modules() -> Iterator[str]:
    for package in PACKAGES:
        for module in pkgutil.walk_packages(importlib.import_module(package).__path__, f"{package}."):
            if not module.name.endswith(PROGRAMS):
                yield module.name


def _within(value: object) -> Iterator[re.Pattern]:
    if isinstance(value, re.Pattern):
        yield value
    elif isinstance(value, dict):
        yield from _within([*value.keys(), *value.values()])
    elif isinstance(value, list | tuple | set | frozenset):
        for each in value:
            yield from _within(each)


def _ways(name: str) -> set[str]:
    """Return the methods that the product calls of a pattern, or of those in a table; all where none."""
    if name in WAYS:
        return WAYS[name][0]
    module, _, held = name.rpartition(".")
    files = [Path(importlib.import_module(module).__file__)] if held.startswith("_") else SOURCES
    called = re.compile(rf"\b{held}(?:\[\w+\])?\.(match|fullmatch|search|sub|subn|split|findall|finditer)\b")
    return {way for file in files for way in called.findall(file.read_text())} or {
        "match",
        "fullmatch",
        "search",
    }


def _slowest(name: str, pattern: re.Pattern, length: int) -> tuple[float, str]:
    """Return how many seconds of the processor the worst text takes, and what it is made of."""
    ways = _ways(name)
    return max((_seconds(pattern, ways, (piece * length)[:length] + END), piece) for piece in PIECES)


def _seconds(pattern: re.Pattern, ways: set[str], text: str) -> float:
    hostile = text.encode() if isinstance(pattern.pattern, bytes) else text
    began = time.thread_time()
    for way in ways & {"match", "fullmatch"}:
        getattr(pattern, way)(hostile)
    if ways - {"match", "fullmatch"}:
        for _ in pattern.finditer(hostile):
            pass
    return time.thread_time() - began


class TestPatterns:
    def test_are_all_found(self):
        names = {name for name, _ in _patterns()}
        assert len(names) > 30
        assert {*BOUNDED, *WAYS} <= names

    @pytest.mark.parametrize("name", BOUNDED)
    def test_would_take_longer_if_they_saw_less(self, name):
        pattern = dict(_patterns())[name]
        assert _slowest(name, pattern, LENGTH // 10)[0] > SECONDS / 10

    def test_take_no_time_for_hostile_text(self):
        slow = {}
        for name, pattern in _patterns():
            length, _ = BOUNDED.get(name, (LENGTH, ""))
            seconds, piece = _slowest(name, pattern, length)
            if seconds >= SECONDS:
                slow[name] = f"{seconds:.2f} s for {length} characters of {piece!r}"
        assert slow == {}
