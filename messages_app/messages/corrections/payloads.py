"""
The check of a corrected payload, and the ends of its lines.

Source: docs/contributing/spec/bad_input.md, "Payloads".
"""

import re
from difflib import SequenceMatcher

from messages_app.core.problems import Problem, bad_field
from messages_app.payloads.content_types import BLANKS, HTML, JSON, XML, guess_type
from messages_app.payloads.json_check import Unreadable
from messages_app.payloads.payload_view import CHECKED_BYTES, check_text
from messages_app.shared.text_safety import MASK

FIELD = "payload"
# A larger text cannot be checked, and no one edits it in a browser.
MAX_EDITED_BYTES = CHECKED_BYTES

_NAMES = {XML: "XML", JSON: "JSON"}
_ENDS = re.compile(r"\r\n|\r|\n")


def check_payload(payload: str, *, before: str) -> None:
    """
    Check a corrected payload. If the original is XML or JSON, well-formed or not, the correction must be a
    well-formed text of the same type.

    Raises:
        Problem: 400, with the field and the place of the fault.
    """
    if problem := fault_of_payload(payload, before=before):
        raise problem


def fault_of_payload(payload: str, *, before: str) -> Problem | None:
    """Return why a payload cannot replace the payload `before`, or None."""
    if "\0" in payload:
        return bad_field(FIELD, "invalid_value", "The payload must not contain NUL characters.")
    try:
        size = len(payload.encode())
    except UnicodeEncodeError:
        return bad_field(FIELD, "invalid_value", "The payload has half of a surrogate pair.")
    if size > MAX_EDITED_BYTES:
        return bad_field(FIELD, "too_long", f"The payload must not exceed {MAX_EDITED_BYTES} bytes.")
    if MASK in payload and MASK not in before:
        text = f"The payload has masked values ({MASK}). Enter the real ones."
        return bad_field(FIELD, "masked", text)
    if payload == before:
        text = "The payload is unchanged. Restart the message to process it again as it is."
        return bad_field(FIELD, "unchanged", text)
    if not payload.strip(BLANKS):
        return bad_field(FIELD, "required", "The payload must not be empty.")
    return _fault_of_form(payload, guess_type(before), size)


def _fault_of_form(payload: str, old_type: str, size: int) -> Problem | None:
    if old_type not in _NAMES:
        return None
    new_type = guess_type(payload)
    if new_type != old_type and not (new_type == HTML and old_type == XML):
        return bad_field(FIELD, "other_type", f"The payload must be {_NAMES[old_type]}, as the original is.")
    try:
        check_text(payload, size=size)
    except Unreadable as fault:
        return bad_field(FIELD, "not_well_formed", str(fault))
    return None


def restore_line_ends(edited: str, *, before: str) -> str:
    """
    Give a text from a form the line ends of the original, because browsers send CRLF for each.

    Lines that are unchanged get their own line end, new ones the most frequent one of the original.
    """
    old_lines, old_ends = _ENDS.split(before), _ENDS.findall(before)
    new_lines = _ENDS.split(edited)
    usual = max(dict.fromkeys(old_ends), key=old_ends.count, default="\n")
    if len(set(old_ends)) <= 1:
        return usual.join(new_lines)
    ends = [usual] * (len(new_lines) - 1)
    matcher = SequenceMatcher(None, old_lines, new_lines, autojunk=False)
    for block in matcher.get_matching_blocks():
        for offset in range(block.size):
            if block.a + offset < len(old_ends) and block.b + offset < len(ends):
                ends[block.b + offset] = old_ends[block.a + offset]
    return "".join(line + end for line, end in zip(new_lines, [*ends, ""], strict=True))
