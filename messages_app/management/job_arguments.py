"""What the commands that make jobs take: the options of messages_app/jobs/asking as arguments."""

from argparse import ArgumentParser, ArgumentTypeError
from collections.abc import Mapping

from messages_app.jobs.asking.options import DEFAULT_MONTHS, FORMATS, OPTIONS, TARGETS
from messages_app.jobs.asking.query_strings import filter_of_query
from messages_app.jobs.asking.refusals import InvalidJob

_MAX_DIGITS = 20


def whole_number(text: str) -> int:
    if not text.isascii() or not text.isdigit() or len(text) > _MAX_DIGITS:
        raise ArgumentTypeError(f"must be a whole number, not {text[:80]!r}")
    return int(text)


def number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise ArgumentTypeError(f"must be a number, not {text[:80]!r}") from None


# Each option without a default: what is left out is for the kind to fill in.
_ARGUMENTS: Mapping[str, Mapping[str, object]] = {
    "older_than_months": {
        "type": whole_number,
        "metavar": "N",
        "help": f"only what ended this many months ago or earlier ({DEFAULT_MONTHS}, at least 1)",
    },
    "to": {"choices": TARGETS, "help": "where to (tables)"},
    "total": {"action": "store_true", "default": None, "help": "make every external call again"},
    "refresh_entities": {
        "action": "append",
        "metavar": "ENTITY",
        "help": "also messages that refresh this entity; may be repeated",
    },
    "rate": {"type": number, "metavar": "N", "help": "messages a second (as fast as it goes)"},
    "canary": {"type": whole_number, "metavar": "N", "help": "do so many first and see what becomes of them"},
    "stop_at_failure_rate": {"type": number, "metavar": "SHARE", "help": "stop above it: 0.2 is one in five"},
    "format": {"choices": FORMATS, "help": "of the file (csv)"},
    "payload": {"action": "store_true", "default": None, "help": "with payloads and envelopes"},
}


def add_options(parser: ArgumentParser, kind: str) -> None:
    """Add the options that jobs of this kind have."""
    for name in OPTIONS[kind]:
        parser.add_argument(f"--{name.replace('_', '-')}", dest=name, **_ARGUMENTS[name])


def chosen_options(kind: str, given: Mapping[str, object]) -> dict[str, object]:
    """Return the options that were given."""
    return {name: given[name] for name in OPTIONS[kind] if given[name] is not None}


def filter_argument(text: str) -> dict[str, object]:
    try:
        return filter_of_query(text)
    except InvalidJob as error:
        raise ArgumentTypeError(error.errors[0].message) from None
