"""The form of a watch rule, and the links between the pages of alerts."""

from typing import Any, cast

from django import forms
from django.contrib.auth.models import User

from messages_app.access import roles
from messages_app.access.actors import Caller
from messages_app.core.lists.filter_form import Link
from messages_app.core.problems import Problem
from messages_app.core.reason_form import reason_field
from messages_app.core.sections import make_sections
from messages_app.messages.alerts.models import WatchRule
from messages_app.messages.alerts.services import SETTABLE, RuleChanges
from messages_app.messages.alerts.states import MEASURES
from messages_app.messages.listing.models import SavedView
from messages_app.messages.listing.saved_views.services import views_of
from messages_app.shared.message_states import MessageState

# The columns whose fields have the stored value.
_PLAIN = tuple(name for name in SETTABLE if name not in {"saved_view", "mail_to"})


def _condition_field(max_length: int, label: str) -> forms.CharField:
    """Return the field of a value that messages must have, which is compared as it is."""
    return forms.CharField(
        required=False, strip=False, max_length=max_length, label=label, help_text="Leave empty for any."
    )


class RuleForm(forms.Form):
    """
    The columns of a rule. Its services check them.

    Args:
        user: the choices are the saved views of this user.
        rule: the stored rule, whose saved view is a choice too.
    """

    name = forms.CharField(max_length=100, label="Name", error_messages={"required": "Enter a name."})
    enabled = forms.BooleanField(required=False, initial=True, label="Enabled")
    measure = forms.ChoiceField(choices=list(MEASURES.items()), label="Measure")
    limit = forms.FloatField(
        min_value=0, label="Alert above", help_text="For a failure rate, a number from 0 to 1."
    )
    state = forms.ChoiceField(
        required=False,
        choices=[("", "–"), *((state, state) for state in MessageState)],
        label="State",
        help_text="For measures of messages in a state, state changes and the oldest message.",
    )
    service_name = _condition_field(30, "Service")
    operation_name = _condition_field(100, "Operation")
    source_system = _condition_field(15, "Source system")
    failed_error_code = _condition_field(5, "Error code")
    saved_view = forms.ChoiceField(
        required=False, label="Saved view", help_text="For the number of messages in a saved view."
    )
    window_minutes = forms.IntegerField(
        min_value=1,
        initial=15,
        label="Time window (min)",
        help_text="For state changes and the failure rate.",
    )
    older_than_seconds = forms.IntegerField(
        min_value=0, initial=0, label="Unchanged for at least (s)", help_text="For messages in a state."
    )
    at_least = forms.IntegerField(
        min_value=0,
        initial=20,
        label="Minimum sample size",
        help_text="Below this number of messages, no failure rate is calculated.",
    )
    quiet_minutes = forms.IntegerField(
        min_value=0,
        initial=30,
        label="Notify again after (min)",
        help_text="Minimum time between notifications.",
    )
    mail_to = forms.CharField(
        required=False,
        label="Notify by email",
        help_text="Email addresses, separated by commas.",
        max_length=5_000,
    )
    webhook_url = forms.CharField(
        required=False,
        max_length=500,
        label="Notify by webhook",
        help_text="The host must be allowed in HUBCONSOLE_WEBHOOK_HOSTS.",
    )
    reason = reason_field()

    def __init__(self, *args: Any, user: User, rule: WatchRule | None = None, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._views: dict[str, SavedView] = {str(view.pk): view for view in views_of(user)}
        if rule and rule.saved_view:
            self._views.setdefault(str(rule.saved_view_id), rule.saved_view)
        choices = [(key, view.name) for key, view in self._views.items()]
        cast(forms.ChoiceField, self.fields["saved_view"]).choices = [("", "–"), *choices]

    def read_changes(self) -> RuleChanges:
        """Return the arguments of the services."""
        values = {name: self.cleaned_data[name] for name in (*_PLAIN, "reason")}
        addresses = [address.strip() for address in self.cleaned_data["mail_to"].split(",")]
        values["mail_to"] = [address for address in addresses if address]
        values["saved_view"] = self._views.get(self.cleaned_data["saved_view"])
        return cast(RuleChanges, values)

    def add_problem(self, problem: Problem) -> None:
        """Show each error of a service next to its field."""
        for error in problem.errors:
            self.add_error(error.field if error.field in self.fields else None, error.message)


def form_values(rule: WatchRule) -> dict[str, object]:
    """Return the initial values of the form of a stored rule."""
    values = {name: getattr(rule, name) for name in _PLAIN}
    return values | {"mail_to": ", ".join(rule.mail_to), "saved_view": str(rule.saved_view_id or "")}


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
    return make_sections(titles, current=current, beginnings={})
