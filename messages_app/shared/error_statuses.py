"""The status of HTTP in error texts, in its many wordings."""

import re

from messages_app.shared.error_excerpts import split_error_name, split_hub_code
from messages_app.shared.error_hosts import URL, find_host, plain_url
from messages_app.shared.error_phrases import plain_words
from messages_app.shared.error_words import STATUS_NAMES, STATUS_REASONS, STATUS_WORDS

_REASONS = "|".join(
    re.escape(reason).replace(r"\ ", r"\s") for reason in sorted(STATUS_REASONS, reverse=True)
)
_REASON = re.compile(rf"\b(?:{_REASONS})\b:?", re.IGNORECASE)
_BETWEEN = r"""[\s:=(\['"]{0,3}"""
# Behind a word such as status, in front of its name as in "(404) Not Found", at the beginning of a text, or
# behind what a partner did: "returned 401".
_STATUS = re.compile(
    rf"""(?:\bhttp(?:/\d(?:\.\d)?)?|\bstatus[ _-]?code|\bresponse[ _]code|\bstatus|\berror:){_BETWEEN}
        (?:(?:error|status|code|response|is|was|of)\b{_BETWEEN}){{0,3}}(\d{{3}})\b(?![.-]\d)[\])]?
      | (?<![\w.-])(\d{{3}})\)?\s?[(\s-]{{1,3}}(?=(?:{_REASONS})\b)
      | ^[(\[]?(\d{{3}})[)\]]?(?=\s?(?:[:{{<]|-\s)|$|\sduring\s)
      | \b(?:returned|responded|replied|answered|got)\s(?:with\s)?(?:an?\s)?
        ([45]\d{{2}})(?=[:;,.{{]?(?:\s|$))(?!\s(?:rows?|records?|lines?|items?|bytes|ms|s)\b)
    """,
    re.VERBOSE | re.IGNORECASE,
)
_THREE_DIGITS = re.compile(r"\d{3}")
_WORD = re.compile(r"[^\W_][\w./-]*")


def describe_status(text: str, status: int | None = None) -> str:
    """
    Return the status that a text names, its host, and the words that say more; empty without a status.

    Args:
        status: of the body of the answer, if the text has none.
    """
    _, text = split_hub_code(text.strip())
    match = _STATUS.search(text) if _THREE_DIGITS.search(text) else None
    number = next(filter(None, match.groups())) if match else str(status or "")
    if match:
        text = f"{text[: match.start()]} {text[match.end() :]}"
    if not number:
        return ""
    name = STATUS_NAMES.get(int(number))
    words = f"{name} (HTTP {number})" if name else f"HTTP {number}"
    address = URL.search(text)
    host = plain_url(address) if address else find_host(text)
    text = f"{text[: address.start()]} {text[address.end() :]}" if address else text
    phrase = _telling_words(text.replace(host, " ") if host else text)
    return "".join((words, f" by {host}" if host else "", f": {phrase}" if phrase else ""))


def _telling_words(text: str) -> str:
    """Return a text without the words around a status, or nothing if no other words are in it."""
    plain = plain_words(_REASON.sub(" ", split_error_name(text.strip())[1]))
    words = (word.lower().strip(".:") for word in _WORD.findall(plain))
    return plain if any(word not in STATUS_WORDS for word in words) else ""
