"""The forms of a trigger: what it may have, and the time to live as people say it."""

from django import forms

from messages_app.document_history.changing.triggers import CHANGEABLE
from messages_app.document_history.models import MAX_TRIGGER_ID, DocumentTrigger
from messages_app.document_history.services import DocumentConflict, InvalidTrigger
from messages_app.document_history.states import DEFAULT_TTL_SECONDS, MAX_TTL_SECONDS, RetryFailure
from messages_app.web.reasons import reason_field

_ON_FAILURE = (
    (RetryFailure.THROW, "Throw an exception: a failed document is completed"),
    (RetryFailure.SUSPEND, "Suspend and try again later"),
)


class TriggerForm(forms.Form):
    """What may be changed of a trigger; services check what the values mean."""

    name = forms.CharField(max_length=200, label="Name", error_messages={"required": "Give it a name."})
    detect_duplicates = forms.BooleanField(required=False, initial=True, label="Detect duplicates")
    use_history = forms.BooleanField(
        required=False,
        initial=True,
        label="Use the history",
        help_text="Without it the redelivery count decides, and the resolver.",
    )
    history_ttl_seconds = forms.IntegerField(
        min_value=1,
        max_value=MAX_TTL_SECONDS,
        initial=DEFAULT_TTL_SECONDS,
        label="History time to live, in seconds",
        help_text="3600 is an hour, 86400 a day. A copy that comes later is processed again.",
    )
    resolver = forms.CharField(
        required=False,
        max_length=100,
        label="Resolver",
        help_text="The name that it is registered by; empty for none.",
        widget=forms.TextInput(attrs={"list": "resolvers", "autocomplete": "off", "spellcheck": "false"}),
    )
    on_retry_failure = forms.ChoiceField(choices=_ON_FAILURE, label="On retry failure")
    reason = reason_field()
    # What the writer was told would expire at once.
    confirmed_ttl = forms.IntegerField(required=False, widget=forms.HiddenInput)

    def properties(self) -> dict[str, object]:
        """Return what services take, the reason among it."""
        return {name: self.cleaned_data[name] for name in (*CHANGEABLE, "reason")}

    def take(self, refusal: InvalidTrigger | DocumentConflict) -> None:
        """Put what services refuse beside its field."""
        field = getattr(refusal, "field", "trigger_id")
        self.add_error(field if field in self.fields else None, str(refusal))

    def asking(self) -> "TriggerForm":
        """Return the form as it was filled in; sent once more, its time to live is confirmed."""
        values = self.data.copy()
        values["confirmed_ttl"] = self.cleaned_data["history_ttl_seconds"]
        again = type(self)(values)
        again.full_clean()
        return again


class NewTriggerForm(TriggerForm):
    """A new trigger, which may have an id of its own."""

    trigger_id = forms.CharField(
        required=False,
        max_length=MAX_TRIGGER_ID,
        label="Id",
        help_text="As the hub's callers name it; empty for a fresh UUID. It never changes.",
        widget=forms.TextInput(attrs={"autocomplete": "off", "spellcheck": "false"}),
    )
    field_order = ("name", "trigger_id")

    def properties(self) -> dict[str, object]:
        given = self.cleaned_data["trigger_id"]
        return super().properties() | ({"trigger_id": given} if given else {})


def values_of(trigger: DocumentTrigger) -> dict[str, object]:
    """Return a trigger as its form is filled with it."""
    return {name: getattr(trigger, name) for name in CHANGEABLE}
