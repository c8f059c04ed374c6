"""How long a new job takes at the rate that its form has."""

from django import forms
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from messages_app.access import roles
from messages_app.access.decorators import requires_permission
from messages_app.core.page_parameters import takes_parameters
from messages_app.core.problems import bad_field

# Longer durations are shown as this one, a century.
_MAX_SECONDS = 100 * 365 * 24 * 3600
_MAX_MESSAGES = 10**15


class _DurationForm(forms.Form):
    """The number of messages, their usual rate, if it is known, and the rate that the user has entered."""

    to_do = forms.IntegerField(min_value=0, max_value=_MAX_MESSAGES)
    usual_rate = forms.FloatField(min_value=0, required=False)
    rate = forms.FloatField(required=False)


@require_safe
@requires_permission(roles.CAN_VIEW_JOBS)
@takes_parameters(*_DurationForm.base_fields)
def duration_part(request: HttpRequest) -> HttpResponse:
    """Return the duration at the entered rate, which is limited by the usual one; empty without a rate."""
    form = _DurationForm(request.GET)
    for name, errors in form.errors.items():
        raise bad_field(name, "invalid_value", f"{name}: {errors[0]}")
    rates = [form.cleaned_data[name] for name in ("rate", "usual_rate")]
    rate = min((each for each in rates if each is not None and each > 0), default=None)
    if rate is None:
        return HttpResponse(status=204)
    context = {"seconds": min(form.cleaned_data["to_do"] / rate, _MAX_SECONDS), "rate": rate}
    return render(request, "messages_app/jobs/_duration.html", context)
