"""
The one rule for a corrected payload: of one message, and of each message of a job. Imports no Django code,
because executors use it.

Source: docs/contributing/spec/bad_input.md, "Payloads".
"""

from typing import NamedTuple

from messages_app.shared.markup import HTML, JSON, XML, check_text, guess_markup
from messages_app.shared.text_safety import MASK
from messages_app.shared.xml_parsing import BLANKS, CHECKED_BYTES, Unreadable

# A larger text cannot be checked, and no one edits it in a browser.
MAX_EDITED_BYTES = CHECKED_BYTES

UNCHANGED, MASKED, TOO_LONG = "unchanged", "masked", "too_long"

_NAMES = {XML: "XML", JSON: "JSON"}


class CorrectionFault(NamedTuple):
    """Why a payload cannot be sent. `line` and `column` are the place, from 1; 0 if it has none."""

    code: str
    text: str
    line: int = 0
    column: int = 0


def fault_of_correction(payload: str, *, before: str) -> CorrectionFault | None:
    """
    Return why a payload cannot replace the payload `before`, or None.

    If the original is XML or JSON, well-formed or not, the correction must be a well-formed text of the same
    type.
    """
    if "\0" in payload:
        return CorrectionFault("invalid_value", "The payload must not contain NUL characters.")
    try:
        size = len(payload.encode())
    except UnicodeEncodeError:
        return CorrectionFault("invalid_value", "The payload has half of a surrogate pair.")
    if size > MAX_EDITED_BYTES:
        return CorrectionFault(TOO_LONG, f"The payload must not exceed {MAX_EDITED_BYTES} bytes.")
    if MASK in payload and MASK not in before:
        text = f"The payload has masked values ({MASK}). Enter the real ones."
        return CorrectionFault(MASKED, text)
    if payload == before:
        text = "The payload is unchanged. Restart the message to process it again as it is."
        return CorrectionFault(UNCHANGED, text)
    if not payload.strip(BLANKS):
        return CorrectionFault("required", "The payload must not be empty.")
    return _fault_of_form(payload, guess_markup(before), size)


def _fault_of_form(payload: str, old_type: str, size: int) -> CorrectionFault | None:
    if old_type not in _NAMES:
        return None
    new_type = guess_markup(payload)
    if new_type != old_type and not (new_type == HTML and old_type == XML):
        return CorrectionFault("other_type", f"The payload must be {_NAMES[old_type]}, as the original is.")
    try:
        check_text(payload, size=size)
    except Unreadable as fault:
        return CorrectionFault("not_well_formed", str(fault), fault.line, fault.column)
    return None
