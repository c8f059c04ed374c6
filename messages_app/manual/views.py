"""
The pages of the manual. Everyone may read them without a login: they have no data and no secrets.

They do not read the session, the user or the database, so they answer while the database is down.
"""

import gzip
import hashlib

from django.http import HttpRequest, HttpResponse, HttpResponsePermanentRedirect
from django.utils.cache import get_conditional_response, patch_vary_headers
from django.views.decorators.http import require_safe

from messages_app.core.middleware import REPORTS_PATH
from messages_app.core.page_parameters import takes_parameters
from messages_app.core.problems import bad_field
from messages_app.manual.library import MEDIA_TYPES, Manual, address_of_chapter, read_manual
from messages_app.manual.pages import write_chapter, write_page
from messages_app.manual.search import MAX_QUERY, find_sections, show_excerpt

# Pages only load the console's own files, and only send the search.
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; font-src 'self'; "
    f"base-uri 'none'; form-action 'self'; frame-ancestors 'none'; report-uri {REPORTS_PATH}"
)
# A drawing has styles of its own; nothing in it may run or load.
PICTURE_POLICY = "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; sandbox"
# A browser asks each time whether a page has changed, and once a day for a picture.
_PAGE_CACHE, _PICTURE_CACHE = "public, no-cache", "public, max-age=86400"


@require_safe
def show_chapter(request: HttpRequest, path: str = "") -> HttpResponse:
    """Show a chapter or a picture of the manual."""
    manual = read_manual()
    if path in manual.pictures:
        return _send_picture(request, manual, path)
    chapter = manual.chapters.get(path.rstrip("/"))
    if chapter is None:
        return _show_missing(manual, path)
    address = address_of_chapter(chapter.name)
    if request.path_info != address:
        return HttpResponsePermanentRedirect(address)
    return _send_page(request, write_chapter(chapter, manual))


@require_safe
@takes_parameters("q")
def show_results(request: HttpRequest) -> HttpResponse:
    """
    Show the sections that have every word of `q`, or most of them.

    Raises:
        Problem: 400, q is too long.
    """
    text = request.GET.get("q", "")
    if len(text) > MAX_QUERY:
        raise bad_field("q", "too_long", f"q must have at most {MAX_QUERY} characters.")
    manual = read_manual()
    results = [
        (places[0].chapter, [(place, show_excerpt(place, text)) for place in places])
        for places in find_sections(manual, text)
    ]
    has_all_words = all(place.has_all_words for _, places in results for place, _ in places)
    context = {"text": text, "results": results, "has_all_words": has_all_words}
    return _send_page(request, write_page("messages_app/manual/results.html", manual, context))


def _show_missing(manual: Manual, name: str) -> HttpResponse:
    """Return the page for an address without a chapter, or for an installation without the manual."""
    context = {"is_installed": bool(manual.chapters), "name": name[:MAX_QUERY]}
    response = HttpResponse(write_page("messages_app/manual/missing.html", manual, context), status=404)
    response.headers["Content-Security-Policy"] = POLICY
    return response


def _send_page(request: HttpRequest, markup: str) -> HttpResponse:
    page = markup.encode()
    is_zipped = "gzip" in request.headers.get("Accept-Encoding", "")
    response = HttpResponse(
        gzip.compress(page) if is_zipped else page,
        headers={
            "Cache-Control": _PAGE_CACHE,
            "Content-Security-Policy": POLICY,
            "ETag": f'"{_make_digest(page)}{"-gzip" if is_zipped else ""}"',
        },
    )
    if is_zipped:
        response.headers["Content-Encoding"] = "gzip"
    patch_vary_headers(response, ["Accept-Encoding"])
    return _without_known(request, response)


def _send_picture(request: HttpRequest, manual: Manual, name: str) -> HttpResponse:
    path = manual.pictures[name]
    content = path.read_bytes()
    response = HttpResponse(
        content,
        content_type=MEDIA_TYPES[path.suffix],
        headers={
            "Cache-Control": _PICTURE_CACHE,
            "Content-Security-Policy": PICTURE_POLICY,
            "ETag": f'"{_make_digest(content)}"',
        },
    )
    return _without_known(request, response)


def _make_digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()[:16]


def _without_known(request: HttpRequest, response: HttpResponse) -> HttpResponse:
    """Return 304 if the caller already has the content."""
    answer = get_conditional_response(request, response.headers["ETag"], response=response)
    return answer if isinstance(answer, HttpResponse) else response
