"""The page of ours that a request comes from."""

from urllib.parse import urlsplit, urlunsplit

from django.http import HttpRequest
from django.utils.http import url_has_allowed_host_and_scheme


def page_before(request: HttpRequest) -> str:
    """Return the page of ours that led here, or whose form was sent; empty where it is none of ours."""
    referer = request.headers.get("Referer", "")
    is_ours = url_has_allowed_host_and_scheme(
        referer, {request.get_host()}, require_https=request.is_secure()
    )
    if not referer or not is_ours:
        return ""
    parts = urlsplit(referer)
    page = urlunsplit(("", "", parts.path, parts.query, ""))
    # A path of two slashes would be another host.
    return page if url_has_allowed_host_and_scheme(page, None) else ""
