"""The page of the console that a request comes from."""

from urllib.parse import urlsplit, urlunsplit

from django.core.exceptions import DisallowedHost
from django.http import HttpRequest
from django.utils.http import url_has_allowed_host_and_scheme


def page_before(request: HttpRequest) -> str:
    """Return the address of the console's page that the request comes from; empty for other sites."""
    referer = request.headers.get("Referer", "")
    try:
        host = request.get_host()
    except DisallowedHost:  # The page about this error asks, too.
        return ""
    is_ours = url_has_allowed_host_and_scheme(referer, {host}, require_https=request.is_secure())
    if not referer or not is_ours:
        return ""
    parts = urlsplit(referer)
    page = urlunsplit(("", "", parts.path, parts.query, ""))
    # A path that begins with two slashes would lead to another host.
    return page if url_has_allowed_host_and_scheme(page, None) else ""
