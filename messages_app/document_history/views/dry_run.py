"""
The dry run as a page: the rule that would decide about a delivery. It writes nothing and does not call
resolvers.
"""

from typing import cast

from django import forms
from django.http import HttpRequest, HttpResponse

from messages_app.core.page_parameters import takes_parameters
from messages_app.document_history.dry_run import dry_run as try_out
from messages_app.document_history.models import MAX_TRIGGER_ID
from messages_app.document_history.services.delivery import DeliveredParts
from messages_app.document_history.services.errors import TriggerNotFound
from messages_app.document_history.states import NO_COUNT
from messages_app.document_history.views import PAGES, VIEWS, trigger_choices

_MAX_IDENTIFIER = 4_000
_CODE = {"autocomplete": "off", "spellcheck": "false"}


def _identifier_field(label: str) -> forms.CharField:
    """Return the field of an identifier, which is compared as it is."""
    return forms.CharField(
        required=False,
        max_length=_MAX_IDENTIFIER,
        strip=False,
        label=label,
        widget=forms.TextInput(attrs=_CODE),
    )


class DeliveryForm(forms.Form):
    """One delivery."""

    trigger_id = forms.CharField(
        max_length=MAX_TRIGGER_ID, strip=False, error_messages={"required": "Select a trigger."}
    )
    uuid = _identifier_field("UUID")
    track_id = _identifier_field("Track id (if there is no UUID)")
    event_id = _identifier_field("Event id (if there is no track id)")
    redelivery_count = forms.IntegerField(
        required=False,
        min_value=NO_COUNT,
        max_value=2**31 - 1,
        label="Redelivery count",
        help_text="0: first delivery; -1 or empty: not counted.",
    )
    volatile = forms.BooleanField(required=False, label="Volatile: not guaranteed")

    def read_parts(self) -> DeliveredParts:
        """Return the delivery for services."""
        values = dict(self.cleaned_data)
        is_guaranteed, count = not values.pop("volatile"), values.pop("redelivery_count")
        return {
            **cast(DeliveredParts, values),
            "redelivery_count": NO_COUNT if count is None else count,
            "is_guaranteed": is_guaranteed,
        }


@VIEWS.shows_page
@takes_parameters(*DeliveryForm.base_fields)
def dry_run(request: HttpRequest) -> HttpResponse:
    is_asked = "trigger_id" in request.GET
    form = DeliveryForm(request.GET if is_asked else None)
    result = None
    if is_asked and form.is_valid():
        try:
            result = try_out(**form.read_parts())
        except TriggerNotFound:
            form.add_error("trigger_id", "There is no trigger with this id.")
    context = {
        "form": form,
        "result": result,
        **trigger_choices(request.GET.get("trigger_id", "")),
    }
    status = 400 if form.errors else 200
    return PAGES.render_page(request, "dry_run", context, section="document-dry-run", status=status)
