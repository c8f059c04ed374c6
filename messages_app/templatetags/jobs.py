"""How the pages of jobs write speeds and times. Display only."""

from datetime import timedelta

from django import template

from messages_app.templatetags.hub import number
from messages_app.web.words import duration

register = template.Library()


@register.filter
def pace(rate: float) -> str:
    """Write a speed with no more digits than it deserves: 0.25, 8.2, 1 240."""
    if rate < 1:
        return f"{rate:.2g}"
    return f"{rate:.1f}".removesuffix(".0") if rate < 100 else number(round(rate))


@register.filter
def span(seconds: float) -> str:
    """Write a time that is only about right: under a second, about 41 min."""
    if seconds < 1:
        return "under a second"
    return f"about {duration(timedelta(seconds=seconds))}"
