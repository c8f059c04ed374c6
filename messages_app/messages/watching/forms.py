"""The form of a watch rule; services check what its values mean."""

from django import forms
from django.contrib.auth.models import AbstractBaseUser

from messages_app.messages.keeping.models import SavedView
from messages_app.messages.keeping.saved_views import views_of
from messages_app.messages.states import MessageState
from messages_app.messages.watching.models import WatchRule
from messages_app.messages.watching.words import MEASURES
from messages_app.web.problems import Problem
from messages_app.web.reasons import reason_field

_PLAIN = (
    "name",
    "enabled",
    "measure",
    "state",
    "service_name",
    "operation_name",
    "source_system",
    "failed_error_code",
    "window_minutes",
    "older_than_seconds",
    "at_least",
    "limit",
    "quiet_minutes",
    "webhook_url",
)
_ANY = "Empty for any."


class RuleForm(forms.Form):
    """What a rule says. `user`: whose saved views there are to choose from, besides that of `rule`."""

    name = forms.CharField(max_length=100, label="Name", error_messages={"required": "Give it a name."})
    enabled = forms.BooleanField(required=False, initial=True, label="Look at it")
    measure = forms.ChoiceField(choices=list(MEASURES.items()), label="What is measured")
    limit = forms.FloatField(min_value=0, label="Alert above", help_text="A share is from 0 to 1.")
    state = forms.ChoiceField(
        required=False,
        choices=[("", "–"), *((state, state) for state in MessageState)],
        label="State",
        help_text="Of messages in a state, of states that were entered, and of the oldest.",
    )
    service_name = forms.CharField(required=False, max_length=30, label="Service", help_text=_ANY)
    operation_name = forms.CharField(required=False, max_length=100, label="Operation", help_text=_ANY)
    source_system = forms.CharField(required=False, max_length=15, label="Source system", help_text=_ANY)
    failed_error_code = forms.CharField(required=False, max_length=5, label="Error code", help_text=_ANY)
    saved_view = forms.ChoiceField(required=False, label="Saved view", help_text="For its messages.")
    window_minutes = forms.IntegerField(
        min_value=1, initial=15, label="Minutes that it looks back", help_text="For what happened lately."
    )
    older_than_seconds = forms.IntegerField(
        min_value=0, initial=0, label="Unchanged for so many seconds", help_text="Of messages in a state now."
    )
    at_least = forms.IntegerField(
        min_value=0,
        initial=20,
        label="A share of at least so many",
        help_text="Of fewer there is none.",
    )
    quiet_minutes = forms.IntegerField(
        min_value=0,
        initial=30,
        label="Quiet minutes",
        help_text="So long nobody is told again.",
    )
    mail_to = forms.CharField(
        required=False, label="Tell by mail", help_text="Addresses, with commas.", max_length=5_000
    )
    webhook_url = forms.CharField(
        required=False,
        max_length=500,
        label="Tell by webhook",
        help_text="Its host must be among those that the settings allow.",
    )
    reason = reason_field()

    def __init__(self, *args: object, user: AbstractBaseUser, rule: WatchRule | None = None, **more: object):
        super().__init__(*args, **more)
        self._views: dict[str, SavedView] = {str(view.pk): view for view in views_of(user)}
        if rule and rule.saved_view:
            self._views.setdefault(str(rule.saved_view_id), rule.saved_view)
        named = [(key, view.name) for key, view in self._views.items()]
        self.fields["saved_view"].choices = [("", "–"), *named]

    def columns(self) -> dict[str, object]:
        """Return what services take, the reason among it."""
        found = {name: self.cleaned_data[name] for name in (*_PLAIN, "reason")}
        addresses = [each.strip() for each in self.cleaned_data["mail_to"].split(",")]
        view = self._views.get(self.cleaned_data["saved_view"])
        return found | {"mail_to": [each for each in addresses if each], "saved_view": view}

    def take(self, problem: Problem) -> None:
        """Put what services refuse beside its field."""
        for error in problem.errors:
            self.add_error(error.field if error.field in self.fields else None, error.message)


def values_of(rule: WatchRule) -> dict[str, object]:
    """Return a rule as its form is filled with it."""
    values = {name: getattr(rule, name) for name in _PLAIN}
    return values | {"mail_to": ", ".join(rule.mail_to), "saved_view": str(rule.saved_view_id or "")}
