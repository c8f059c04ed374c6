"""Why a receiver was not reached, in words: no name of a class is shown to a person."""

import socket
from http.client import HTTPException
from smtplib import (
    SMTPRecipientsRefused,
    SMTPResponseException,
    SMTPServerDisconnected,
)

# Subclasses come before OSError, from which the errors of SMTP derive too.
_CAUSES: tuple[tuple[type[Exception], str], ...] = (
    (ConnectionRefusedError, "the connection was refused"),
    (TimeoutError, "no answer in time"),
    (socket.gaierror, "the name of the host is unknown"),
    (ConnectionError, "the connection ended"),
    (HTTPException, "the answer is not HTTP"),
)


def describe_cause(error: Exception) -> str:
    """Return why a connection failed, without a capital and a full stop."""
    for kind, words in _CAUSES:
        if isinstance(error, kind):
            return words
    return str(error) or "the connection failed"


def describe_mail_failure(error: OSError) -> str:
    """Return why the mail server did not take a mail, as a sentence."""
    if isinstance(error, SMTPRecipientsRefused):
        answers = [f"{code} {_decode_answer(text)}" for code, text in error.recipients.values()]
        return f"The mail server refused the address: {'; '.join(answers)}"
    if isinstance(error, SMTPResponseException):
        return f"The mail server answered {error.smtp_code}: {_decode_answer(error.smtp_error)}"
    if isinstance(error, SMTPServerDisconnected):
        return "The mail server ended the connection."
    return f"The mail server cannot be reached: {describe_cause(error)}."


def _decode_answer(text: bytes | str) -> str:
    return text.decode("utf-8", "replace") if isinstance(text, bytes) else text
