"""
Codes of products whose texts have many wordings around them: the code names the cause, the wording does not.

Source: docs/reference/failure_groups.md, "What is kept".
"""

import re

from messages_app.shared.error_phrases import plain_words, words_of_code

_MQ = re.compile(r"\breason (?:code )?['\"]?(\d{4})\b", re.IGNORECASE)
_LDAP = re.compile(r"LDAP: error code (\d{1,3})(?: - (?:[0-9A-F]{8}: )?([^,:;\]]{0,100}))?")
_DIRECTORY = re.compile(r"AcceptSecurityContext error, data (\w{1,8})")
_AMQP = re.compile(
    r"""(?:reply-code=|\(|\bcode=)(\d{3}), ?(?:reply-text=|reason=|text=)?(['"])?"""
    r"""([A-Z_]{5,40} - [^\n]{1,300}?)(?=(?(2)\2|,? ?(?:class-id|classId|initiated by)\b)|$)"""
)
_REPLY = re.compile(r"(?:error_(?:perm|temp)|failed): (\d{3})[ -](.{1,200}?)\.?(?: Code: \d{3})?$")
_DISPOSITION = re.compile(
    r"(?:processed|failed)/(?:error|failure|warning)\b[:/]? ?([\w -]{3,60})", re.IGNORECASE
)
_MAIL = re.compile(r"\b(\d{3})\b['\", b#-]{0,5}(\d\.\d{1,3}\.\d{1,3})\b([^\n]{0,300}?)(?:'[,)]|$)")
_AWS = re.compile(r"^(\w{1,80}): ([^\n]{1,300}?) \(Service: (\w{1,40}), Status Code: \d{3}, Request ID")
_GRPC = re.compile(
    r"\bcode = (\w{2,30}) desc = ([^\n]{0,300})|Status(?:Runtime)?Exception: ([A-Z_]{2,30}): ([^\n]{1,300})"
)
_MARKS = " '\"){}:-,"
_CLOUD = re.compile(
    r"\b[Ee]rror ?Code[:=] ?([A-Z][A-Za-z_.]{4,60})\b|\bAn error occurred \(([A-Z]\w{3,60})\) when calling"
)


def describe_code(text: str) -> str:
    """Return the cause that such a code names; empty if a text has none."""
    lower = text.lower()
    if "reason" in lower and "mq" in lower and (match := _MQ.search(text)):
        return f"IBM MQ reason {match[1]}"
    if "LDAP: error code" in text and (match := _LDAP.search(text)):
        data = _DIRECTORY.search(text)
        words = f", data {data[1]}" if data else f": {plain_words(match[2])}" if match[2] else ""
        return f"LDAP error code {match[1]}{words}"
    if " - " in text and (match := _AMQP.search(text)):
        return f"{plain_words(match[3])} ({match[1]})"
    if "/" in text and (match := _DISPOSITION.search(text)):
        return f"Receipt of AS2: {match[1].strip().lower()}"
    if ("error_" in text or "failed: " in text) and (match := _REPLY.search(text)):
        return f"{plain_words(match[2])} ({match[1]})"
    if "." in text and (match := _MAIL.search(text)):
        return f"{plain_words(match[3].strip(_MARKS))} ({match[1]} {match[2]})"
    if ("StatusRuntime" in text or " desc = " in text) and (match := _GRPC.search(text)):
        name = (match[1] or match[3]).replace("_", "").lower()
        return f"{plain_words(match[2] or match[4])} (gRPC {name})"
    if "(Service: " in text and (match := _AWS.search(text)):
        has_name = not match[1].startswith(match[3]) and match[1].endswith("Exception")
        return words_of_code(match[1].removesuffix("Exception")) if has_name else match[2].capitalize()
    if "rror" in text and (match := _CLOUD.search(text)):
        return words_of_code(match[1] or match[2])
    return ""
