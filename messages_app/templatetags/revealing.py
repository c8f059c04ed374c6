"""The state of masked values for templates. Display only."""

from dataclasses import dataclass
from datetime import datetime

from django import template

from messages_app.access.unmasking_views import page_of

register = template.Library()


@dataclass(frozen=True, kw_only=True)
class Visibility:
    """
    Whether values are masked for the user of a page.

    Args:
        until: the time until which values are shown; None if they are masked.
        may_reveal: they are masked, and can be shown after the user gives a reason.
        is_withheld: a part of this page is hidden because they are masked.
        page: the address to return to.
    """

    until: datetime | None
    may_reveal: bool
    is_withheld: bool
    page: str


@register.simple_tag(takes_context=True)
def reading(context: template.Context) -> Visibility:
    request = context["request"]
    return Visibility(
        until=request.reading.until,
        may_reveal=request.reading.may_reveal,
        is_withheld=request.reading.is_withheld,
        page=page_of(request),
    )
