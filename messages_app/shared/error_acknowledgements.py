"""
Acknowledgements of EDIFACT, ANSI X.12, HL7 and SWIFT: the codes and places of errors, without what is copied.

Control numbers, positions of segments and copies of data differ from message to message.
Source: docs/reference/failure_groups.md, "Bodies of answers".
"""

import re

from messages_app.shared.error_phrases import plain_words

# The elements of segments that are kept. Only complete segments are read, not prose about segments.
_EDIFACT = {
    "UCI": (4, 5, 6, 7),
    "UCF": (4, 5, 6, 7),
    "UCM": (2, 3, 4, 5, 6),
    "UCS": (2,),
    "UCD": (1, 2),
    "ERC": (1,),
    "FTX": (4,),
}
_X12 = {
    "TA1": (4, 5),
    "AK2": (1,),
    "AK3": (1, 3, 4),
    "IK3": (1, 3, 4),
    "AK4": (1, 2, 3),
    "IK4": (1, 2, 3),
    "AK5": (1, 2, 3, 4, 5),
    "IK5": (1, 2, 3, 4, 5),
    "AK9": (1, 5, 6, 7),
    "TED": (1, 2),
}
_EDIFACT_SEGMENT = re.compile(rf"(?<![\w+:])({'|'.join(_EDIFACT)})\+([^'\r\n]{{1,600}})'")
_X12_SEGMENT = re.compile(rf"(?<![\w*])({'|'.join(_X12)})\*([^~\r\n]{{1,600}})~")
_HL7_SEGMENT = re.compile(r"\b(MSA|ERR)\|([^\r\n]{0,600}?)(?=\s[A-Z][A-Z0-9]{2}\||[\r\n]|$)")
_SWIFT_CODE = re.compile(r"\{405:(\w{3})")
_TEXTS = ("FTX", "TED")
# Of ANSI X.12, the digit in the name of a segment decides what is kept of it.
NAMES_WITH_DIGITS = (b"AK0*", b"IK0*", b"TA0*", b"{000:")


def read_acknowledgement(text: str) -> str:
    """Return the segments of an acknowledgement without what differs between messages; empty without one."""
    if "+" in text and "'" in text and (segments := _EDIFACT_SEGMENT.findall(text)):
        return ", ".join(_plain_segment(name, content.split("+"), _EDIFACT) for name, content in segments)
    if "*" in text and (segments := _X12_SEGMENT.findall(text)):
        return ", ".join(_plain_segment(name, content.split("*"), _X12) for name, content in segments)
    if "{405:" in text and (codes := _SWIFT_CODE.findall(text)):
        return f"SWIFT NAK {', '.join(codes)}"
    if "MSA|" in text:
        return ", ".join(_plain_hl7(name, content.split("|")) for name, content in _HL7_SEGMENT.findall(text))
    return ""


def _plain_segment(name: str, elements: list[str], places: dict[str, tuple[int, ...]]) -> str:
    values = [elements[place - 1] for place in places[name] if place <= len(elements)]
    if name in _TEXTS:
        values = [plain_words(value) for value in values]
    return f"{name} {' '.join(filter(None, values))}"


def _plain_hl7(name: str, elements: list[str]) -> str:
    """Return code and text of MSA with the code of HL7 2.3; place, code and severity of ERR."""
    if name == "MSA":
        values = [elements[0], plain_words(" ".join(elements[2:3])), *elements[5:6]]
    else:
        values = elements[1:4] if len(elements) > 1 else elements
    return " ".join(filter(None, (name, *values)))
