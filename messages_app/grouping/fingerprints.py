"""The one rule by which failures belong to one group. Imports nothing of Django: executors use it too."""

from dataclasses import dataclass
from hashlib import sha256

from messages_app.grouping.normalising import CHARACTERS, normalised

_DIGITS = 32


@dataclass(frozen=True, kw_only=True)
class Failure:
    """What a group is known by. No error code is an empty one; the summary is the error without details."""

    service_name: str
    operation_name: str
    failed_error_code: str
    summary: str

    @property
    def fingerprint(self) -> str:
        """The same as 32 hexadecimal digits."""
        parts = (self.service_name, self.operation_name, self.failed_error_code, self.summary)
        return sha256("\x1f".join(parts).encode()).hexdigest()[:_DIGITS]


def failure_of(service_name: str, operation_name: str, code: str | None, text: str | None) -> Failure:
    """Return the group that a failed message with this error code and error text belongs to."""
    summary = normalised(text)[:CHARACTERS]
    return Failure(
        service_name=service_name,
        operation_name=operation_name,
        failed_error_code=code or "",
        summary=summary,
    )
