"""
The check of a corrected payload, and the ends of its lines.

Source: docs/contributing/spec/bad_input.md, "Payloads".
"""

import re
from difflib import SequenceMatcher

from messages_app.core.problems import bad_field
from messages_app.shared.corrected_payloads import fault_of_correction

FIELD = "payload"

_ENDS = re.compile(r"\r\n|\r|\n")


def check_payload(payload: str, *, before: str) -> None:
    """
    Check a corrected payload.

    Raises:
        Problem: 400, with the field and the place of the fault.
    """
    if fault := fault_of_correction(payload, before=before):
        raise bad_field(FIELD, fault.code, fault.text)


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
