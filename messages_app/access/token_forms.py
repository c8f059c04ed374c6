"""The form of a new API token."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from django import forms
from django.contrib.auth.models import User
from django.http import QueryDict

from messages_app.access.scopes import MAX_SCOPE, SCOPES, split_scope, why_none
from messages_app.access.token_services import DEFAULT_DAYS, MAX_DAYS, MAX_NAME, MAX_PER_MINUTE
from messages_app.core.reason_form import VisibleField, reason_field

WHOLE, SOME = "whole", "some"
_DAYS = (7, 30, DEFAULT_DAYS, MAX_DAYS)
# The heading of a scope, by its first word. Scopes of other stores have their first word.
_HEADINGS = {
    "messages": "Messages",
    "payload": "Messages",
    "failures": "Messages",
    "keys": "Messages",
    "jobs": "Jobs",
    "archive": "Jobs",
    "history": "Document history",
    "store": "Message store",
    "queue": "CP queue",
    "alerts": "Console",
    "webhooks": "Console",
    "deployments": "Console",
    "audit": "Console",
    "tokens": "Console",
}
_MAX_SCOPES_TEXT = 40 * MAX_SCOPE


@dataclass(frozen=True, kw_only=True)
class ScopeBox:
    """A checkbox of a scope."""

    name: str
    meaning: str
    is_on: bool


@dataclass(frozen=True, kw_only=True)
class ScopeGroup:
    """Scopes under one heading."""

    title: str
    boxes: list[ScopeBox]

    @property
    def is_open(self) -> bool:
        return any(box.is_on for box in self.boxes)


class TokenForm(forms.Form):
    """A new token of any user, with all permissions of the user or only with scopes."""

    name = VisibleField(
        max_length=MAX_NAME,
        label="Name",
        help_text="Its purpose, which the audit log shows.",
        error_messages={"required": "Enter a name."},
        widget=forms.TextInput(attrs={"autocomplete": "off"}),
    )
    username = forms.CharField(
        max_length=150,
        label="User",
        help_text="It has the permissions of this user.",
        widget=forms.TextInput(attrs={"list": "names", "autocomplete": "off"}),
    )
    days = forms.TypedChoiceField(
        coerce=int,
        label="Expires",
        choices=[(days, f"in {days} days") for days in _DAYS],
        initial=DEFAULT_DAYS,
    )
    reach = forms.ChoiceField(
        label="Permissions",
        choices=[(WHOLE, "All permissions of the user"), (SOME, "Only these scopes")],
        initial=SOME,
        widget=forms.RadioSelect,
        error_messages={"required": "Choose one."},
    )
    scopes = forms.MultipleChoiceField(
        required=False,
        choices=[(name, scope.meaning) for name, scope in SCOPES.items()],
        error_messages={"invalid_choice": "There is no scope %(value)s."},
    )
    named_scopes = forms.CharField(
        required=False,
        max_length=_MAX_SCOPES_TEXT,
        label="For one queue or trigger",
        help_text="Such as queue:consume:RENDITION; several separated by spaces.",
        widget=forms.TextInput(attrs={"class": "u-code", "spellcheck": "false", "autocomplete": "off"}),
    )
    requests_per_minute = forms.IntegerField(
        required=False, min_value=1, max_value=MAX_PER_MINUTE, label="Requests per minute (optional)"
    )
    reason = reason_field()

    def __init__(self, data: QueryDict | None = None, *, maker: User) -> None:
        super().__init__(data, initial={"username": maker.get_username()})

    def clean_username(self) -> User:
        """Return the user of the token."""
        name = self.cleaned_data["username"]
        user = User.objects.filter(username=name, is_active=True).first()
        if user is None:
            raise forms.ValidationError("There is no active user with this name.")
        return user

    def clean_named_scopes(self) -> list[str]:
        names: list[str] = self.cleaned_data["named_scopes"].split()
        for name in names:
            if why := why_none(name) or ("" if split_scope(name)[1] else f"{name!r} has no name."):
                raise forms.ValidationError(why)
        return names

    def clean(self) -> dict[str, Any]:
        values = super().clean() or {}
        if values.get("reach") == SOME and not (
            values.get("scopes")
            or values.get("named_scopes")
            or {"scopes", "named_scopes"} & self.errors.keys()
        ):
            self.add_error("scopes", "Choose a scope, or all permissions of the user.")
        return values

    @property
    def chosen_scopes(self) -> list[str] | None:
        """The scopes of the token; None: all permissions of the user."""
        if self.cleaned_data["reach"] == WHOLE:
            return None
        return [*self.cleaned_data["scopes"], *self.cleaned_data["named_scopes"]]

    def scope_groups(self) -> list[ScopeGroup]:
        groups: dict[str, list[ScopeBox]] = {}
        for title, box in self._iterate_boxes():
            groups.setdefault(title, []).append(box)
        return [ScopeGroup(title=title, boxes=boxes) for title, boxes in groups.items()]

    def _iterate_boxes(self) -> Iterator[tuple[str, ScopeBox]]:
        chosen = self["scopes"].value() or []
        order = list(dict.fromkeys(_HEADINGS.values()))
        lines = []
        for name, scope in SCOPES.items():
            word = name.partition(":")[0]
            title = _HEADINGS.get(word, word.capitalize())
            lines.append(
                (title, ScopeBox(name=name, meaning=scope.meaning.replace("`", ""), is_on=name in chosen))
            )
        yield from sorted(lines, key=lambda line: order.index(line[0]) if line[0] in order else len(order))
