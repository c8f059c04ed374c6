"""What a request tells of the use of its session."""

from dataclasses import dataclass

from django.http import HttpRequest

from messages_app.access.actors import address_of
from messages_app.access.sessions.models import MAX_BROWSER

# What a page asks for by itself has this header: htmx sends it, and our scripts do.
_BY_ITSELF = "HX-Request"
_READS = {"GET", "HEAD"}


@dataclass(frozen=True, kw_only=True)
class Visit:
    """
    One request, as its session sees it.

    Args:
        address: the peer's; None where it has none.
        browser: what it says it is.
        is_use: somebody is there. A page that looks again by itself is not somebody.
    """

    address: str | None = None
    browser: str = ""
    is_use: bool = False


def visit_of(request: HttpRequest) -> Visit:
    """Return what `request` tells."""
    told = request.headers.get("User-Agent", "")
    return Visit(
        address=address_of(request),
        browser="".join(filter(str.isprintable, told))[:MAX_BROWSER],
        is_use=request.method not in _READS or _BY_ITSELF not in request.headers,
    )
