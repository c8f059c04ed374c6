"""
Finds the citations in comments, docstrings and pages, and follows each to a file and heading.

A citation is `docs/contributing/spec/cp_queue.md, "Table", "Pickup"`, or with items
`docs/contributing/spec/promises.md, I-28, S-40` and `docs/contributing/spec/cleverbus.md, "Restart and
cancel" points 3 and 4`. `Source:` is followed by citations or by a public standard.
"""

import ast
import io
import re
import tokenize
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parent.parent.parent
_SUFFIXES = {".py", ".sql", ".html", ".js", ".css", ".md", ".toml"}
# What the tests say of bad input may name a row alone: `# J62`.
_ROWS_ALONE = ("tests/",)

_NUMBER = r"[FIRS]-\d+"
_ROW = r"(?:FL|[ADHJQTX])\d{2}"
_ITEM = rf"(?:{_NUMBER}|{_ROW})"
_PART = r"(?: (?:cases?|points?|rules|steps?) \d+(?:(?:, | and | to )\d+)*)"
_HEADING = rf'"[^"]+"{_PART}?(?: \([^()]*\))?'
_FILE = r"docs/[\w/-]+\.md"
_WHERE = rf"(?:,? (?:(?<=, ){_HEADING}|(?<=, ){_ITEM}(?: to {_ITEM})?))*"
_CITATION = re.compile(rf"(?P<file>{_FILE})(?P<where>{_WHERE})")
_SOURCE = re.compile(r"\bSources?(?: of [a-z ]+)?: ")
_SOURCES = re.compile(
    r"{one}(?:; {one})*(?:[.)`]|$)".replace(
        "{one}", rf"(?:{_FILE}{_WHERE}|RFC \d+(?:, \d+)?|draft-[a-z-]+|https://\S+)"
    )
)
# A file of documentation without its folder, or with another one.
_OTHER_FILE = re.compile(r"(?<![\w./<-])(?!docs/)[\w./-]+\.md\b|\bdecisions/\d{4}\b(?!-)")
# A program or template, by its name or the end of its path.
_PROGRAM = re.compile(r"(?<![\w./*<{-])(?:[\w.-]+/)*[\w-]+\.(?:py|sql|html|css|js)(?![\w*.]\w|\*)")
# What a file without any citation has nowhere.
_SUSPECT = re.compile(rf"Sources?\b|\.(?:md|py|sql|html|css|js)\b|decisions/|{_ITEM}")
# The standard ASC X12 has the name of a row.
_LOOSE = re.compile(rf"(?<![\w-])(?<!ASC )(?:{_NUMBER}|{_ROW})(?![\w-])")


@dataclass(frozen=True)
class Fault:
    """A citation that leads nowhere, and why."""

    place: str
    text: str
    reason: str

    def __str__(self) -> str:
        return f"{self.place}: {self.text}: {self.reason}"


def files() -> Iterator[Path]:
    """Yield the files of product, tests and documentation that may cite, all but hidden folders and var."""
    for path in sorted(ROOT.iterdir()):
        if path.is_dir() and not path.name.startswith(".") and path.name != "var":
            yield from (file for file in sorted(path.rglob("*")) if file.suffix in _SUFFIXES)
        elif path.suffix in _SUFFIXES:
            yield path


def prose(path: Path) -> Iterator[str]:
    """Yield the comments and docstrings of a program, or all of a page, each on one line."""
    text = path.read_text(encoding="utf-8")
    if not _SUSPECT.search(text):
        return
    if path.suffix == ".py":
        yield from (_joined(part) for part in (*_docstrings(text), *_comments(text)))
    elif path.suffix == ".md":
        text = re.sub(r"^ *```.*?^ *```", "", text, flags=re.DOTALL | re.M)
        yield _joined(re.sub(r"\[[^\]]*\]\([^)]*\)", "", text))  # test_docs.py follows links
    else:
        kinds = r"(?:^[ \t]*(?:--|#|//)[^\n]*\n?)+|/\*.*?\*/|\{#.*?#\}|\{% comment %\}.*?\{% endcomment %\}"
        marks = r"^[ \t]*(?:--|#|//|\*(?!/))|\{[#%]|[#%]\}|/\*|\*/"
        for part in re.finditer(kinds, text, re.DOTALL | re.MULTILINE):
            yield _joined(re.sub(marks, "", part.group(), flags=re.MULTILINE))


def _docstrings(text: str) -> Iterator[str]:
    for node in _statements(ast.parse(text)):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            yield ast.get_docstring(node) or ""


def _statements(node: ast.AST) -> Iterator[ast.AST]:
    """Yield a module and its statements, but not the many parts of expressions."""
    yield node
    for child in ast.iter_child_nodes(node):
        if not isinstance(child, ast.expr):
            yield from _statements(child)


def _comments(text: str) -> Iterator[str]:
    """Yield comments; those in lines below each other are one."""
    # Reading a file's tokens takes longer than all other work on it.
    if not any(map(_SUSPECT.search, re.findall("#.*", text))):
        return
    block, last = [], -2
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.COMMENT:
            row, column = token.start
            is_alone = not token.line[:column].strip()
            if not (is_alone and row == last + 1):
                yield " ".join(block)
                block = []
            block.append(token.string.lstrip("# "))
            last = row if is_alone else -2
    yield " ".join(block)


def _joined(text: str) -> str:
    return re.sub(r"\s+", " ", text)


def faults_of(text: str, *, place: str) -> Iterator[Fault]:
    """Yield what is wrong with the citations in a text of one line."""
    cited = list(_CITATION.finditer(text))
    for found in cited:
        yield from _faults_of_citation(found, place)
    for found in _SOURCE.finditer(text):
        if not _SOURCES.match(text, found.end()):
            yield Fault(place, text[found.start() : found.end() + 80], "has more than citations")
    for found in _OTHER_FILE.finditer(text):
        if not _is_a_file(found.group(), place):
            yield Fault(place, found.group(), "is not in the repository")
    if not place.endswith(".md"):
        for found in _PROGRAM.finditer(text):
            if found.group() not in _ends_of_paths():
                yield Fault(place, found.group(), "is not in the repository")
    for found in _LOOSE.finditer(text):
        if not any(one.start() <= found.start() < one.end() for one in cited):
            yield from _faults_of_loose(found.group(), place)


def sources_in(text: str) -> int:
    """Return how many statements of sources a text of one line has."""
    return len(_SOURCE.findall(text))


def _faults_of_citation(found: re.Match, place: str) -> Iterator[Fault]:
    path = ROOT / found["file"]
    if not path.is_file():
        yield Fault(place, found.group(), "no such file")
        return
    page = _page(path)
    where = re.sub(r"\([^()]*\)", "", found["where"])
    for heading, part in re.findall(rf'"([^"]+)"({_PART})?', where):
        if page.headings.count(heading) != 1:
            yield Fault(place, found.group(), f'{page.headings.count(heading)} headings "{heading}"')
        elif missing := set(_numbers(part)) - page.parts(heading):
            yield Fault(place, found.group(), f'no {sorted(missing)} in "{heading}"')
    for item in re.findall(_ITEM, re.sub(r'"[^"]+"', "", where)):
        if item not in page.items:
            yield Fault(place, found.group(), f"no item {item}")


def _faults_of_loose(item: str, place: str) -> Iterator[Fault]:
    """Pages of documentation define items, and tests may name a row alone; no one else may."""
    if place.startswith("docs/contributing/spec/"):
        if item not in _all_items():
            yield Fault(place, item, "no such item")
    elif place.startswith(_ROWS_ALONE) and re.fullmatch(_ROW, item):
        if item not in _all_items():
            yield Fault(place, item, "no such row")
    else:
        yield Fault(place, item, "names no file")


def _is_a_file(name: str, place: str) -> bool:
    """Whether a name is a file: of the root, or next to a page that names it."""
    beside = (ROOT / place).parent if place.endswith(".md") else ROOT
    return (ROOT / name).is_file() or (beside / name).is_file()


@cache
def _ends_of_paths() -> frozenset[str]:
    """Return all paths in the repository, each also without its first folders."""
    paths = (file.relative_to(ROOT).parts for file in files())
    return frozenset("/".join(parts[start:]) for parts in paths for start in range(len(parts)))


def _numbers(part: str) -> Iterator[int]:
    for first, last in re.findall(r"(\d+)(?: to (\d+))?", part):
        yield from range(int(first), int(last or first) + 1)


@dataclass(frozen=True)
class _Page:
    text: str
    headings: tuple[str, ...]
    items: frozenset[str]

    def parts(self, heading: str) -> set[int]:
        """Return the numbers of the list or table below a heading."""
        start = re.search(rf"^#+ {re.escape(heading)}$", self.text, re.MULTILINE)
        assert start
        below = re.split(r"^#+ ", self.text[start.end() :], maxsplit=1, flags=re.MULTILINE)[0]
        return {int(number) for number in re.findall(r"^(?:\| )?(\d+)(?:\.| \|)", below, re.MULTILINE)}


@cache
def _page(path: Path) -> _Page:
    text = path.read_text(encoding="utf-8")
    headings = re.findall(r"^#+ (.+)$", text, re.MULTILINE)
    items = re.findall(rf"^(?:- \*\*|\| )({_ITEM})(?:\*\*| \|)", text, re.MULTILINE)
    assert len(items) == len(set(items)), path
    return _Page(text, tuple(heading.replace("`", "") for heading in headings), frozenset(items))


@cache
def _all_items() -> frozenset[str]:
    return frozenset().union(*(_page(path).items for path in (ROOT / "docs/contributing/spec").glob("*.md")))
