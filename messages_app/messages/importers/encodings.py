"""Names what is wrong with the encoding of a document's bytes, which parsers report as a fault of its XML."""

import codecs
import re

# Byte order marks, the longer ones first, and the beginnings of a document without a mark.
_MARKS = (
    (codecs.BOM_UTF32_LE, "UTF-32"),
    (codecs.BOM_UTF32_BE, "UTF-32"),
    (codecs.BOM_UTF8, "UTF-8"),
    (codecs.BOM_UTF16_LE, "UTF-16"),
    (codecs.BOM_UTF16_BE, "UTF-16"),
    (b"<\0\0\0", "UTF-32"),
    (b"\0\0\0<", "UTF-32"),
    (b"<\0", "UTF-16"),
    (b"\0<", "UTF-16"),
)
_DECLARATION = re.compile(rb"""<\?xml\s[^>]*?encoding\s*=\s*["']([A-Za-z][\w.:-]*)["']""")
# A declaration is at the very beginning.
_MAX_DECLARATION = 400


def encoding_fault(raw: bytes) -> str:
    """Return what is wrong with the encoding of a document that cannot be read, in words; else empty."""
    declared, actual = _declaration_of(raw), _encoding_of(raw)
    if declared:
        try:
            name = codecs.lookup(declared).name
        except LookupError:
            return f"it declares {declared}, which is not the name of an encoding."
        if actual and _family_of_codec(name) != actual and not (actual == "UTF-8" and _is_of_bytes(name)):
            return f"it declares {declared}, but is {actual}."
    if actual in {"UTF-16", "UTF-32"}:
        return ""
    return _fault_of_bytes(raw, declared or "UTF-8", is_declared=bool(declared))


def _fault_of_bytes(raw: bytes, encoding: str, *, is_declared: bool) -> str:
    try:
        raw.decode(encoding)
    except UnicodeDecodeError as error:
        words = (
            f"it declares {encoding}, but"
            if is_declared
            else f"it declares no encoding, so it is {encoding}, but"
        )
        return f"{words} byte 0x{raw[error.start]:02X} at position {error.start + 1} is not {encoding}."
    except (LookupError, UnicodeError):  # Codecs that are not of texts, such as hex.
        return f"it declares {encoding}, which is not an encoding of texts."
    return ""


def _declaration_of(raw: bytes) -> str:
    """Return the encoding that the XML declaration names, in whatever encoding it is itself."""
    match = _DECLARATION.search(raw[:_MAX_DECLARATION].replace(b"\0", b""))
    return match[1].decode() if match else ""


def _encoding_of(raw: bytes) -> str:
    """Return the encoding that the bytes are in; empty if it is one of many with a byte for a character."""
    start = raw.lstrip(b" \t\r\n")
    for mark, name in _MARKS:
        if raw.startswith(mark) or start.startswith(mark):
            return name
    try:
        raw.decode("utf-8")
    except UnicodeDecodeError:
        return ""
    return "UTF-8"


def _family_of_codec(name: str) -> str:
    """Return UTF-8, UTF-16 or UTF-32 for the name of a codec of one of them; else the name."""
    return next((one for one in ("UTF-8", "UTF-16", "UTF-32") if name.upper().startswith(one)), name)


def _is_of_bytes(name: str) -> bool:
    """Whether all of ASCII is the same in this encoding, so that a text of it may also be UTF-8."""
    try:
        return "<?xml".encode(name) == b"<?xml"
    except (LookupError, UnicodeError):
        return False
