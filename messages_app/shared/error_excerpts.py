"""
Finds the innermost error of an error text, and the place in the program where it was thrown.

Source: docs/reference/failure_groups.md, "Which part is read".
"""

import re
from typing import NamedTuple

# The longest texts that are read: of an error without a stack trace, of the innermost error of a stack trace,
# of the outermost, and of the lines of a stack trace.
HEAD, INNER, OUTER, FRAMES = 2_000, 1_000, 500, 400

_CAUSED_BY = "\nCaused by: "
_CAUSE_OF_SCRIPT = "[cause]: "
# The beginnings of the lines of a stack trace in Java, .NET and JavaScript.
_FRAME_STARTS = ("\n\tat ", "\n   at ", "\n    at ")
# Ways to write the inner error on the line of the outer one. The last is the innermost.
_INLINE = (
    "nested exception is ",
    " ---> ",
    "(Caused by ",
    "Caused by: ",
    "caused by: ",
    "Root cause: ",
    "root cause is ",
)
# The code of the hub in front of its texts.
_HUB_CODE = re.compile(r"[A-Z]{1,4}\d{1,4}:\s?")
_TRACEBACK = "Traceback (most recent call"
_END_OF_INNER = "--- End of inner exception stack trace"
# A line of a stack trace in Java, Kotlin, .NET, JavaScript and Python, or the number of lines left out.
_FRAME = re.compile(r"\s{1,20}(?:at |\.\.\. |File \"|in )")
# The method of a line in Java or .NET.
_METHOD = re.compile(r"^[ \t]{1,20}at (?:async )?([\w$./@<>]{3,200})\(", re.MULTILINE)
_LIBRARIES = ("java.", "java.base", "javax.", "jdk.", "sun.", "System.", "Microsoft.", "com.sun.", "kotlin.")
_CLASS = r"(?:[A-Za-z_$][\w$]{0,80}\.){0,12}[A-Z][\w$]{0,80}"
# The hub puts the innermost error in brackets behind its own description.
_IN_BRACKETS = re.compile(r" \(((?:[a-z_]\w{0,60}\.){1,12}[A-Z][\w$]{0,80}): ")
# Others put it behind words: "Exhausted after delivery attempt: 1 caught: java.net.SocketException: reset".
_NAMED = re.compile(
    r"(?<=[\s:\[(])(?:[a-z_]\w{0,60}\.){2,12}[A-Z][\w$]{0,80}(?:Exception|Error|Fault)(?=[:;]\s| - )"
)
_ERROR_NAME = re.compile(rf"({_CLASS})(?: \([^()]{{1,40}}\)| \[[^\[\]]{{1,40}}\])?(?::\s+|;\s|\s-\s|:?\s*$)")
# Where in a document a parser of XML stopped.
_PARSED = re.compile(r"(?:(?:publicId|systemId|lineNumber|columnNumber): [^;]{0,300};\s?){1,4}")
_PYTHON_NAME = re.compile(r"(?:[a-z_]\w{0,60}\.){1,6}([a-z]{0,40}(?:error|timeout))(?::\s+|\s*$)")
_ENDINGS = ("Exception", "Error", "Fault", "Failure", "Warning", "Violation", "Interrupt", "Timeout")


class Excerpt(NamedTuple):
    """
    The parts of an error text that are read for its cause.

    Attributes:
        error_name: the simple name of the innermost class, such as SocketTimeoutException, or empty.
        message: the text of the innermost error.
        outer: the text around it, outermost first.
        frames: its stack trace.
    """

    error_name: str
    message: str
    outer: str
    frames: str


def shorten_error(text: str) -> str:
    """
    Return the part of an error text that is read. failure_excerpt() in the database returns the same part.

    That is the beginning of the outermost and of the innermost error, each with a few lines of its stack
    trace. Of a traceback of Python it is the end.
    """
    place = text.rfind(_CAUSED_BY)
    if place >= 0:
        return _cut_frames(text[: min(place, HEAD)], 0)[:OUTER] + _cut_frames(
            text[place : place + INNER], FRAMES
        )
    if _TRACEBACK in text[:HEAD]:
        return f"{_TRACEBACK}\n{text[-INNER:]}" if len(text) > HEAD else text
    return _cut_frames(text[:HEAD], FRAMES)


def _cut_frames(text: str, most: int) -> str:
    """Return the lines before a stack trace, and the first `most` characters of the trace."""
    place = _find_frames(text)
    return text if place < 0 else text[: place + most]


def _find_frames(text: str) -> int:
    """Return the place of the first line of a stack trace, or -1."""
    first = -1
    for start in _FRAME_STARTS:
        place = text.find(start) if first < 0 else text.find(start, 0, first)
        first = place if place >= 0 else first
    return first


def split_frames(text: str) -> tuple[str, str]:
    """
    Split the lines of the last stack trace from what `shorten_error()` returns.

    JavaScript prints the inner error behind the stack trace; it becomes a line of Java.
    """
    place = _find_frames(text)
    if place < 0 or _TRACEBACK in text:
        return text, ""
    head, frames = text[:place], text[place:]
    _, separator, cause = frames.partition(_CAUSE_OF_SCRIPT)
    return split_frames(f"{head}{_CAUSED_BY}{cause}") if separator else (head, frames)


def cut_excerpt(text: str, frames: str = "") -> Excerpt:
    """Return the innermost error of a text from `split_frames()`."""
    outer, separator, inner = text.rpartition(_CAUSED_BY)
    if not separator and _TRACEBACK in text:
        inner = _last_line(text)
    before, message = _split_inline(_without_frames(inner))
    error_name, message = split_error_name(message)
    return Excerpt(error_name, message.strip(), f"{_without_frames(outer)} {before}".strip(), frames)


def _last_line(text: str) -> str:
    """Return the last line of a traceback of Python that is not indented, with the lines below it."""
    lines = text.rstrip().split("\n")
    first = next((n for n in range(len(lines) - 1, -1, -1) if lines[n][:1].strip()), 0)
    while first and lines[first - 1][:1].strip() and not lines[first - 1].startswith(_TRACEBACK):
        first -= 1
    return "\n".join(lines[first:])


def _without_frames(text: str) -> str:
    """Return the lines that are not of a stack trace, joined by spaces."""
    if "\n" not in text:
        return text.strip()
    lines = []
    for line in text.split("\n"):
        if _FRAME.match(line):
            # Jackson names the field behind the place in its text.
            _, separator, chain = line.partition("(through reference chain: ")
            lines += [separator + chain] if separator else []
        elif _END_OF_INNER not in line:
            lines.append(line.strip())
    return " ".join(filter(None, lines))


def _split_inline(text: str) -> tuple[str, str]:
    """Split a line before its innermost error."""
    place, length = max([(text.rfind(mark), len(mark)) for mark in _INLINE])
    if place >= 0:
        inner = text[place + length :]
        if inner.startswith("["):  # of Camel: Caused by: [a.BException - text]
            return text[:place], inner.removeprefix("[").removesuffix("]")
        return text[:place], inner.removesuffix(")") if text[place] == "(" else inner
    brackets = list(_IN_BRACKETS.finditer(text)) if " (" in text else []
    if not brackets:
        return _split_named(text)
    inner, _, rest = text[brackets[-1].start(1) :].rpartition(")")
    return f"{text[: brackets[-1].start()]} {rest}", inner or rest


def _split_named(text: str) -> tuple[str, str]:
    """Split a line before the last error that has the full name of a class."""
    place = 0
    if any(ending in text for ending in _ENDINGS[:3]):
        for match in _NAMED.finditer(text):
            place = match.start()
    inner = text[place:]
    if text[:place].rstrip().endswith("["):
        inner = inner.partition(" ]")[0] if " ]" in inner else inner.rpartition("]")[0] or inner
    return text[:place].strip(" ["), inner


def split_error_name(text: str) -> tuple[str, str]:
    """Split the names of classes at the beginning from the text; return the simple name of the last one."""
    error_name = ""
    if match := _PYTHON_NAME.match(text):
        error_name, text = match[1], text[match.end() :]
    while match := _ERROR_NAME.match(text):
        package, _, simple = match[1].rpartition(".")
        is_named = bool(package) and match[0].rstrip().endswith(":")
        if (
            not is_named
            and not simple.rpartition("$")[0].endswith(_ENDINGS)
            and not simple.endswith(_ENDINGS)
        ):
            break
        error_name, text = simple, text[match.end() :]
        if parsed := _PARSED.match(text):
            text = text[parsed.end() :]
    return error_name, text


def split_hub_code(text: str) -> tuple[str, str]:
    """Split the code of the hub, such as "E103:", from a text."""
    match = _HUB_CODE.match(text)
    return (match[0].strip(), text[match.end() :]) if match else ("", text)


def place_of(frames: str) -> str:
    """Return class and method of the first line of a stack trace that is not a library's, or nothing."""
    for match in _METHOD.finditer(frames):
        if not match[1].startswith(_LIBRARIES):
            return _simple_place(match[1])
    return ""


def _simple_place(name: str) -> str:
    """Return class and method without packages, generated names and numbers of lambdas."""
    class_name, _, method = name.rpartition("/")[2].rpartition(".")
    method = re.sub(r"^lambda\$|\$\d+$", "", method)
    return f"{class_name.rpartition('.')[2].partition('$$')[0]}.{method}"
