"""Why what was asked cannot become a job."""

from collections.abc import Iterable

from django.core.exceptions import PermissionDenied

from messages_app.web.problems import FieldError

# A body may hold thousands of fields that nobody knows; this many are worth reading.
_MOST_ERRORS = 50


class InvalidJob(Exception):
    """What was asked cannot become a job; `errors` name each field."""

    def __init__(self, errors: Iterable[FieldError]) -> None:
        self.errors = list(errors)[:_MOST_ERRORS]
        super().__init__(" ".join(f"{error.field}: {error.message}" for error in self.errors))


class NotAllowed(PermissionDenied):
    """Who asks lacks the right for a job of this kind, or for what it would read."""
