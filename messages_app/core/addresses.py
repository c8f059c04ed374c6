"""
Answers to requests with the wrong address: without its last slash, or with a method that it does not support.

Source: docs/contributing/spec/interfaces.md, "Rules of the API".
"""

import logging
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache

from django.conf import settings
from django.core.exceptions import DisallowedHost
from django.http import HttpRequest, HttpResponse, HttpResponsePermanentRedirect
from django.http.response import HttpResponseBase
from django.middleware.common import CommonMiddleware
from django.urls import URLPattern, URLResolver, get_resolver
from django.utils.http import escape_leading_slashes

from messages_app.core.problems import Problem, is_of_api, problem_response, quote_value

logger = logging.getLogger(__name__)

_VARIABLE = re.compile(r"<(?:\w+:)?(\w+)>")
# Other addresses that a 405 names.
_MAX_NAMED = 10
_READS = {"GET", "HEAD"}
_INDEX = "api/v1/"


class SlashMiddleware(CommonMiddleware):
    """
    Redirects a request to the address with its last slash.

    After a redirect with 301, most programs send a GET instead, whose answer looks like success. 308 keeps
    the method and the body, and a caller that does not follow it reads a problem.
    """

    def get_full_path_with_slash(self, request: HttpRequest) -> str:
        # The base class raises an error for a POST if DEBUG is on, because it can only redirect with 301.
        return escape_leading_slashes(request.get_full_path(force_append_slash=True))

    def process_response(self, request: HttpRequest, response: HttpResponseBase) -> HttpResponseBase:
        if response.status_code == 404 and self.should_redirect_with_slash(request):
            response = _redirect_to_route(request, self.get_full_path_with_slash(request), "missing_slash")
        return super().process_response(request, response)


class TlsMiddleware:
    """
    Redirects a request without TLS that changes something, with 308. The security middleware behind it
    redirects the others, and would redirect these with 301.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        if not settings.SECURE_SSL_REDIRECT or request.is_secure():
            return self._get_response(request)
        try:
            refuse_unknown_host(request)
        except Problem as problem:
            return problem_response(problem, request)
        if request.method in _READS:
            return self._get_response(request)
        address = f"https://{request.get_host()}{request.get_full_path()}"
        return _redirect_to_route(request, address, "tls_required")


def refuse_unknown_host(request: HttpRequest) -> None:
    """Refuse a request for another host here, because Django would log it as an error with its traceback."""
    try:
        request.get_host()
    except DisallowedHost:
        # Only the log repeats the host, because an attacker can send others to the answer.
        logger.warning("host: %s is not served", quote_value(request.META.get("HTTP_HOST", "")))
        text = "The console does not serve this host name. Add it to DJANGO_ALLOWED_HOSTS."
        raise Problem(400, "unknown_host", text) from None


def _redirect_to_route(request: HttpRequest, address: str, code: str) -> HttpResponse:
    if not is_of_api(request.path_info):
        return HttpResponsePermanentRedirect(address, preserve_request=request.method not in _READS)
    text = f"Nothing was done. Send the {request.method} to {address}."
    return problem_response(Problem(308, code, text, headers={"Location": address}), request)


def refuse_method(request: HttpRequest, allowed: Iterable[str]) -> Problem:
    """
    Return the 405 with the methods that the address supports, and the nearest addresses that support the
    method.
    """
    method, methods = request.method or "", ", ".join(allowed)
    nearest = list(_addresses_with(method, request))[:_MAX_NAMED]
    text = f"{request.path} does not support {method}, only {methods}."
    if nearest:
        text += f" These addresses support it: {', '.join(nearest)}."
    return Problem(405, "method_not_allowed", text, extra={"addresses": nearest}, headers={"Allow": methods})


def _addresses_with(method: str, request: HttpRequest) -> Iterator[str]:
    """Yield the addresses below and above that of the request that support a method, the nearest first."""
    match = request.resolver_match
    if match is None:
        return
    route, values = match.route, match.kwargs
    near = [pattern for pattern in _methods_by_route() if _is_near(pattern, route)]
    for pattern in sorted(near, key=lambda pattern: (_count_differing_slashes(pattern, route), pattern)):
        if method in _methods_by_route()[pattern]:
            yield "/" + _VARIABLE.sub(lambda name: str(values.get(name[1], f"{{{name[1]}}}")), pattern)


def _is_near(pattern: str, route: str) -> bool:
    """Whether a route is at most two parts below or above another one. The index is above all of them."""
    is_related = pattern.startswith(route) or route.startswith(pattern)
    is_of_index = min(pattern.count("/"), route.count("/")) == _INDEX.count("/")
    return is_related and 0 < _count_differing_slashes(pattern, route) <= 2 and not is_of_index


def _count_differing_slashes(pattern: str, route: str) -> int:
    return abs(pattern.count("/") - route.count("/"))


@cache
def _methods_by_route() -> Mapping[str, frozenset[str]]:
    """Return the methods of each address of the API, by its route."""
    return {
        route: frozenset(name.upper() for name in view.http_method_names if hasattr(view, name))
        for route, pattern in _iterate_patterns(get_resolver().url_patterns)
        if is_of_api(f"/{route}") and (view := getattr(pattern.callback, "view_class", None))
    }


def _iterate_patterns(
    entries: Iterable[URLPattern | URLResolver], below: str = ""
) -> Iterator[tuple[str, URLPattern]]:
    for entry in entries:
        route = f"{below}{entry.pattern}"
        if isinstance(entry, URLPattern):
            yield route, entry
        else:
            yield from _iterate_patterns(entry.url_patterns, route)
