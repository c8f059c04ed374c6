"""The frame of every page: the groups of the menu with their numbers, the way to the page, and the manual."""

from collections.abc import Mapping
from datetime import datetime
from itertools import groupby

from django import template
from django.http import HttpRequest
from django.template.loader_tags import BLOCK_CONTEXT_KEY
from django.utils.encoding import escape_uri_path
from django.utils.safestring import SafeString

from messages_app.access.navigation import chapter_of_page, menu_entries
from messages_app.access.places import Place, read_place
from messages_app.access.users.selectors import list_administrators_to_ask
from messages_app.core.stores import MenuEntry, MenuGroup
from messages_app.dashboard.menu_counts import read_menu_counts
from messages_app.finding.recent_places import list_pins
from messages_app.jobs.notices import JobNotices, list_job_notices
from messages_app.manual.library import read_manual
from messages_app.manual.links import chapter_of_error

register = template.Library()

# Written by menu.js. A cookie, because the first picture of a page must have the groups as they were.
_CLOSED_GROUPS = "menuClosed"
# Open, it would not fit next to the others.
_USUALLY_CLOSED = MenuGroup.ADMIN


@register.simple_tag(takes_context=True, name="navigation")
def list_navigation(context: template.Context) -> list[dict[str, object]]:
    """Return the groups of the menu for the user of this page, with their entries and the current one."""
    request = context["request"]
    counts = read_menu_counts()
    closed = request.COOKIES.get(_CLOSED_GROUPS, _USUALLY_CLOSED).split(".")
    groups: list[dict[str, object]] = []
    for group, entries in groupby(menu_entries(request.user), key=lambda entry: entry.group):
        lines = [
            {
                "entry": entry,
                "number": counts.get(entry.count, 0),
                "is_current": _is_section_of(entry, request.path),
            }
            for entry in entries
        ]
        is_current = any(line["is_current"] for line in lines)
        groups.append({"name": group, "entries": lines, "is_closed": group in closed and not is_current})
    return groups


def _is_section_of(entry: MenuEntry, path: str) -> bool:
    """Whether an address is that of the entry or below it; all begin with that of the first page."""
    return path == entry.url or (entry.url != "/" and path.startswith(entry.url))


@register.simple_tag(takes_context=True, name="section")
def find_section(context: template.Context) -> MenuEntry | None:
    """Return the entry of the menu whose page is open, or above the open one."""
    request = context["request"]
    return next((each for each in menu_entries(request.user) if _is_section_of(each, request.path)), None)


@register.simple_tag(takes_context=True)
def menu_counts(context: template.Context) -> Mapping[str, int]:
    """Return the numbers of the user's menu, for an open page."""
    counts = read_menu_counts()
    names = [entry.count for entry in menu_entries(context["request"].user)]
    return {name: counts[name] for name in names if name in counts}


@register.simple_tag(takes_context=True)
def find_job_notices(context: template.Context, since: datetime) -> JobNotices | None:
    """Return the jobs of the user that ended since a moment, or wait for a person, for a notification."""
    return list_job_notices(context["request"].user, since)


@register.simple_tag(takes_context=True)
def find_place(context: template.Context) -> Place | None:
    """
    Return the object of this page; None if it is the page of something else, or reports an error.

    A view may name the object by `place_path`: the page of a list has that of the saved view.
    """
    if context.get("problem"):
        return None
    path = context.get("place_path")
    return read_place(escape_uri_path(context["request"].path if path is None else path))


@register.simple_tag(takes_context=True)
def pinned_places(context: template.Context) -> list[tuple[Place, str]]:
    """Return the pinned objects of the user of this page, with their names."""
    return list_pins(context["request"].user)


@register.simple_tag(takes_context=True)
def page_title(context: template.Context) -> SafeString:
    """Return the title of the page, from its block `title`, for the last step of the way to it."""
    block = context.render_context[BLOCK_CONTEXT_KEY].get_block("title")
    # The block has escaped its values.
    return SafeString("" if block is None else block.render(context).strip())


@register.simple_tag(name="chapter")
def chapter_address(target: str) -> str:
    """
    Return the address of a chapter of the manual, or of a heading in it: "howto/attach",
    "howto/attach#detach".
    """
    return read_manual().address_of(target)


@register.simple_tag
def administrators_to_ask() -> list[str]:
    """Return the names of users who can give the user of this page a role."""
    return list_administrators_to_ask()


@register.simple_tag
def chapter_about_error(code: str) -> str:
    """Return the address of the chapter that explains an error."""
    return read_manual().address_of(chapter_of_error(code))


@register.simple_tag
def chapter_about_page(request: HttpRequest) -> str:
    """Return the address of the chapter about a page of the console."""
    return read_manual().address_of(chapter_of_page(request.path))
