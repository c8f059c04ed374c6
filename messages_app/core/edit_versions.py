"""
Edits of one row by two people: the later one is not stored, and its page shows what differs.

A form carries the version of the row that it shows: a digest of the columns that it can change. The service
compares it with the locked row. A change that is undone meanwhile is not a conflict.
"""

import hashlib
import json
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from typing import Any, cast

from django import forms
from django.db.models import Model
from django.forms import BoundField
from django.http import QueryDict

from messages_app.shared.text_safety import MASK

_DIGITS = 16
_VERSION, _REASON = "version", "reason"


class EditConflict(Exception):
    """Someone else has changed the row since it was shown; nothing was written."""


def version_of(row: Model, columns: Collection[str]) -> str:
    """Return the version of a row by the columns that its form can change."""
    values = {name: row.serializable_value(name) for name in sorted(columns)}
    return digest_values(values)


def digest_values(values: dict[str, Any]) -> str:
    """Return the version of values that are not the columns of one row."""
    text = json.dumps(values, sort_keys=True, default=str)
    return hashlib.sha256(text.encode()).hexdigest()[:_DIGITS]


def check_version(version: str | None, stored: str) -> None:
    """
    Compare the version that a caller has seen with that of the locked row. None: the caller has seen none.

    Raises:
        EditConflict: they differ.
    """
    if version is not None and version != stored:
        raise EditConflict


class VersionedForm(forms.Form):
    """A form that changes a row. A form that is sent without a version is taken for an outdated one."""

    version = forms.CharField(required=False, max_length=_DIGITS, widget=forms.HiddenInput)


@dataclass(frozen=True, kw_only=True)
class Difference:
    """A field whose typed value is not the stored one, both in words."""

    label: str
    stored: str
    typed: str


def list_differences(pairs: Iterable[tuple[forms.Form, forms.Form]]) -> list[Difference]:
    """
    Return the differences between sent forms and the forms of what is stored, as (sent, stored).

    The sent forms take the version of the stored ones: they replace the stored values if they are sent again.
    """
    return [each for sent, stored in pairs for each in _compare_forms(sent, stored)]


def _compare_forms(sent: forms.Form, stored: forms.Form) -> Iterator[Difference]:
    if _VERSION in sent.fields:
        data = cast(QueryDict, sent.data).copy()
        data[_VERSION] = stored[_VERSION].value()
        sent.data = data
    for field in sent.visible_fields():
        other = stored[field.name] if field.name in stored.fields else None
        if field.name != _REASON and (other is None or _parse_value(other) != _parse_value(field)):
            words = _describe_value(other) if other else "–"
            yield Difference(label=str(field.label), stored=words, typed=_describe_value(field))


def _parse_value(field: BoundField) -> object:
    """Return the value of a field without the differences between a stored value and its text."""
    try:
        value = field.field.to_python(field.value())
    except forms.ValidationError:
        return field.value()
    return sorted(value) if isinstance(value, list) else value


def _describe_value(field: BoundField) -> str:
    value = field.value()
    if isinstance(field.field.widget, forms.PasswordInput):
        return MASK if value else "–"
    if isinstance(field.field, forms.BooleanField):
        return "yes" if value else "no"
    if value in (None, "", []):
        return "–"
    labels = {str(key): str(label) for key, label in getattr(field.field, "choices", ())}
    values = value if isinstance(value, list | tuple) else [value]
    return ", ".join(labels.get(str(each), str(each)) for each in values)
