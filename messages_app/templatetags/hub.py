"""Formats of values on pages, and whether values are masked. Display only."""

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from urllib.parse import urlencode

from django import template
from django.conf import settings
from django.contrib.auth.models import AbstractBaseUser
from django.db import Error, connection
from django.http import HttpRequest
from django.urls import reverse
from django.utils import timezone
from django.utils.crypto import salted_hmac
from django.utils.html import escape, format_html, format_html_join
from django.utils.safestring import SafeString

from messages_app.access.unmasking_views import page_of
from messages_app.core import formatting, markup
from messages_app.core.clock import time_limit
from messages_app.core.formatting import format_number
from messages_app.messages.alerts.sentences import describe_value
from messages_app.messages.diagnosis.explanation import Explanation
from messages_app.messages.first_steps import first_steps_or_none
from messages_app.messages.metrics.failing import failing_now
from messages_app.payloads import text_markup
from messages_app.payloads.text_markup import mark_name
from messages_app.shared.message_states import CONFIRMATION_OPERATION, STATE_MEANINGS
from messages_app.shared.system_names import name_system

register = template.Library()

# A page does not wait longer for the number of its menu, for example while the hub's tables are locked.
_FAILING_MS = 500

# Asked by pages that have nothing to show.
register.simple_tag(first_steps_or_none, name="first_minutes")
# Shared with rows that are written without a template.
register.simple_tag(markup.draw_icon, name="icon")
register.simple_tag(markup.show_state, name="state")
register.simple_tag(markup.state_icon)
register.simple_tag(markup.show_time, name="when")
register.filter("ago", markup.show_age)
register.filter("visible", text_markup.mark_invisible)
register.filter("visible_name", text_markup.mark_name)
register.filter("cut_id", text_markup.cut_id)
register.filter("break_address", text_markup.break_address)
register.filter("break_name", text_markup.break_name)
register.filter("break_value", text_markup.break_value)
register.simple_tag(text_markup.column_value)
register.simple_tag(text_markup.attribute_value)
register.simple_tag(describe_value, name="measured")


@register.simple_tag
def hub_name() -> str:
    """Return the name of this console's hub, or an empty string."""
    name: str = settings.HUBCONSOLE_HUB_NAME
    return name


@register.simple_tag
def page_zone() -> dict[str, str]:
    """Return the zone of the times of this page, by its short and its whole name."""
    now = timezone.localtime()
    return {"short": str(now.tzname()), "name": str(now.tzinfo)}


@register.simple_tag
def hub_sign() -> SafeString:
    """Return the strip with the hub's name in its colour, or nothing."""
    if not settings.HUBCONSOLE_HUB_NAME:
        return SafeString()
    return format_html(
        '<section class="c-sign is-{}" aria-label="Hub">{}</section>',
        settings.HUBCONSOLE_HUB_COLOUR,
        settings.HUBCONSOLE_HUB_NAME,
    )


@register.filter(name="contains")
def has_item(items: Collection[object], item: object) -> bool:
    """Whether a list has an item; a missing list has none."""
    return item in (items or ())


@register.filter(name="lookup")
def look_up_key(mapping: Mapping[str, object], key: str) -> object | None:
    """Return the value of a key, or None, because templates cannot index by a variable."""
    return mapping.get(key)


@register.filter(name="meaning")
def tell_meaning(code: str) -> str:
    """Return the meaning of a message's state."""
    return STATE_MEANINGS.get(code, "a state unknown to the console")


@register.filter(name="duration")
def write_duration(start: datetime | None, end: datetime | None) -> str:
    """Write the time from `start` to `end` as it was measured: 80 ms, 1.5 s, 41 min, 600 d 21 h."""
    return formatting.format_measured_duration(None if start is None or end is None else end - start)


@register.filter(name="seconds")
def write_seconds(count: float | None) -> str:
    """Write a number of seconds as they were measured: 80 ms, 1.5 s, 41 min, 600 d 21 h."""
    return formatting.format_measured_duration(None if count is None else timedelta(seconds=count))


@register.filter(name="lasting")
def write_period(start: datetime, end: datetime) -> str:
    """Write the time from `start` to `end` in whole seconds, minutes, hours or days, like explanations."""
    return formatting.format_duration(end - start)


@register.filter(name="lasts")
def write_whole_seconds(seconds: int) -> str:
    """Write a duration to the second, in its largest units: 2 d, 2 h 30 min."""
    return formatting.format_duration(timedelta(seconds=seconds))


@register.filter
def or_dash(value: object) -> object:
    """Show a dash for a missing value; 0 is not missing."""
    return formatting.EMPTY if value is None or value == "" else value


register.filter("about", formatting.format_estimate)
register.filter("filesize", formatting.format_size)
register.filter("number", formatting.format_number)
register.filter("percent", formatting.format_percent)
register.filter("decimal", formatting.format_decimal)


@register.filter
def number_up_to(count: int, most: int) -> str:
    """Write a count that ends at a fence: > 10 000."""
    return format_number(count) if count <= most else f"> {format_number(most)}"


@register.filter
def as_words(name: str) -> str:
    """Turn a name with underscores into words."""
    return name.replace("_", " ").capitalize()


@register.filter
def first_line_and_rest(text: str) -> tuple[str, str]:
    line, _, rest = text.partition("\n")
    return line, rest.strip("\n")


@register.filter
def page_query(cursor: str | None, request: HttpRequest) -> str | None:
    """Return the address of the previous or next page of this list; None at the end, and without a list."""
    if not cursor:
        return None
    params = request.GET.copy()
    params["cursor"] = cursor
    return f"?{params.urlencode()}"


@register.filter(name="linking")
def link_messages(text: str, msg_ids: Collection[int]) -> SafeString:
    """Link the ids of messages in a text to their pages, each at its first occurrence."""
    return _link_names(text, [str(msg_id) for msg_id in msg_ids])


@register.filter
def link_summary(explanation: Explanation, may_view_jobs: bool) -> SafeString:
    """Write the summary of an explanation, with links to its messages and its job."""
    job = [f"job {explanation.job_id}"] if explanation.job_id and may_view_jobs else []
    return _link_names(explanation.summary, [*job, *map(str, explanation.mentions)])


def _link_names(text: str, names: Sequence[str]) -> SafeString:
    """Link these names, ids of messages or of a job, at the first occurrence of each."""
    if not names:
        return escape(text)
    parts = re.split(rf"(?<![\w.:-])({'|'.join(names)})(?![\w-]|:\d)", text)
    links = (
        (_link_to_name(part) if n % 2 and part not in parts[:n] else part,) for n, part in enumerate(parts)
    )
    return format_html_join("", "{}", links)


def _link_to_name(name: str) -> SafeString:
    job, _, number = name.rpartition(" ")
    address = reverse("job-detail" if job else "message-detail", args=[number])
    return format_html('<a href="{}">{}</a>', address, name)


@register.simple_tag
def draft_key(user: AbstractBaseUser) -> str:
    """
    Return the key with which a browser encrypts the input of this user; empty if no one is logged in.

    Each user of a browser has a different key, and a new password creates a new key.
    """
    if not getattr(user, "is_authenticated", False):
        return ""
    # The hash of two users is the same if their stored passwords are copies.
    value = f"{user.pk}:{user.get_session_auth_hash()}"
    return salted_hmac("form-draft", value, algorithm="sha256").hexdigest()


@register.simple_tag
def messages_with(**filters: object) -> str:
    """Return the address of the message list with these filters; filters without a value are left out."""
    values = {name: value for name, value in filters.items() if value is not None}
    return f"{reverse('message-list')}?{urlencode(values)}"


@register.simple_tag
def value_link(name: str, value: str | None, place: str | None = None) -> SafeString | str:
    """
    Show a value of a message as a link to the messages that have it. An empty value is not a link, because no
    filter asks for it.

    Args:
        place: of the filter `archived`.
    """
    if not value:
        return formatting.EMPTY
    return format_html(
        '<a href="{}">{}</a>', messages_with(**{name: value, "archived": place or None}), mark_name(value)
    )


@register.simple_tag(name="service")
def link_service(name: str) -> SafeString | str:
    """Show the name of a service as a link to its page."""
    return _link_to_page("service", name)


@register.simple_tag(name="system")
def link_system(name: str) -> SafeString | str:
    """Show the name of an external system as a link to its page."""
    return _link_to_page("system", name)


@register.filter(name="system_name")
def name_system_of(address: str) -> str:
    """Return the system of an address or of the name of a call; empty for a confirmation."""
    return "" if not address or address == CONFIRMATION_OPERATION else name_system(address)


def _link_to_page(route: str, name: str) -> SafeString | str:
    if not name:
        return formatting.EMPTY
    return format_html('<a href="{}">{}</a>', reverse(route, args=[name]), mark_name(name))


@register.simple_tag(takes_context=True)
def failing_count(context: template.Context) -> int | None:
    """
    Return the number of messages that are failing now, once for a page; None if it cannot be read, as on an
    error page.
    """
    request = context["request"]
    if not hasattr(request, "failing_count"):
        request.failing_count = _read_failing_count()
    count: int | None = request.failing_count
    return count


def _read_failing_count() -> int | None:
    if connection.needs_rollback:
        return None
    try:
        with time_limit(_FAILING_MS):
            return failing_now().count
    except Error:
        return None


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


@register.simple_tag(takes_context=True, name="reading")
def read_visibility(context: template.Context) -> Visibility:
    request = context["request"]
    return Visibility(
        until=request.reading.until,
        may_reveal=request.reading.may_reveal,
        is_withheld=request.reading.is_withheld,
        page=page_of(request),
    )
