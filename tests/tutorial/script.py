"""
docs/tutorial.md as a script: the instructions, and the words that follow them, by the lines of the file.

In a section with a number, each sentence of a numbered list is one of INSTRUCTIONS. Below it, a quotation has
words of the page, a block of `bash` what is run in a terminal, and a block of `text` what that prints. "…" is
a part that varies. All other text explains, so it may not contain an instruction.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from markdown_it import MarkdownIt
from markdown_it.token import Token

FILE = Path(__file__).resolve().parent.parent.parent / "docs" / "tutorial.md"

_LABEL = r"\*(?P<name>[^*]+)\*"
# By the method of Reader (reader.py) that follows it.
INSTRUCTIONS: Mapping[str, re.Pattern[str]] = {
    deed: re.compile(words)
    for deed, words in {
        "prepare_command": r"Run this (?:in the folder of the clone|in the second terminal):",
        "open_second_terminal": r"Open a second terminal in the same folder\.",
        "run_copied_text": r"Paste it into the second terminal and press Enter\.",
        "interrupt": r"Press Ctrl-C in the first terminal\.",
        "open_address": r"Open the address in a browser\.",
        "open_entry": r"Open \*\*(?P<title>[^*]+)\*\* in the menu\.",
        "open_link": rf"Open {_LABEL}\.",
        "open_first": r"Open the first (?P<thing>[a-z]+) (?:of|on) the (?:list|page)\.",
        "press_first": rf"Press the first {_LABEL} on the page\.",
        "press": rf"Press {_LABEL}\.",
        "choose": rf"Choose {_LABEL}\.",
        "fill": rf"Enter `(?P<text>[^`]+)` in {_LABEL}\.",
        "fill_password": rf"Enter the printed password in {_LABEL}\.",
        "fill_number": rf"Enter the number of messages in {_LABEL}\.",
        "fill_query_line": r"Enter `(?P<text>[^`]+)` in the query line\.",
        "replace": rf"Replace `(?P<old>[^`]+)` with `(?P<new>[^`]+)` in {_LABEL}\.",
        "wait": r"Wait until you see:",
    }.items()
}
SEE, WAIT, RUN, PRINT = "see", "wait_for", "run", "check_output"

_STEP = re.compile(r"[0-9]+\. ")
_SENTENCE = re.compile(r"(?:\*\*[^*]+\*\*|\*[^*]+\*|`[^`]+`|[^*`.:])+(?:[.:]|$)")
# A sentence of an explanation that begins with such a word, or has one of the others, is an instruction.
_VERBS = (
    "Add Call Change Check Choose Clear Click Close Compare Confirm Copy Correct Create Drag Enter Fill Find"
    " Follow Go Keep Look Make Move Open Paste Press Read Reload Remove Repeat Replace Restart Return Run"
    " Scroll See Select Send Set Show Start Stop Switch Tick Try Type Undo Use Wait Watch Write"
)
_INSTRUCTS = re.compile(
    rf"(?:Now |Then |Next, |Finally, )?(?:{_VERBS.replace(' ', '|')})\b|.*\b(?:click|press|tick)\b"
)


class CannotFollow(Exception):
    """A line of the tutorial that the test cannot follow."""

    def __init__(self, number: int, text: str, why: str) -> None:
        super().__init__(f"docs/tutorial.md, line {number}: “{text}” {why}.")


@dataclass(frozen=True, kw_only=True)
class Line:
    """
    One thing that the reader does or sees.

    Args:
        number: of its line in the file.
        deed: the method of Reader, which takes the arguments.
    """

    number: int
    step: str
    text: str
    deed: str
    arguments: Mapping[str, str] = field(default_factory=dict)


def read_script(text: str) -> list[Line]:
    """
    Return the lines of a tutorial in the order in which they are followed.

    Raises:
        CannotFollow: a line is not one that the test can follow.
    """
    return list(_Parser(MarkdownIt().parse(text)).iterate_lines())


class _Parser:
    """Goes over the tokens of the text and knows in which step and which kinds of blocks it is."""

    def __init__(self, tokens: Sequence[Token]) -> None:
        self._tokens = tokens
        self._step = ""
        self._open: list[str] = []
        self._last: Line | None = None

    def iterate_lines(self) -> Iterator[Line]:
        for token in self._tokens:
            if token.type in {"inline", "fence"}:
                for line in self._read(token):
                    self._last = line
                    yield line
            elif token.nesting > 0:
                self._open.append(token.tag)
            elif token.nesting < 0:
                self._open.pop()
                self._check_end(token)

    def _check_end(self, token: Token) -> None:
        """Make sure that a point of a list ends with what the reader then sees."""
        is_of_step = token.tag == "li" and "ol" in self._open
        if is_of_step and self._last and self._last.deed not in {SEE, WAIT, PRINT}:
            raise CannotFollow(self._last.number, self._last.text, "has nothing that the reader then sees")

    def _read(self, token: Token) -> Iterator[Line]:
        number = (token.map or [0])[0] + 1
        if token.type == "fence":
            yield self._read_block(number, token)
        elif self._open[-1] in {"h1", "h2"}:
            self._step = token.content if _STEP.match(token.content) else ""
        elif "blockquote" in self._open:
            yield self._read_quotation(number, token)
        elif "ol" in self._open:
            yield from self._read_instructions(number, token)
        else:
            _check_explanation(number, token)

    def _read_block(self, number: int, token: Token) -> Line:
        text = token.content.strip()
        deed = {"bash": RUN, "text": PRINT}.get(token.info)
        if deed == RUN and self._follows("prepare_command"):
            return self._make_line(number, text, RUN, {"words": text})
        if deed == PRINT and self._follows(RUN, "run_copied_text", "interrupt"):
            return self._make_line(number, text, PRINT, {"words": text})
        raise CannotFollow(number, text, "is a block that no instruction leads to")

    def _read_quotation(self, number: int, token: Token) -> Line:
        text = _written(token)
        if self._last is None or self._last.step != self._step or not self._step:
            raise CannotFollow(number, text, "is a quotation that no instruction leads to")
        if re.search(r"[*`]", text):
            raise CannotFollow(number, text, "has markup, which the page does not show")
        deed = WAIT if self._follows("wait", WAIT) else SEE
        return self._make_line(number, text, deed, {"words": text})

    def _read_instructions(self, number: int, token: Token) -> Iterator[Line]:
        for offset, sentence in _sentences(token):
            yield self._read_instruction(number + offset, sentence)

    def _read_instruction(self, number: int, sentence: str) -> Line:
        if not self._step:
            raise CannotFollow(number, sentence, "is an instruction outside of a numbered section")
        for deed, pattern in INSTRUCTIONS.items():
            if match := pattern.fullmatch(sentence):
                return self._make_line(number, sentence, deed, match.groupdict())
        raise CannotFollow(number, sentence, "is not an instruction that the test can follow")

    def _make_line(self, number: int, text: str, deed: str, arguments: Mapping[str, str]) -> Line:
        return Line(number=number, step=self._step, text=text, deed=deed, arguments=arguments)

    def _follows(self, *deeds: str) -> bool:
        return self._last is not None and self._last.deed in deeds


def _check_explanation(number: int, token: Token) -> None:
    for offset, sentence in _sentences(token):
        plain = sentence.replace("**", "")
        if _INSTRUCTS.match(plain) or re.search(r"(?<!\*)\*[^*]+\*(?!\*)", sentence):
            raise CannotFollow(number + offset, sentence, "is an instruction outside of a numbered list")


def _sentences(token: Token) -> Iterator[tuple[int, str]]:
    """Yield each sentence with the number of line breaks before it."""
    text = _written(token, line_break="\n")
    for match in _SENTENCE.finditer(text):
        lead = match.group()[: len(match.group()) - len(match.group().lstrip())]
        sentence = re.sub(r"\s+", " ", match.group()).strip()
        if sentence:
            yield text.count("\n", 0, match.start()) + lead.count("\n"), sentence


_MARKS = {"em": "*", "strong": "**"}


def _written(token: Token, *, line_break: str = " ") -> str:
    """Return the text of a token with its emphasis and code, without links and pictures."""
    return "".join(_write(child, line_break) for child in token.children or ()).strip()


def _write(child: Token, line_break: str) -> str:
    if child.type == "code_inline":
        return f"`{child.content}`"
    if child.type in {"softbreak", "hardbreak"}:
        return line_break
    return _MARKS.get(child.tag, "") if child.nesting else child.content if child.type == "text" else ""
