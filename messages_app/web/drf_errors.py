"""The framework's validation errors as our field errors."""

from collections.abc import Iterator

from rest_framework.exceptions import ErrorDetail, ValidationError

from messages_app.web.problems import FieldError

# The framework's codes by ours; what is not here is an invalid_value.
_CODES = {
    "required": "required",
    "blank": "required",
    "null": "required",
    "empty": "required",
    "max_length": "too_long",
    "max_value": "out_of_range",
    "min_value": "out_of_range",
    "unknown_field": "unknown_field",
}
_SENTENCES = {
    "required": "{field} is required.",
    "blank": "{field} must not be empty.",
    "null": "{field} must not be null.",
}


def field_errors(error: ValidationError) -> list[FieldError]:
    """Return one FieldError for each message of `error`, nested fields joined by dots."""
    return list(_walk("", error.detail))


def _walk(field: str, detail: object) -> Iterator[FieldError]:
    if isinstance(detail, dict):
        for name, inner in detail.items():
            yield from _walk(f"{field}.{name}" if field else str(name), inner)
        return
    if isinstance(detail, list):
        for inner in detail:
            yield from _walk(field, inner)
        return
    yield _field_error(field, detail)


def _field_error(field: str, detail: ErrorDetail) -> FieldError:
    sentence = _SENTENCES.get(detail.code)
    text = sentence.format(field=field) if sentence else f"{field}: {detail}"
    return FieldError(field, _CODES.get(detail.code, "invalid_value"), text)
