"""
Splits HL7, EDIFACT, ASC X12, TRADACOMS and SWIFT messages into segments, each with its name in the standard's
words.

A message declares its delimiters at its beginning: in MSH, UNA or ISA. They apply to all pieces of a large
message. Those of TRADACOMS are fixed. The rules are in chapter 2.5 of HL7 Version 2.5.1, ISO 9735-1, ASC X12,
the TRADACOMS manual of the Article Number Association, and the standards of SWIFT MT.
"""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

_BLANKS = "\ufeff \t\r\n\x0b"
_END_OF_LINES = r"(?:\r\n|\r|\n)"
# ISA has a fixed length, so its last character is the terminator of all segments.
_ISA_LENGTH = 106
_DEFAULT_SERVICE_STRING = ":+.? '"
# The names of common segments and fields by their tags, in the words of HL7 Version 2.5.1, UN/EDIFACT D.01B
# with ISO 9735, ASC X12 004010, TRADACOMS (ANA 1), and SWIFT MT of the categories 1, 2 and 9.
_NAMES: Mapping[str, Mapping[str, str]] = json.loads(
    Path(__file__).with_name("segment_names.json").read_text(encoding="utf-8")
)


class Segment(NamedTuple):
    """
    One segment.

    Args:
        text: the segment with its terminator.
        end: the characters without a meaning that follow it: line ends or, in HL7, the terminator.
        tag: its tag; `name`: its name in the standard's words; both may be empty.
    """

    text: str
    end: str
    tag: str
    name: str

    @property
    def title(self) -> str:
        return f"{self.tag} {self.name}".rstrip()


@dataclass(frozen=True)
class Format:
    """
    The format of one message.

    Args:
        standard: its name for people.
        content_type: its type; RFC 1767 has those of EDIFACT, ASC X12 and other EDI, such as TRADACOMS.
        pattern: matches one segment, in the groups text and end.
        tag: matches the tag of a segment.
    """

    standard: str
    content_type: str
    pattern: re.Pattern[str]
    tag: re.Pattern[str]

    def split_segments(self, text: str) -> Iterator[Segment]:
        """Yield the segments of a text, or of a piece of it. Their texts and ends add up to the text."""
        for match in self.pattern.finditer(text):
            if match.group():
                yield self._make_segment(match["text"], match["end"])

    def _make_segment(self, text: str, end: str) -> Segment:
        match = self.tag.match(text)
        tag = match.group().strip(_BLANKS) if match else ""
        return Segment(text, end, tag, _NAMES[self.standard].get(tag, ""))


_THREE = re.compile(r"\A\s*+[A-Z][A-Z0-9]{2}(?![A-Za-z0-9])")
_TWO_OR_THREE = re.compile(r"\A\s*+[A-Z][A-Z0-9]{1,2}(?![A-Za-z0-9])")
_HL7 = Format(
    "HL7 v2",
    "x-application/hl7-v2+er7",
    re.compile(rf"(?P<text>[^\r\n]*+)(?P<end>{_END_OF_LINES}*+)"),
    _THREE,
)
_SWIFT = Format(
    "SWIFT MT",
    "text/x-swift-mt",
    re.compile(
        r"(?P<text>\{4:|\{[1235S]:(?:[^{}]|\{[^{}]*+\})*+\}|-\}"
        r"|[^\r\n{]++(?:\r?\n(?!:[0-9]{2}[A-Z]?:|-\}|\{)[^\r\n{]++)*|.)(?P<end>[\r\n]*+)",
        re.DOTALL,
    ),
    re.compile(r"\{[1-5]:|:[0-9]{2}[A-Z]?:|-\}"),
)
_TRADACOMS = Format(
    "TRADACOMS",
    "application/EDI-Consent",
    re.compile(r"(?P<text>(?:[^'?]|\?(?:.|\Z))*+'?+)(?P<end>[\r\n]*+)", re.DOTALL),
    _THREE,
)
_HL7_START = re.compile(r"(?:MSH|FHS|BHS)[^\w\s]")
_EDIFACT_START = re.compile(r"UN[BH]\+")
_TRADACOMS_START = re.compile(r"STX=ANAA?:[0-9]")
_SWIFT_START = re.compile(r"\{1:[A-Z][0-9]{2}|:20:[^\r\n]*+\r?\n:[0-9]{2}[A-Z]?:")


def format_of(text: str) -> Format | None:
    """Return the format of a message, from its beginning; None if it has no segments."""
    start = text[:400].lstrip(_BLANKS)
    if _HL7_START.match(start):
        return _HL7
    if start.startswith("UNA") and len(start) >= 9:
        return _edifact_format(start[3:9])
    if _EDIFACT_START.match(start):
        return _edifact_format(_DEFAULT_SERVICE_STRING)
    if start.startswith("ISA") and len(start) >= _ISA_LENGTH and not start[3].isalnum():
        return _x12_format(start[_ISA_LENGTH - 1])
    if _TRADACOMS_START.match(start):
        return _TRADACOMS
    return _SWIFT if _SWIFT_START.match(start) else None


def _edifact_format(service_string: str) -> Format:
    release, terminator = service_string[3], service_string[5]
    # A blank means that the interchange has no release character.
    released = "" if release == " " else rf"|{re.escape(release)}(?:.|\Z)"
    plain = rf"[^{re.escape(terminator)}{'' if release == ' ' else re.escape(release)}]"
    # The service string advice has the terminator as one of its characters, and is nine characters long.
    pattern = rf"(?P<text>\s*+UNA.{{6}}|(?:{plain}{released})*+{re.escape(terminator)}?+)(?P<end>[\r\n]*+)"
    return Format("EDIFACT", "application/EDIFACT", re.compile(pattern, re.DOTALL), _THREE)


def _x12_format(terminator: str) -> Format:
    pattern = rf"(?P<text>[^{re.escape(terminator)}]*+{re.escape(terminator)}?+)(?P<end>[\r\n]*+)"
    return Format("X12", "application/EDI-X12", re.compile(pattern), _TWO_OR_THREE)
