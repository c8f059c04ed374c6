"""Values as markup: symbols, states and times, for templates and for rows written without one."""

from collections.abc import Iterable
from datetime import datetime
from functools import cache, lru_cache

from django.conf import settings
from django.templatetags.static import static
from django.utils import timezone
from django.utils.html import format_html
from django.utils.module_loading import import_string
from django.utils.safestring import SafeString

from messages_app.core import formatting
from messages_app.core.stores import stores_of
from messages_app.shared.job_states import JobState, Outcome
from messages_app.shared.message_states import STATE_MEANINGS


def icon(name: str, kind: str = "") -> SafeString:
    """Draw a symbol of the icon sheet. Screen readers skip it, because it is next to its text."""
    return _icon(name, kind, settings.STATIC_URL)


# A page has a hundred icons, of a few names.
@lru_cache(maxsize=500)
def _icon(name: str, kind: str, _address_of_files: str) -> SafeString:
    return format_html(
        '<svg class="icon{}" aria-hidden="true"><use href="{}#{}"/></svg>',
        f" {kind}" if kind else "",
        static("icons/icons.svg"),
        name,
    )


def state(code: str, size: str = "") -> SafeString:
    """Show a state of a message, call or job: text, icon, colour. An unknown code is shown unchanged."""
    return format_html(
        '<span class="state{}" data-state="{}" title="{}">{}{}</span>',
        f" state-{size}" if size else "",
        code,
        STATE_MEANINGS.get(code, ""),
        state_icon(code),
        code,
    )


def state_icon(code: str) -> SafeString:
    return icon(f"state-{code}" if code in _with_icon(tuple(settings.STORES)) else "state-unknown")


@cache
def _with_icon(packages: tuple[str, ...]) -> frozenset[str]:
    """Return the codes of jobs and of these stores that the icon sheet has a symbol for."""
    enums: list[Iterable[str]] = [
        import_string(path) for store in stores_of(packages) for path in store.drawn
    ]
    return frozenset([*JobState, *Outcome, *(code for enum in enums for code in enum), "refused"])


def without_code(text: str | None, code: str | None) -> str:
    """Remove the error code at the beginning of the hub's texts, because it is shown next to them."""
    return (text or "").removeprefix(f"{code}:").removeprefix(f"{code} ").strip()


def when(moment: datetime | None, style: str = "full") -> SafeString | str:
    """
    Show a time to the second, with its zone.

    Args:
        style: "full" is date, time and zone; "short" omits the zone; "ago" is the zone and the elapsed time;
            "age" is only the elapsed time. Each has the full form as its title.
    """
    if moment is None:
        return formatting.EMPTY
    full, since = full_time(moment), ago(moment)
    texts = {"short": _short_time(moment), "ago": zone_and_ago(moment), "age": since.removesuffix(" ago")}
    return format_html(
        '<time datetime="{}" title="{}">{}</time>', _machine_time(moment), full, texts.get(style, full)
    )


def when_of_line(moment: datetime) -> SafeString:
    """Show a time to the second above its zone and how long ago it was, without a title."""
    return format_html(
        '<time datetime="{}">{}</time><div class="second-line">{}</div>',
        _machine_time(moment),
        _short_time(moment),
        zone_and_ago(moment),
    )


def _machine_time(moment: datetime) -> str:
    return timezone.localtime(moment).isoformat().replace("+00:00", "Z")


def _short_time(moment: datetime) -> str:
    return f"{timezone.localtime(moment):%Y-%m-%d %H:%M:%S}"


def full_time(moment: datetime) -> str:
    """Return a time to the second, with its zone."""
    return f"{_short_time(moment)} {timezone.localtime(moment).tzname()}"


def zone_and_ago(moment: datetime) -> str:
    """Return the zone of a time and how long ago it was, for the line below the time."""
    return f"{timezone.localtime(moment).tzname()} · {ago(moment)}"


def ago(moment: datetime) -> str:
    """Write how long ago a time was: 4 min ago."""
    return formatting.ago(timezone.now() - moment)
