"""
The options of jobs, each with its check, schema, form field, command argument and words.

Source: docs/contributing/spec/interfaces.md, "Jobs". The reference of the manual lists them.
"""

import dataclasses
from argparse import ArgumentTypeError
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from django import forms

from messages_app.access import roles
from messages_app.core.formatting import format_percent
from messages_app.core.name_lists import join_names, split_names
from messages_app.jobs.kinds import option_checks as checks
from messages_app.jobs.kinds.option_checks import MAX_CANARY, MAX_MONTHS, Check, Shape

DEFAULT_MONTHS = 2
_MAX_DIGITS = 20
_TARGETS = {"tables": "the archive tables", "parquet": "Parquet files"}
_FORMATS = {"csv": "CSV, for a spreadsheet", "jsonl": "JSON lines", "parquet": "Parquet"}


def whole_number(text: str) -> int:
    """Convert the text of a command-line argument. Raises argparse.ArgumentTypeError."""
    if not text.isascii() or not text.isdigit() or len(text) > _MAX_DIGITS:
        raise ArgumentTypeError(f"must be a whole number without a sign, not {text[:80]!r}")
    return int(text)


def parse_number(text: str) -> float:
    """Convert the text of a command-line argument. Raises argparse.ArgumentTypeError."""
    try:
        return float(text)
    except ValueError:
        raise ArgumentTypeError(f"must be a number, not {text[:80]!r}") from None


def value_words(value: object) -> str:
    """Return the value of an option in words."""
    if value is True:
        return "yes"
    if value == "":
        return "nothing"
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)


def return_unchanged(value: object) -> object:
    return value


@dataclass(frozen=True, kw_only=True)
class Option:
    """
    One option of a kind of job.

    Args:
        fault: returns the error of a value, or None.
        shape: the valid values, as JSON Schema.
        label: the name that pages show next to a value.
        field: makes its form field on the page of a new job.
        argument: its keywords for argparse, in commands.
        default: the value if the option is not given.
        for_many: the value that the form suggests for jobs of many messages.
        is_about: the option changes the set, so a number that was confirmed for another value is not valid.
        permission: the permission that a user needs to give the option; `refusal` is the error without it.
        part_of: the option that this one completes. With it, an empty text in the form is a value.
        in_words: returns a value in words.
        from_form, to_form: convert the value of the form field to the value of the option, and back.
    """

    fault: Check
    shape: Shape
    label: str
    field: Callable[[], forms.Field]
    argument: Mapping[str, Any] = dataclasses.field(default_factory=dict)
    default: object = None
    for_many: object = None
    is_about: bool = False
    permission: str = ""
    refusal: str = ""
    part_of: str = ""
    in_words: Callable[[Any], str] = value_words
    from_form: Callable[[object], object] = return_unchanged
    to_form: Callable[[object], object] = return_unchanged


def _number_input(**attributes: object) -> forms.NumberInput:
    return forms.NumberInput(attrs=attributes)


def _months_field() -> forms.Field:
    out_of_range = f"Enter 1 to {MAX_MONTHS} months."
    return forms.IntegerField(
        label="Older than (months)",
        min_value=1,
        max_value=MAX_MONTHS,
        initial=DEFAULT_MONTHS,
        widget=_number_input(inputmode="numeric"),
        error_messages={
            "required": "Enter a number of months, at least 1.",
            "invalid": "Enter a whole number of months.",
            "min_value": out_of_range,
            "max_value": out_of_range,
        },
    )


def months_words(months: object) -> str:
    return f"{months} month{'' if months == 1 else 's'}"


OLDER_THAN_MONTHS = Option(
    fault=checks.check_months,
    shape=checks.MONTHS,
    default=DEFAULT_MONTHS,
    label="Older than",
    is_about=True,
    field=_months_field,
    argument={
        "type": whole_number,
        "metavar": "N",
        "help": f"only what ended this many months ago or earlier ({DEFAULT_MONTHS}, at least 1)",
    },
    in_words=months_words,
)


def target_words(target: object) -> str:
    """Return the destination of an archive job in words."""
    return _TARGETS.get(str(target), str(target))


TO = Option(
    fault=checks.one_of(*_TARGETS),
    shape={"type": "string", "enum": [*_TARGETS]},
    default="tables",
    label="Destination",
    field=lambda: forms.ChoiceField(
        label="Destination",
        choices=[("tables", "The archive tables"), ("parquet", "Parquet files")],
        initial="tables",
    ),
    argument={"choices": tuple(_TARGETS), "help": "destination: archive tables, or Parquet files (tables)"},
    in_words=target_words,
)

TOTAL = Option(
    fault=checks.check_flag,
    shape=checks.FLAG,
    default=False,
    label="From scratch",
    is_about=True,
    field=lambda: forms.BooleanField(required=False, widget=forms.HiddenInput),
    argument={"action": "store_true", "default": None, "help": "make every external call again"},
)


ALSO_RESENT = Option(
    fault=checks.check_flag,
    shape=checks.FLAG,
    default=False,
    label="Also corrected and resent messages",
    is_about=True,
    field=lambda: forms.BooleanField(required=False, widget=forms.HiddenInput),
    argument={
        "action": "store_true",
        "default": None,
        "help": "also messages that were corrected and resent; the hub then processes both",
    },
)


def _names_of(text: object) -> list[str]:
    return split_names(str(text or ""))


REFRESH_ENTITIES = Option(
    fault=checks.check_names,
    shape=checks.NAMES,
    label="Including refreshes of",
    is_about=True,
    field=lambda: forms.CharField(
        label="Include refresh messages of",
        required=False,
        strip=False,
        help_text=(
            "Entities, separated by commas; in quotes if a name has one. A refresh ends records it does not"
            " contain. Others are skipped."
        ),
        widget=forms.TextInput(attrs={"autocomplete": "off", "spellcheck": "false"}),
    ),
    argument={
        "action": "append",
        "metavar": "ENTITY",
        "help": "also messages that refresh this entity; may be repeated",
    },
    from_form=_names_of,
    to_form=lambda names: join_names(names) if isinstance(names, list) else names,
)

RATE = Option(
    fault=checks.check_rate,
    shape=checks.RATE,
    label="Max rate (messages/s)",
    field=lambda: forms.FloatField(
        label="Max rate (messages/s)",
        required=False,
        help_text="Leave empty for no limit. You can change it while the job runs.",
        widget=_number_input(**{"min": "0.01", "step": "any", "inputmode": "decimal", "data-rate": ""}),
        error_messages={"invalid": "Enter a number of messages per second."},
    ),
    argument={"type": parse_number, "metavar": "N", "help": "messages per second (default: no limit)"},
)

CANARY = Option(
    fault=checks.check_canary,
    shape=checks.CANARY,
    label="Test batch size",
    for_many=20,
    field=lambda: forms.IntegerField(
        label="Test batch size",
        required=False,
        help_text="The job waits for these messages to finish, then continues or stops.",
        widget=_number_input(min=1, max=MAX_CANARY, inputmode="numeric"),
        error_messages={"invalid": "Enter a whole number."},
    ),
    argument={
        "type": whole_number,
        "metavar": "N",
        "help": "size of the test batch that must succeed first",
    },
)


def _share_of(percentage: object) -> object:
    return round(percentage / 100, 6) if isinstance(percentage, int | float) else percentage


def _as_percentage(share: object) -> object:
    return f"{100 * share:g}" if isinstance(share, int | float) and not isinstance(share, bool) else share


STOP_AT_FAILURE_RATE = Option(
    fault=checks.check_share,
    shape=checks.SHARE,
    label="Stop if failures exceed",
    for_many=0.2,
    field=lambda: forms.FloatField(
        label="Stop if failures exceed (%)",
        required=False,
        widget=_number_input(min=0, max=100, step="any", inputmode="decimal"),
        error_messages={"invalid": "Enter a number from 0 to 100."},
    ),
    argument={
        "type": parse_number,
        "metavar": "SHARE",
        "help": "stop above this failure rate: 0.2 means 20 %%",
    },
    in_words=format_percent,
    from_form=_share_of,
    to_form=_as_percentage,
)

FORMAT = Option(
    fault=checks.one_of(*_FORMATS),
    shape={"type": "string", "enum": [*_FORMATS]},
    default="csv",
    label="Format",
    field=lambda: forms.ChoiceField(label="Format", choices=[*_FORMATS.items()], initial="csv"),
    argument={"choices": tuple(_FORMATS), "help": "format of the file (csv)"},
)

PAYLOAD = Option(
    fault=checks.check_flag,
    shape=checks.FLAG,
    default=False,
    label="With payloads",
    permission=roles.CAN_VIEW_PAYLOAD,
    refusal="Payloads are masked for you. Export without payloads, or show values first.",
    field=lambda: forms.BooleanField(label="With payloads and envelopes", required=False),
    argument={"action": "store_true", "default": None, "help": "write payloads and envelopes too"},
)


# The safety limits of jobs that change many messages.
# From more messages than this, forms suggest a test batch.
MANY = 50
GUARDS = {"rate": RATE, "canary": CANARY, "stop_at_failure_rate": STOP_AT_FAILURE_RATE}
