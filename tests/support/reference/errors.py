"""The page of the error codes, from their only list."""

from messages_app.core.problem_codes import PROBLEM_CODES
from tests.support.reference.markdown import write_page, write_paragraph, write_table

_INTRODUCTION = (
    "Every error response is `application/problem+json` (RFC 9457): `type`, `title`, `status`, `code`,"
    " `detail`, `request_id`, and for bad input `errors`, one entry for each field with `field`, `code`,"
    " `message`. Programs should use the codes, which are added but never renamed. `detail` and `message` are"
    " for people and may change. Pages show the same text with the same status, under a title in words."
)
_ON_REPEATING = (
    "After a 503 or a lost answer, repeat the POST with the same `Idempotency-Key`: it is executed once."
)


def write_errors() -> str:
    """Return the page of the error codes."""
    rows = [(str(one.status), f"`{one.code}`", one.meaning, one.remedy) for one in PROBLEM_CODES]
    return write_page(
        "Error codes of the API",
        write_paragraph(_INTRODUCTION),
        write_table(("status", "code", "meaning", "what to do"), rows),
        write_paragraph(_ON_REPEATING),
    )
