"""The way between the first page, the handover, and the pages of what is watched."""

from messages_app.web.sections import Section, sections

_SECTIONS = {
    "home": "Now",
    "handover": "Handover",
    "alert-list": "Alerts",
    "watch-rules": "Watch rules",
}


def way(current: str) -> list[Section]:
    """Return the pages beside the first one; `current`: the route of the one that is shown."""
    return sections(_SECTIONS, current=current, beginnings={})
