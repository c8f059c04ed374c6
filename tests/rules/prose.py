"""
The prose of a file: the texts that a page shows, and those that only maintainers read.

Texts come one line each, without code. A page of the documentation is shown as a whole.
"""

import ast
import io
import re
import tokenize
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache
from pathlib import Path

_DJANGO = re.compile(r"{%.*?%}|{{.*?}}", re.DOTALL)
_MARKUP = re.compile(r"<[^>]*>", re.DOTALL)
_COMMENT_TAG = re.compile(r"{% (?:end)?comment %}")
# A text in a template tag, such as the label given to an included template; names have no spaces.
_QUOTED = re.compile(r'"([^"]*)"')
# Attributes that browsers and screen readers show.
_ATTRIBUTES = re.compile(r'\b(?:title|aria-label|placeholder|alt|data-key-label)="([^"]*)"')
_CODE = re.compile(r"`[^`]*`|\([\w/]+\.(?:py|css|js)[^)]*\)")
_SQL = re.compile(
    r"\s*(?:SELECT|INSERT|UPDATE|DELETE|WITH|CREATE|ALTER|DROP|SET|LOCK|EXPLAIN|GRANT|REVOKE)\b"
)
# A block of code, and the address of a link.
_CODE_BLOCK = re.compile(r"^ *```.*?^ *```|^    .*?$", re.DOTALL | re.MULTILINE)
_LINK = re.compile(r"!?\[([^]]*)\]\([^)\s]*\)")
# A label of a page, which is checked where the page has it.
_LABEL = re.compile(r"(?<![*\w])\*[^*\n]+\*(?!\*)")
# What separates paragraphs, items, headings and the cells of a table; and the mark before an item or heading.
_BETWEEN = re.compile(r"\n(?=\s*\n|\s*[-*#|]|\s*\d+\. )|\|")
_HEADING = re.compile(r"^(#.*)$", re.MULTILINE)
_MARK = re.compile(r"^\s*(?:[-*#]+|\d+\.) ")
_COMMENT = re.compile(r"((?:^[ \t]*--[^\n]*\n?)+)|/\*(.*?)\*/", re.DOTALL | re.MULTILINE)
# A comment on a line of its own, one behind a setting or a command, and what people read of a setting.
_HASH = re.compile(r"^\s*#[#!]?\s*(.*)$")
_TRAILING_HASH = re.compile(r"\s#\s+(.*)$")
_NAMED = re.compile(r"""^\s*-?\s*(?:name|description|Description)\s*[=:]\s*"?(.*?)"?$|\becho "([^"]*)\"""")
_TEST_NAME = re.compile(r"^ *(?:async )?def test_(\w+)", re.MULTILINE)
_IN_SCRIPT = re.compile(r'//\s*([^\n]*)|"([^"\n]* [^"\n]*)"|`([^`\n]* [^`\n]*)`')


def _of_template(text: str) -> Iterator[str]:
    """Yield each text that a page shows, and each comment; code in them is left out."""
    in_tags = [phrase for tag in _DJANGO.findall(text) for phrase in _QUOTED.findall(tag) if " " in phrase]
    text = _DJANGO.sub("…", _COMMENT_TAG.sub("\n", text))
    in_markup = [phrase for tag in _MARKUP.findall(text) for phrase in _ATTRIBUTES.findall(tag)]
    yield from _lines("\n".join([_MARKUP.sub("\n", text), *in_tags, *in_markup]))


def _of_script(text: str) -> Iterator[str]:
    """Yield each comment, and each string that has a space."""
    for comment, quoted, template in _IN_SCRIPT.findall(text):
        yield from _lines(comment or quoted or template)


def _of_module(text: str) -> Iterator[str]:
    """Yield each string that has a space, without docstrings and SQL; values in it are "…"."""
    nodes = _nodes_of(text)
    # An expression that is a string is a docstring; the parts of an f-string come with it.
    left_out = {id(node.value) for node in nodes if isinstance(node, ast.Expr)}
    for node in nodes:
        if isinstance(node, ast.JoinedStr):
            left_out.update(map(id, node.values))
        if isinstance(node, ast.JoinedStr | ast.Constant) and id(node) not in left_out:
            written = _written(node)
            if " " in written and not _SQL.match(written):
                yield from _lines(written)


@lru_cache(maxsize=1)
def _nodes_of(text: str) -> Sequence[ast.AST]:
    """Return the nodes of a module, for its texts and then for its comments."""
    return [*ast.walk(ast.parse(text))]


def _of_page(text: str) -> Iterator[str]:
    """Yield each paragraph, item, heading and cell of a Markdown page as one line, without code and links."""
    text = _HEADING.sub(r"\1\n", _LINK.sub(r"\1", _CODE_BLOCK.sub("\n", text)))
    for block in _BETWEEN.split(text):
        yield from _lines(_LABEL.sub("…", " ".join(_MARK.sub("", block).split())))


def _written(node: ast.JoinedStr | ast.Constant) -> str:
    if isinstance(node, ast.JoinedStr):
        return "".join(part.value if isinstance(part, ast.Constant) else "…" for part in node.values)
    return node.value if isinstance(node.value, str) else ""


def _lines(text: str) -> Iterator[str]:
    for line in _CODE.sub("…", text).splitlines():
        if stripped := line.strip():
            yield stripped


def _of_docstrings_and_comments(text: str) -> Iterator[str]:
    """Yield each paragraph of a docstring, and each comment of one or more lines, as one line."""
    for node in _nodes_of(text):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            yield from _paragraphs(_written(node.value))
    if "#" in text:
        yield from _comments(text)


def _comments(text: str) -> Iterator[str]:
    comments, last = [""], -1
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.COMMENT:
            words = token.string.lstrip("# ")
            is_continued = token.start[0] == last + 1 and token.line.lstrip().startswith("#")
            comments.append(f"{comments.pop()} {words}" if is_continued else words)
            last = token.start[0]
    for comment in comments:
        yield from _lines(comment)


def _of_marked_comments(text: str) -> Iterator[str]:
    """Yield each comment of SQL or CSS: lines that begin with "--", and what is between "/*" and "*/"."""
    for lines, block in _COMMENT.findall(text):
        yield from _lines(" ".join(re.sub(r"^\s*(?:--|\*)", "", lines or block, flags=re.MULTILINE).split()))


def _of_configuration(text: str) -> Iterator[str]:
    """Yield each comment that begins with "#", and each name and description of a setting."""
    comment: list[str] = []
    for line in text.splitlines():
        if alone := _HASH.match(line):
            comment.append(alone[1])
            continue
        yield from _lines(" ".join(comment))
        comment = []
        if behind := _TRAILING_HASH.search(line):
            yield from _lines(behind[1])
        if named := _NAMED.search(line):
            yield from _lines(named[1] or named[2] or "")
    yield from _lines(" ".join(comment))


def _of_test_names(text: str) -> Iterator[str]:
    """Yield the name of each test as a sentence."""
    for name in _TEST_NAME.findall(text):
        yield name.replace("_", " ")


def _paragraphs(text: str) -> Iterator[str]:
    for block in re.split(r"\n\s*\n|\n(?=\s*[-*] )|\n(?=\s*\w+: )", text):
        yield from _lines(" ".join(block.split()))


_SHOWN: Mapping[str, Callable[[str], Iterator[str]]] = {
    ".html": _of_template,
    ".js": _of_script,
    ".py": _of_module,
    ".md": _of_page,
}
_NOTES: Mapping[str, Callable[[str], Iterator[str]]] = {
    ".py": _of_docstrings_and_comments,
    ".sql": _of_marked_comments,
    ".css": _of_marked_comments,
}
# Files without a suffix are the Makefile and scripts of the shell.
_CONFIGURATION = {"", ".conf", ".service", ".toml", ".txt", ".yaml", ".yml"}
KINDS = {*_SHOWN, *_NOTES}


def shown(path: Path, text: str) -> list[str]:
    """Return the lines that a page, an answer or a command can show; of a script its comments too."""
    return list(_SHOWN[path.suffix](text)) if path.suffix in _SHOWN else []


def notes(path: Path, text: str) -> list[str]:
    """Return the docstrings, comments and names of tests of a module, or the comments of another file."""
    if path.suffix in _CONFIGURATION:
        return list(_of_configuration(text))
    tests = list(_of_test_names(text)) if path.suffix == ".py" else []
    return [*_NOTES[path.suffix](text), *tests] if path.suffix in _NOTES else []
