"""What a page offers about masked values. Display only."""

from dataclasses import dataclass
from datetime import datetime

from django import template

from messages_app.access.unmasking_views import page_of

register = template.Library()


@dataclass(frozen=True, kw_only=True)
class Shown:
    """
    How the reader of a page reads.

    Args:
        until: until when values are shown; None where they are masked.
        may_reveal: they are masked, and a reason would show them.
        is_withheld: something of this page is left out for that.
        page: the address that the reader comes back to.
    """

    until: datetime | None
    may_reveal: bool
    is_withheld: bool
    page: str


@register.simple_tag(takes_context=True)
def reading(context: template.Context) -> Shown:
    request = context["request"]
    return Shown(
        until=request.reading.until,
        may_reveal=request.reading.may_reveal,
        is_withheld=request.reading.is_withheld,
        page=page_of(request),
    )
