"""The form of a watch rule, which reads as a sentence, and the links between the pages of alerts."""

from collections.abc import Iterator, Mapping
from typing import Any, cast

from django import forms
from django.contrib.auth.models import User
from django.forms import BoundField
from django.http import QueryDict
from django.urls import reverse

from messages_app.access import roles
from messages_app.access.actors import Caller
from messages_app.core.deliveries.formats import FORMATS, OF_INCIDENTS
from messages_app.core.edit_versions import VersionedForm
from messages_app.core.kept_input import SHOWN, carried_values, keep_input
from messages_app.core.lists.filter_form import Link
from messages_app.core.problems import Problem
from messages_app.core.reason_form import reason_field
from messages_app.core.sections import make_sections
from messages_app.messages.alerts.models import WatchRule
from messages_app.messages.alerts.sentences import (
    MEASURES,
    describe_rule,
    gaps_of,
    limit_in_units,
    limit_of_units,
    split_sentence,
)
from messages_app.messages.alerts.services import MAX_WINDOW, RuleChanges, read_version
from messages_app.messages.alerts.states import Measure
from messages_app.messages.listing.models import SavedView
from messages_app.messages.listing.saved_views.services import views_of
from messages_app.shared.message_states import MessageState

# The fields whose values are stored as they are.
_PLAIN = (
    *("name", "enabled", "measure", "state", "service_name", "operation_name", "source_system"),
    *("failed_error_code", "window_minutes", "at_least", "quiet_minutes", "webhook_url"),
    "webhook_format",
)
_CONDITIONS = ("service_name", "operation_name", "source_system", "failed_error_code")
_OF_EVERY_MEASURE = frozenset(
    {"name", "enabled", "measure", "quiet_minutes", "mail_to", "webhook_url", "webhook_format"}
    | {"webhook_key", "reason"}
)
# The addresses have a line for themselves: they are long.
_CHANNELS = (("mail_to", "webhook_url"), ("webhook_format", "webhook_key", "quiet_minutes"))
_MAX_NAME = 100
_MAX_NUMBER = 100_000_000
_DEFAULT_LIMITS = {Measure.FAILURE_RATE: 5, Measure.AGE: 60}


def _number_field(
    label: str, *, initial: float, whole: bool = False, least: int = 0, most: int = _MAX_NUMBER
) -> forms.Field:
    kind = forms.IntegerField if whole else forms.FloatField
    return kind(initial=initial, label=label, min_value=least, max_value=most)


def _condition_field(max_length: int, label: str, *, placeholder: str = "any") -> forms.CharField:
    """Return the field of a value that messages must have, which is compared as it is."""
    return forms.CharField(
        required=False,
        strip=False,
        max_length=max_length,
        label=label,
        widget=forms.TextInput(attrs={"placeholder": placeholder}),
    )


class RuleForm(VersionedForm):
    """
    The sentence of a rule, and who is notified. It has only the fields of its measure.

    Args:
        user: the choices are the saved views of this user.
        measure: the chosen measure.
        rule: the stored rule, whose saved view is a choice too.
        is_draft: nothing is stored, so that no reason is required.
    """

    measure = forms.ChoiceField(choices=list(MEASURES.items()), widget=forms.RadioSelect)
    limit = _number_field("Limit", initial=0)
    state = forms.ChoiceField(label="State", initial=MessageState.FAILED)
    saved_view = forms.ChoiceField(required=False, label="View")
    window_minutes = _number_field("Minutes", initial=10, whole=True, least=1, most=MAX_WINDOW)
    older_than_minutes = _number_field("Minutes without a change", initial=0)
    at_least = _number_field("Minimum number of messages", initial=20, whole=True)
    service_name = _condition_field(30, "Service", placeholder="any service")
    operation_name = _condition_field(100, "Operation")
    source_system = _condition_field(15, "Source system")
    failed_error_code = _condition_field(5, "Error code")
    name = forms.CharField(
        max_length=_MAX_NAME,
        required=False,
        label="Name",
        widget=forms.TextInput(attrs={"placeholder": "The sentence"}),
    )
    mail_to = forms.CharField(
        required=False,
        label="Notify by email",
        max_length=5_000,
        widget=forms.TextInput(attrs={"placeholder": "ops@example.org, night@example.org"}),
    )
    webhook_url = forms.CharField(
        required=False,
        max_length=500,
        label="Notify by webhook",
        widget=forms.TextInput(attrs={"placeholder": "https://"}),
    )
    webhook_format = forms.ChoiceField(required=False, label="Format", choices=list(FORMATS.items()))
    # The page never shows it. Empty: it stays as it is.
    webhook_key = forms.CharField(
        required=False,
        max_length=200,
        label="Key of the integration",
        widget=forms.PasswordInput(attrs={"autocomplete": "new-password"}),
    )
    quiet_minutes = _number_field("Notify again after (min)", initial=30, whole=True)
    enabled = forms.BooleanField(required=False, initial=True, label="Enabled")
    reason = reason_field()

    def __init__(
        self,
        data: Mapping[str, Any] | None = None,
        *,
        user: User,
        measure: str,
        rule: WatchRule | None = None,
        is_draft: bool = False,
    ) -> None:
        super().__init__(data, initial=_initial_values(measure, rule))
        self._user, self.chosen, self._rule = user, measure, rule
        self._views: dict[str, SavedView] = {str(view.pk): view for view in views_of(user)}
        if rule and rule.saved_view:
            self._views.setdefault(str(rule.saved_view_id), rule.saved_view)
        self._keep_fields()
        self._set_choices()
        self.fields["reason"].required = not is_draft
        if rule and rule.webhook_key:
            self.fields["webhook_key"].widget.attrs["placeholder"] = "stays as it is"
        for _, field in self.sentence:
            if field:
                field.field.widget.attrs["aria-label"] = field.label

    def _keep_fields(self) -> None:
        """Remove the fields that the sentence of the measure does not have."""
        gaps = gaps_of(self.chosen)
        names = _OF_EVERY_MEASURE.union(gaps, _CONDITIONS if "of" in gaps else ())
        if self._rule:
            names |= {"version"}
        for name in set(self.fields) - names:
            del self.fields[name]

    def _set_choices(self) -> None:
        if self.chosen == Measure.FAILURE_RATE:
            self.fields["limit"] = _number_field("Limit in percent", initial=0, most=100)
        if "state" in self.fields:
            left_out = {MessageState.OK} if self.chosen != Measure.ENTERED else set()
            states = [(state, state) for state in MessageState if state not in left_out]
            cast(forms.ChoiceField, self.fields["state"]).choices = states
        if "saved_view" in self.fields:
            choices = [(key, view.name) for key, view in self._views.items()]
            cast(forms.ChoiceField, self.fields["saved_view"]).choices = [("", "–"), *choices]

    def keep_input(self, typed: QueryDict) -> None:
        """Show what was typed for another measure. Its default limit becomes the one of this measure."""
        before = typed.get(SHOWN, "")
        if before not in MEASURES:
            before = self.chosen
        keep_input(self, typed, sent_fields=RuleForm(user=self._user, measure=before).fields)
        if before != self.chosen and typed.get("limit") == str(_default_limit(before)):
            self.initial["limit"] = _default_limit(self.chosen)

    def carry_values(self, typed: QueryDict) -> list[tuple[str, str]]:
        """Return the values of fields that other measures have, as (name, value)."""
        names = self.base_fields.keys() - {"measure", "version"}
        return carried_values(typed, names=sorted(names), forms_shown=[self])

    @property
    def sentence(self) -> Iterator[tuple[str, BoundField | None]]:
        """The parts of the sentence: words, and the field after them."""
        for words, gap in split_sentence(self.chosen):
            if gap == "of":
                yield f"{words} of", self["service_name"]
            else:
                yield words, self[gap] if gap else None

    @property
    def further_conditions(self) -> list[BoundField]:
        return [self[name] for name in _CONDITIONS[1:] if name in self.fields]

    @property
    def is_narrowed(self) -> bool:
        return any(field.value() or field.errors for field in self.further_conditions)

    @property
    def channels(self) -> list[list[BoundField]]:
        """The fields of who is notified, line by line."""
        return [[self[name] for name in names] for names in _CHANNELS]

    @property
    def errors_of_sentence(self) -> list[BoundField]:
        fields = [self["measure"], *(field for _, field in self.sentence if field)]
        return [field for field in fields if field.errors]

    def read_changes(self) -> RuleChanges:
        """Return the arguments of the services."""
        cleaned = self.cleaned_data
        values = {name: cleaned[name] for name in (*_PLAIN, "reason") if name in cleaned}
        if not values["webhook_format"]:
            del values["webhook_format"]
        if cleaned["webhook_key"] and cleaned["webhook_format"] in OF_INCIDENTS:
            values["webhook_key"] = cleaned["webhook_key"]
        values["limit"] = limit_of_units(self.chosen, cleaned["limit"])
        if "older_than_minutes" in cleaned:
            values["older_than_seconds"] = round(cleaned["older_than_minutes"] * 60)
        addresses = [address.strip() for address in cleaned["mail_to"].split(",")]
        values["mail_to"] = [address for address in addresses if address]
        if "saved_view" in cleaned:
            values["saved_view"] = self._views.get(cleaned["saved_view"])
        values["name"] = values["name"].strip() or describe_rule(_make_rule(values))[:_MAX_NAME]
        return cast(RuleChanges, values)

    def read_draft(self) -> WatchRule | None:
        """Return the rule of the form's values, which is not stored; None if they are not valid."""
        form = self
        if not self.is_bound:
            values = {field.name: field.value() for field in self}
            form = RuleForm(values, user=self._user, measure=self.chosen, rule=self._rule, is_draft=True)
        if form.errors.keys() - {"reason"}:
            return None
        return _make_rule(form.read_changes())

    def add_problem(self, problem: Problem) -> None:
        """Show each error of a service next to its field."""
        for error in problem.errors:
            field = "older_than_minutes" if error.field == "older_than_seconds" else error.field
            self.add_error(field if field in self.fields else None, error.message)


def _make_rule(values: Any) -> WatchRule:
    return WatchRule(**{name: value for name, value in values.items() if name != "reason"})


def _initial_values(measure: str, rule: WatchRule | None) -> dict[str, object]:
    """Return the values of a new form: those of the stored rule, as far as its measure has them."""
    if rule is None:
        return {"measure": measure, "limit": _default_limit(measure)}
    values = {name: getattr(rule, name) for name in _PLAIN if getattr(rule, name) != ""}
    values |= {"measure": measure, "mail_to": ", ".join(rule.mail_to), "version": read_version(rule)}
    if measure != rule.measure:
        return values | {"limit": _default_limit(measure)}
    return values | {
        "limit": f"{limit_in_units(rule.measure, rule.limit):.12g}",
        "older_than_minutes": f"{rule.older_than_seconds / 60:.12g}",
        "saved_view": str(rule.saved_view_id or ""),
    }


def _default_limit(measure: str) -> int:
    return _DEFAULT_LIMITS.get(Measure(measure), 0)


_SECTIONS = {
    "alert-list": "Alerts",
    "watch-rules": "Watch rules",
    "webhooks": "Webhooks",
}
# Of the pages that not everyone who sees messages may see.
_RIGHTS = {"webhooks": roles.CAN_CHANGE_WEBHOOKS}


def alert_sections(current: str, *, user: Caller) -> list[Link]:
    """Return the links between alerts, their rules and webhooks that the user may see."""
    titles = {
        route: title
        for route, title in _SECTIONS.items()
        if route not in _RIGHTS or user.has_perm(_RIGHTS[route])
    }
    return make_sections(titles, current=current, beginnings={}, path=reverse(current))
