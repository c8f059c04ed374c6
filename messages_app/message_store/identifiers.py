"""Identifiers of messages. Source: docs/contributing/spec/message_store.md, "Hard cases" case 13."""

import re
import uuid

LENGTH = 36
_CANONICAL = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")


def new_identifier() -> str:
    return str(uuid.uuid4())


def read_identifier(text: str) -> str | None:
    """Return the identifier as it is stored: in lower case; None for any other form than the canonical."""
    lowered = text.lower() if text.isascii() else ""
    return lowered if _CANONICAL.fullmatch(lowered) else None
