"""The options of jobs that only read messages: the filter of an analysis, and the business key to index."""

from collections.abc import Iterator, Mapping
from typing import Any

from django import forms
from django.http import QueryDict

from messages_app.business_keys.models import KeyDefinition
from messages_app.core.clock import database_clock
from messages_app.core.filters.address import as_query, pairs_of
from messages_app.core.filters.table import name_values
from messages_app.core.query_language.parser import address_of, line_values, parse_line, render_line
from messages_app.jobs.kinds import option_checks as checks
from messages_app.jobs.kinds.options import Option, whole_number
from messages_app.messages.filters.vocabulary import VOCABULARY

_MAX_LINE = 2_000
_MAX_KEYS = 500


def write_filter(filter: object) -> str:
    """Return a filter as its query line; a text unchanged."""
    if not isinstance(filter, Mapping):
        return "" if filter is None else str(filter)
    return render_line(line_values(as_query(filter), VOCABULARY), VOCABULARY)[0]


class FilterField(forms.CharField):
    """A filter of the list of messages, written as its query line."""

    def __init__(self, **options: Any) -> None:
        attrs = {"placeholder": "service:order", "autocomplete": "off", "spellcheck": "false"}
        widget = forms.TextInput(attrs=attrs)
        super().__init__(max_length=_MAX_LINE, widget=widget, **options)

    def clean(self, value: object) -> dict[str, Any]:
        line = super().clean(value)
        # Services check which filters a job may use.
        reading = parse_line(line, VOCABULARY, now=database_clock(), allowed=VOCABULARY.filters.keys())
        if reading.find:
            raise forms.ValidationError("Write a filter, such as service:order.")
        if reading.errors:
            raise forms.ValidationError([error.message for error in reading.errors])
        return name_values(pairs_of(address_of(reading.params, VOCABULARY)))


def _list_keys() -> Iterator[tuple[str, str]]:
    yield "", "All active keys"
    definitions = KeyDefinition.objects.filter(deleted_at=None).order_by("name", "pk")
    yield from ((str(definition.pk), str(definition)) for definition in definitions[:_MAX_KEYS])


def make_key_field(**options: Any) -> forms.TypedChoiceField:
    """Return a choice of one business key; None: all active keys."""
    return forms.TypedChoiceField(
        choices=_list_keys,
        coerce=int,
        empty_value=None,
        error_messages={"invalid_choice": "No business key has this id."},
        **options,
    )


def _split_query(text: object) -> object:
    """Convert the query string of a list of messages to a filter."""
    values = QueryDict(str(text).strip().removeprefix("?"))
    return {name: texts[0] if len(texts) == 1 else texts for name, texts in values.lists()}


COMPARE_WITH = Option(
    fault=checks.check_compared,
    shape={"type": ["object", "null"], "additionalProperties": True},
    label="Compared with",
    field=lambda: FilterField(
        label="Compare with (filter)",
        required=False,
        help_text="Leave empty for processed messages of the same services and times.",
    ),
    argument={
        "type": _split_query,
        "metavar": "FILTER",
        "help": "messages to compare with (default: processed ones of the same services and times)",
    },
    in_words=write_filter,
    to_form=write_filter,
)

DEFINITION_ID = Option(
    fault=checks.check_definition,
    shape=checks.DEFINITION,
    label="Business key (id)",
    field=lambda: make_key_field(label="Business key", required=False),
    argument={
        "type": whole_number,
        "metavar": "ID",
        "help": "one business key (default: all active keys)",
    },
)
