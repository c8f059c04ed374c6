"""
The options of each kind of job: the one table of them. Source: spec/interfaces.md 6.

What an option means is said in docs/jobs.md.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from messages_app.jobs.asking import option_values
from messages_app.jobs.states import JobKind
from messages_app.web.problems import FieldError, unknown_name

TARGETS = ("tables", "parquet")
FORMATS = ("csv", "jsonl", "parquet")
DEFAULT_MONTHS = 2


@dataclass(frozen=True, kw_only=True)
class Option:
    """
    One option of a kind of job.

    Args:
        fault: says what is wrong with a value.
        shape: the values that are right, as JSON Schema.
        default: its value where it is left out.
    """

    fault: option_values.Check
    shape: option_values.Shape
    default: object = None


_GUARDED = {
    "rate": Option(fault=option_values.rate, shape=option_values.RATE),
    "canary": Option(fault=option_values.canary, shape=option_values.CANARY),
    "stop_at_failure_rate": Option(fault=option_values.share, shape=option_values.SHARE),
}

# The kinds that can be run, with their options.
OPTIONS: Mapping[str, Mapping[str, Option]] = {
    JobKind.ARCHIVE: {
        "older_than_months": Option(
            fault=option_values.months, shape=option_values.MONTHS, default=DEFAULT_MONTHS
        ),
        "to": Option(
            fault=option_values.one_of(*TARGETS),
            shape={"type": "string", "enum": [*TARGETS]},
            default="tables",
        ),
    },
    JobKind.RESTORE: {},
    JobKind.RESTART: {
        "total": Option(fault=option_values.flag, shape=option_values.FLAG, default=False),
        **_GUARDED,
    },
    JobKind.CANCEL: _GUARDED,
    JobKind.REPROCESS: {
        "refresh_entities": Option(fault=option_values.names, shape=option_values.NAMES, default=None),
        **_GUARDED,
    },
    JobKind.ARCHIVE_HISTORY: {
        "older_than_months": Option(
            fault=option_values.months, shape=option_values.MONTHS, default=DEFAULT_MONTHS
        )
    },
    JobKind.GROUP_FAILURES: {},
    JobKind.EXPORT: {
        "format": Option(
            fault=option_values.one_of(*FORMATS), shape={"type": "string", "enum": [*FORMATS]}, default="csv"
        ),
        "payload": Option(fault=option_values.flag, shape=option_values.FLAG, default=False),
    },
}


def checked_options(kind: str, options: Mapping[str, object]) -> tuple[dict[str, object], list[FieldError]]:
    """Return the options of a job with defaults filled in, and what is wrong with those given."""
    known = OPTIONS[kind]
    checked = {name: option.default for name, option in known.items()}
    errors = []
    for name, value in options.items():
        is_default = name in known and value is None and checked[name] is None
        fault = None if is_default else _fault(name, value, known)
        if fault:
            errors.append(FieldError(f"options.{name}"[:80], *fault))
        checked[name] = value
    return checked, errors


def _fault(name: str, value: object, known: Mapping[str, Option]) -> option_values.Fault:
    if name in known:
        return known[name].fault(value)
    names = f" Known: {', '.join(known)}." if known else " Jobs of this kind have none."
    return "unknown_field", unknown_name("option", name, known) + names
