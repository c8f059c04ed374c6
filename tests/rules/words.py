"""
Patterns of wording to avoid, and the prose of a template, a script, a module or a page that they search.

Source: docs/style.md, "English"
"""

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple


class Pattern(NamedTuple):
    """
    A regular expression for wording to avoid.

    Args:
        expression: matched case-insensitively against each line of prose.
        write: the wording to use instead.
        bad: an example that the expression must match.
    """

    expression: str
    write: str
    bad: str


PATTERNS = (
    Pattern(
        r"(?:^…?|\. )(?:who|whose)\b(?!.*\?)", "a noun first: users who …", "Who may read payloads sees them"
    ),
    Pattern(r"(?<!to )\bthose (?:who|that)\b", "the noun: messages that …", "Restart those that are FAILED"),
    Pattern(
        r"(?<!user postgres or )\b(?:whoever|nobody|somebody|everybody|anybody)\b",
        "anyone who, no one",
        "For whoever comes next",
    ),
    Pattern(r"\bstands?\b", "is, shows", "Every job will stand here"),
    Pattern(r"\b(?:lies|lives)\b", "is", "The file lies in the archive"),
    Pattern(r"\b(?:told|tells)\b", "shows, reports, notifies", "Nobody is told"),
    Pattern(r"\b(?:became|becomes?) of\b", "outcome", "What became of each message"),
    Pattern(
        r"\b(?:of before|of theirs|of ours|by now)\b", "earlier, their, now", "Failures of before the console"
    ),
    Pattern(r"\b(?:failed|fails?|done) so\b(?! far)", "with this error", "Restart all that failed so"),
    Pattern(r"\b(?:alike|after all|all the same)\b", "with the same error", "55 messages fail alike"),
    Pattern(r"\bso (?:many|few|often|long)\b", "up to N, at least N", "A share of at least so many"),
    Pattern(r"(?<!there )\b(?:is|are|was|were) no (?!longer\b|one\b)[a-z]", "is not a", "This is no address"),
    Pattern(r"(?<!there )\b(?:is|are|was|were) none\b", "is not a", "A number is none"),
    Pattern(r"\banew\b", "again", "Save it anew"),
    Pattern(r"\bbesides?\b", "also, in addition to, next to", "A code besides the password"),
    Pattern(r"\bat once\b", "immediately, at a time", "The entries expire at once"),
    Pattern(r", for (?:it|they|he|she|there)\b", "because", "By whom is not known, for they keep neither"),
    Pattern(r"\b(?:go|goes|went|gone) on\b", "continue", "The next page goes on"),
    Pattern(
        r"\b(?:is|are|was|were|go|goes|went|gone) through\b", "completed, succeeded", "It went through before"
    ),
    Pattern(r"\b(?:tries|(?:a|one|each|another|no further) try)\b", "attempts", "Too many tries"),
    Pattern(r"\b(?:for ever|for good)\b", "forever, permanently", "Messages that fail for good"),
    Pattern(r"\bby (?:itself|themselves|hand)\b", "automatically, on its own", "Nothing happens by itself"),
    Pattern(r"\bunder way\b", "in progress", "5 still under way"),
    Pattern(r"\blook(?:s|ed|ing)? (?:at|whether|again|through)\b", "check, search", "It was looked at"),
    Pattern(r"\bhow far\b|\bas it (?:came|stands)\b", "progress, default", "How far they are"),
    Pattern(r"\bthe own\b|\bone's\b", "their own, your own", "Changes the own password"),
    Pattern(r"\b(?:does|do) not hold\b|\bholds? no longer\b", "is not valid", "This code does not hold"),
    Pattern(r"\b(?:bell|knock|fates?|rehears\w*)\b", "notify, connect, outcome, dry run", "Rehearse first"),
    Pattern(r"\boutside systems?\b", "external system", "Outside systems called again"),
    Pattern(r"(?<![-(])\bcanar(?:y|ies)\b", "test batch", "First messages, as a canary"),
)
_COMPILED = [(re.compile(pattern.expression, re.IGNORECASE), pattern) for pattern in PATTERNS]

_DJANGO = re.compile(r"{%.*?%}|{{.*?}}", re.DOTALL)
_MARKUP = re.compile(r"<[^>]*>", re.DOTALL)
_COMMENT_TAG = re.compile(r"{% (?:end)?comment %}")
# A text in a template tag, such as the label given to an included template; names have no spaces.
_QUOTED = re.compile(r'"([^"]*)"')
# Attributes that browsers and screen readers show.
_SHOWN = re.compile(r'\b(?:title|aria-label|placeholder|alt|data-key-label)="([^"]*)"')
_CODE = re.compile(r"`[^`]*`|\([\w/]+\.(?:py|css|js)[^)]*\)")
_SQL = re.compile(
    r"\s*(?:SELECT|INSERT|UPDATE|DELETE|WITH|CREATE|ALTER|DROP|SET|LOCK|EXPLAIN|GRANT|REVOKE)\b"
)
# A block of code, and the address of a link.
_CODE_BLOCK = re.compile(r"^ *```.*?^ *```|^    .*?$", re.DOTALL | re.MULTILINE)
_LINK = re.compile(r"!?\[([^]]*)\]\([^)\s]*\)")
# What separates paragraphs, items, headings and the cells of a table; and the mark before an item or heading.
_BETWEEN = re.compile(r"\n(?=\s*\n|\s*[-*#|]|\s*\d+\. )|\|")
_HEADING = re.compile(r"^(#.*)$", re.MULTILINE)
_MARK = re.compile(r"^\s*(?:[-*#]+|\d+\.) ")
_IN_SCRIPT = re.compile(r'//\s*([^\n]*)|"([^"\n]* [^"\n]*)"|`([^`\n]* [^`\n]*)`')


def found_in(path: Path, text: str) -> list[str]:
    """Return "line of prose: write …" for each pattern that matches the prose of a file."""
    return [
        f"{line!r}: write {pattern.write}"
        for line in _PROSE[path.suffix](text)
        for expression, pattern in _COMPILED
        if expression.search(line)
    ]


def _of_template(text: str) -> Iterator[str]:
    """Yield each text that a page shows, and each comment; code in them is left out."""
    in_tags = [phrase for tag in _DJANGO.findall(text) for phrase in _QUOTED.findall(tag) if " " in phrase]
    text = _DJANGO.sub("…", _COMMENT_TAG.sub("\n", text))
    in_markup = [phrase for tag in _MARKUP.findall(text) for phrase in _SHOWN.findall(tag)]
    yield from _lines("\n".join([_MARKUP.sub("\n", text), *in_tags, *in_markup]))


def _of_script(text: str) -> Iterator[str]:
    """Yield each comment, and each string that has a space."""
    for comment, quoted, template in _IN_SCRIPT.findall(text):
        yield from _lines(comment or quoted or template)


def _of_module(text: str) -> Iterator[str]:
    """Yield each string that has a space, without docstrings and SQL; values in it are "…"."""
    tree = ast.parse(text)
    # An expression that is a string is a docstring; the parts of an f-string come with it.
    left_out = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr):
            left_out.update(map(id, node.values))
        if isinstance(node, ast.JoinedStr | ast.Constant) and id(node) not in left_out:
            written = _written(node)
            if " " in written and not _SQL.match(written):
                yield from _lines(written)


def _of_page(text: str) -> Iterator[str]:
    """Yield each paragraph, item, heading and cell of a Markdown page as one line, without code and links."""
    text = _HEADING.sub(r"\1\n", _LINK.sub(r"\1", _CODE_BLOCK.sub("\n", text)))
    for block in _BETWEEN.split(text):
        yield from _lines(" ".join(_MARK.sub("", block).split()))


def _written(node: ast.JoinedStr | ast.Constant) -> str:
    if isinstance(node, ast.JoinedStr):
        return "".join(part.value if isinstance(part, ast.Constant) else "…" for part in node.values)
    return node.value if isinstance(node.value, str) else ""


def _lines(text: str) -> Iterator[str]:
    for line in _CODE.sub("…", text).splitlines():
        if stripped := line.strip():
            yield stripped


_PROSE = {".html": _of_template, ".js": _of_script, ".py": _of_module, ".md": _of_page}
