"""Values as markup: symbols, states and times, for templates and for rows written without one."""

import html
from collections.abc import Iterable
from datetime import UTC, datetime
from functools import cache, lru_cache
from typing import Any

from django.conf import settings
from django.templatetags.static import static
from django.utils import timezone
from django.utils.html import conditional_escape
from django.utils.safestring import SafeString

from messages_app.core import formatting
from messages_app.core.store_functions import functions_of
from messages_app.core.stores import stores_of
from messages_app.shared.far_times import machine_text, with_zone, without_zone
from messages_app.shared.job_states import JobState, Outcome
from messages_app.shared.message_states import STATE_MEANINGS


def format_html(pattern: str, *values: object) -> SafeString:
    """
    Put values into markup, escaped unless they are markup already, as Django's function of this name does.

    Django's wraps each value several times, which was a third of the time of a list's rows.
    """
    return SafeString(pattern.format(*map(_escape_value, values)))


def _escape_value(value: Any) -> Any:
    kind = type(value)
    if kind is str:
        return html.escape(value)
    return value if kind is SafeString or kind is int else conditional_escape(value)


def join_markup(parts: Iterable[str]) -> SafeString:
    """Join markup: each part is escaped already."""
    return SafeString("".join(parts))


def draw_icon(name: str, kind: str = "") -> SafeString:
    """Draw a symbol of the icon sheet. Screen readers skip it, because it is next to its text."""
    return _draw_icon_of_sheet(name, kind, settings.STATIC_URL)


# A page has a hundred icons, of a few names.
@lru_cache(maxsize=500)
def _draw_icon_of_sheet(name: str, kind: str, _address_of_files: str) -> SafeString:
    return format_html(
        '<svg class="c-icon{}" aria-hidden="true"><use href="{}#{}"/></svg>',
        f" {kind}" if kind else "",
        static("icons/icons.svg"),
        name,
    )


def show_state(code: str, size: str = "") -> SafeString:
    """Show a state of a message, call or job: text, icon, colour. An unknown code is shown unchanged."""
    return _show_state_of_stores(code, size, settings.STATIC_URL, tuple(settings.STORES))


# A page has a hundred states, of a few codes. An unknown code comes from the hub's tables.
@lru_cache(maxsize=500)
def _show_state_of_stores(
    code: str, size: str, _address_of_files: str, _stores: tuple[str, ...]
) -> SafeString:
    return format_html(
        '<span class="c-state{}" data-state="{}" title="{}">{}{}</span>',
        f" is-{size}" if size else "",
        code,
        STATE_MEANINGS.get(code, ""),
        state_icon(code),
        code,
    )


def state_icon(code: str) -> SafeString:
    return draw_icon(f"state-{code}" if code in _with_icon(tuple(settings.STORES)) else "state-unknown")


@cache
def _with_icon(packages: tuple[str, ...]) -> frozenset[str]:
    """Return the codes of jobs and of these stores that the icon sheet has a symbol for."""
    enums = [enum for store in stores_of(packages) for enum in functions_of(store).drawn]
    return frozenset([*JobState, *Outcome, *(code for enum in enums for code in enum), "refused"])


def remove_code(text: str | None, code: str | None) -> str:
    """Remove the error code at the beginning of the hub's texts, because it is shown next to them."""
    return (text or "").removeprefix(f"{code}:").removeprefix(f"{code} ").strip()


def show_time(moment: datetime | None, style: str = "full") -> SafeString | str:
    """
    Show a time to the second in the zone of the page.

    Args:
        style: "full" is date, time and zone; "short" omits the zone; "clock" is hours, minutes and zone, for
            the next minutes; "ago" says how long ago it was; "age" is only the elapsed time. Each has the
            full form as its title.
    """
    if moment is None:
        return formatting.EMPTY
    local = _as_local_time(moment)
    full, since = with_zone(local), show_age(moment)
    texts = {
        "short": without_zone(local),
        "clock": f"{local:%H:%M} {local.tzname()}",
        "ago": since,
        # "now" would make "for now" of "for {age}".
        "age": "0 s" if since == formatting.NOW else since.removesuffix(" ago"),
    }
    return format_html(
        '<time datetime="{}" title="{}">{}</time>',
        machine_text(moment.astimezone(UTC)),
        full,
        texts.get(style, full),
    )


def show_age_in_row(moment: datetime) -> SafeString:
    """Show how long ago a time was and, for a row that is pointed at or has the focus, the time itself."""
    return format_html(
        '<time datetime="{}">{}</time> <span class="c-rows-exact">{}</span>',
        machine_text(moment.astimezone(UTC)),
        show_age(moment),
        full_time(moment),
    )


def _as_local_time(moment: datetime) -> datetime:
    return timezone.localtime(moment)


def full_time(moment: datetime) -> str:
    """Return a time to the second, with its zone."""
    return with_zone(_as_local_time(moment))


def show_age(moment: datetime) -> str:
    """Write how long ago a time was: 4 min ago."""
    return formatting.format_time_since(timezone.now() - moment)
