"""
What every answer of the console has, whatever made it: a request id, headers, and a form for failures.

Source: docs/spec/promises.md, S-11, S-12, S-14, S-18, S-63, I-64.
"""

import uuid
from collections.abc import Callable

from django.conf import settings
from django.http import HttpRequest, HttpResponse

from messages_app.core.content_security import API_POLICY, DOWNLOAD_POLICY, PAGE_POLICY
from messages_app.core.error_handlers import problem_of
from messages_app.core.parameters import refuse_invalid_encoding, refuse_too_many
from messages_app.core.problems import API_PREFIX, Problem, problem_response

GetResponse = Callable[[HttpRequest], HttpResponse]

# Of pages; a view of the API says itself which it takes.
_PAGE_METHODS = ("GET", "HEAD", "POST", "OPTIONS")


class RequestIdMiddleware:
    """Gives the request an id, which the answer, the log and the audit name. Never the caller's own."""

    def __init__(self, get_response: GetResponse) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        request_id = str(uuid.uuid4())
        request.request_id = request_id  # type: ignore[attr-defined]  # what middleware adds has no type
        response = self.get_response(request)
        response.headers["X-Request-ID"] = request_id
        return response


class HeadersMiddleware:
    """Adds the headers that keep answers private and out of other sites; a view's own come first."""

    def __init__(self, get_response: GetResponse) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        response = self.get_response(request)
        response.headers.setdefault("Cache-Control", "no-store")
        response.headers.setdefault("Content-Security-Policy", _policy(request.path_info, response))
        response.headers.setdefault("Permissions-Policy", "camera=(), geolocation=(), microphone=()")
        return response


def _policy(path: str, response: HttpResponse) -> str:
    if response.headers.get("Content-Disposition", "").startswith("attachment"):
        return DOWNLOAD_POLICY
    if path.startswith(API_PREFIX):
        return API_POLICY
    return PAGE_POLICY


class ProxyMiddleware:
    """
    Believes X-Forwarded-For and X-Forwarded-Proto where a proxy that the settings name has written them.

    Each proxy adds on the right who it heard from: the first one from there that is none of ours is the
    caller; what stands left of it, the caller may have made up.

    Source: docs/spec/promises.md, S-42; docs/spec/bad_input.md, A62.
    """

    def __init__(self, get_response: GetResponse) -> None:
        self.get_response = get_response
        self.proxies = frozenset(settings.TRUSTED_PROXIES)

    def __call__(self, request: HttpRequest) -> HttpResponse:
        if not self._is_proxy(request.META.get("REMOTE_ADDR", "")):
            # Else anyone could say that a request came by https: SECURE_PROXY_SSL_HEADER believes the header.
            request.META.pop("HTTP_X_FORWARDED_PROTO", None)
        heard = [part.strip() for part in request.META.get("HTTP_X_FORWARDED_FOR", "").split(",")]
        while request.META.get("REMOTE_ADDR", "") in self.proxies and heard and heard[-1]:
            request.META["REMOTE_ADDR"] = heard.pop()
        return self.get_response(request)

    def _is_proxy(self, peer: str) -> bool:
        """Whether a peer may speak for others; one without an address uses a socket file of this machine."""
        return not peer or peer in self.proxies


class ProblemMiddleware:
    """Turns what a view raises into the one error format, and refuses what no view could read."""

    def __init__(self, get_response: GetResponse) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        try:
            _refuse_strange_method(request)
            refuse_invalid_encoding(request)
            refuse_too_many(request)
            _refuse_unsized_body(request)
        except Problem as problem:
            return problem_response(problem, request)
        return self.get_response(request)

    def process_exception(self, request: HttpRequest, exception: Exception) -> HttpResponse | None:
        problem = problem_of(exception)
        return problem_response(problem, request) if problem else None


def _refuse_strange_method(request: HttpRequest) -> None:
    """
    Refuse what no page takes: views of the framework take TRACE for a reading (docs/spec/promises.md, S-18).
    """
    if request.method not in _PAGE_METHODS and not request.path_info.startswith(API_PREFIX):
        text, allowed = "This address does not support that method.", ", ".join(_PAGE_METHODS)
        raise Problem(405, "method_not_allowed", text, headers={"Allow": allowed})


def _refuse_unsized_body(request: HttpRequest) -> None:
    """Refuse a body that does not say how long it is: the framework would read it as empty."""
    if "chunked" in request.META.get("HTTP_TRANSFER_ENCODING", "").lower():
        raise Problem(411, "length_required", "Send the body with a Content-Length.")
