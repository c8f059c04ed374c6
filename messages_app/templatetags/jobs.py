"""How the pages of jobs write speeds and times. Display only."""

from datetime import timedelta

from django import template

from messages_app.core.formatting import decimal, duration, number
from messages_app.jobs.preview.estimates import Estimate

register = template.Library()


register.filter("pace", decimal)


@register.filter
def estimated(estimate: Estimate) -> str:
    """Write a number with what is known of it: 24 502, about 16 800, between 12 000 and 19 000."""
    if estimate.is_exact:
        return number(round(estimate.about))
    if estimate.is_close:
        return f"about {number(estimate.shown)}"
    least, most = estimate.bounds
    return f"between {number(least)} and {number(most)}"


@register.filter
def span(seconds: float) -> str:
    """Write a time that is only about right: under a second, about 41 min."""
    if seconds < 1:
        return "under a second"
    return f"about {duration(timedelta(seconds=seconds))}"
