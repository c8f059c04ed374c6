"""
Parts of every response: a request id, security headers with the content security policy, one error format.

Source: docs/contributing/spec/promises.md, S-11, S-12, S-14, S-18, S-36, S-63, I-64.
"""

import logging
import re
import uuid
from collections.abc import Callable
from ipaddress import ip_address, ip_network

from django.conf import settings
from django.http import HttpRequest, HttpResponse, HttpResponseNotAllowed
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_POST

from messages_app.core.addresses import refuse_unknown_host
from messages_app.core.error_handlers import problem_of
from messages_app.core.page_parameters import refuse_unknown_parameters
from messages_app.core.parameters import refuse_invalid_encoding, refuse_too_many
from messages_app.core.problems import Problem, bad_field, is_of_api, problem_response, quote_value
from messages_app.core.request_body import decode_utf8, parse_strict_json

GetResponse = Callable[[HttpRequest], HttpResponse]

log = logging.getLogger(__name__)

# The methods of pages. Each view of the API declares its own.
_PAGE_METHODS = ("GET", "HEAD", "POST", "OPTIONS")


class RequestIdMiddleware:
    """
    Gives each request an id for the answer, the log and the audit log. An id from the caller is never used.
    """

    def __init__(self, get_response: GetResponse) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        request_id = str(uuid.uuid4())
        request.request_id = request_id  # type: ignore[attr-defined]  # what middleware adds has no type
        response = self.get_response(request)
        response.headers["X-Request-ID"] = request_id
        return response


class HeadersMiddleware:
    """Adds headers that keep answers private and out of other sites. Headers of a view have priority."""

    def __init__(self, get_response: GetResponse) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        response = self.get_response(request)
        response.headers.setdefault("Cache-Control", "no-store")
        response.headers.setdefault(
            "Content-Security-Policy", _policy_of_response(request.path_info, response)
        )
        response.headers.setdefault("Permissions-Policy", "camera=(), geolocation=(), microphone=()")
        return response


def _policy_of_response(path: str, response: HttpResponse) -> str:
    if response.headers.get("Content-Disposition", "").startswith("attachment"):
        return DOWNLOAD_POLICY
    if is_of_api(path):
        return API_POLICY
    return PAGE_POLICY


class ProxyMiddleware:
    """
    Trusts X-Forwarded-For and X-Forwarded-Proto only from proxies that the settings name.

    Each proxy appends its peer on the right. The rightmost address that is not a known proxy is the caller.
    The caller may have invented everything to the left of it.

    Source: docs/contributing/spec/promises.md, S-42; docs/contributing/spec/bad_input.md, A62.
    """

    def __init__(self, get_response: GetResponse) -> None:
        self.get_response = get_response
        self.proxies = [ip_network(proxy) for proxy in settings.TRUSTED_PROXIES]

    def __call__(self, request: HttpRequest) -> HttpResponse:
        peer = request.META.get("REMOTE_ADDR", "")
        # A peer without an address uses a Unix socket of this machine.
        if peer and not self._is_proxy(peer):
            # Otherwise any client could claim to use https, because SECURE_PROXY_SSL_HEADER trusts the
            # header.
            request.META.pop("HTTP_X_FORWARDED_PROTO", None)
        heard = [part.strip() for part in request.META.get("HTTP_X_FORWARDED_FOR", "").split(",")]
        while self._is_proxy(request.META.get("REMOTE_ADDR", "")) and heard and heard[-1]:
            request.META["REMOTE_ADDR"] = heard.pop()
        return self.get_response(request)

    def _is_proxy(self, text: str) -> bool:
        try:
            address = ip_address(text)
        except ValueError:
            return False
        return any(address in network for network in self.proxies)


class ProblemMiddleware:
    """Converts exceptions of views to the one error format, and refuses requests that no view could read."""

    def __init__(self, get_response: GetResponse) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        try:
            _refuse_strange_method(request)
            refuse_invalid_encoding(request)
            refuse_too_many(request)
            _refuse_unsized_body(request)
            _refuse_encoded_body(request)
            refuse_unknown_host(request)
        except Problem as problem:
            return problem_response(problem, request)
        response = self.get_response(request)
        if isinstance(response, HttpResponseNotAllowed):  # Django's own has no text.
            return problem_response(_unsupported_method(request, response.headers["Allow"]), request)
        return response

    def process_view(
        self, request: HttpRequest, view: Callable[..., object], args: object, kwargs: object
    ) -> HttpResponse | None:
        try:
            refuse_unknown_parameters(request, view)
        except Problem as problem:
            return problem_response(problem, request)
        return None

    def process_exception(self, request: HttpRequest, exception: Exception) -> HttpResponse | None:
        problem = problem_of(exception)
        return problem_response(problem, request) if problem else None


def _refuse_strange_method(request: HttpRequest) -> None:
    """
    Refuse methods that no page accepts. Django's views would treat TRACE like GET
    (docs/contributing/spec/promises.md, S-18).
    """
    if request.method not in _PAGE_METHODS and not is_of_api(request.path_info):
        raise _unsupported_method(request, ", ".join(_PAGE_METHODS))


def _unsupported_method(request: HttpRequest, allowed: str) -> Problem:
    text = f"This address supports only {allowed}, not {quote_value(request.method)}."
    return Problem(405, "method_not_allowed", text, headers={"Allow": allowed})


def _refuse_unsized_body(request: HttpRequest) -> None:
    """Refuse a body without a length, because the framework would read it as empty."""
    if "chunked" in request.META.get("HTTP_TRANSFER_ENCODING", "").lower():
        raise Problem(411, "length_required", "Send the body with a Content-Length.")


def _refuse_encoded_body(request: HttpRequest) -> None:
    """Refuse a compressed body, because a small one could become too large to keep in memory."""
    encoding = request.headers.get("Content-Encoding", "").strip().lower()
    if encoding not in {"", "identity"}:
        text = f"The Content-Encoding {quote_value(encoding)} is not supported. Send the body uncompressed."
        raise Problem(415, "unsupported_media_type", text, headers={"Accept-Encoding": "identity"})


# Browsers send reports here by report-uri. A browser that also knows report-to would only use that, and would
# send no reports if the console is reached without TLS.
REPORTS_PATH = "/policy-reports/"
_REPORTED = f"report-uri {REPORTS_PATH}"

# Answers of the API are data. A browser that displays one must not run or load anything.
API_POLICY = "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

# A download has text from others. If a browser displays it anyway, it must not do anything.
DOWNLOAD_POLICY = f"sandbox; {API_POLICY}"

# Scripts and styles only come from the console's own files: no inline code, so no nonces, and no eval.
PAGE_POLICY = (
    "default-src 'self'; script-src 'self'; style-src 'self'; img-src 'self' data:; object-src 'none'; "
    f"base-uri 'none'; form-action 'self'; frame-ancestors 'none'; {_REPORTED}"
)


# Reports of browsers about a page's content security policy. They are only lines of the log.
#
# Source: docs/contributing/spec/promises.md, S-12.
#
# Anyone can send one without a login, so a line is only a hint, with a few short texts.
MAX_BYTES = 64 * 1024
MAX_LINES = 20  # lines for one body

_OLDER, _NEWER = "application/csp-report", "application/reports+json"
# The names of the members with the directive, the blocked address and the page.
_NAMES = {
    _OLDER: ("violated-directive", "blocked-uri", "document-uri"),
    _NEWER: ("effectiveDirective", "blockedURL", "documentURL"),
}


@csrf_exempt  # Browsers send reports automatically, without a CSRF token.
@require_POST
def take_reports(request: HttpRequest) -> HttpResponse:
    """Write the reports of a browser to the log, without duplicates. Other bodies get a 413, 415 or 400."""
    kind = request.content_type
    if kind not in _NAMES:
        raise Problem(415, "unsupported_media_type", f"Send {_OLDER} or {_NEWER}.")
    if len(request.body) > MAX_BYTES:
        raise Problem(413, "body_too_large", f"The body can have at most {MAX_BYTES} bytes.")
    violations = _parse_violations(kind, parse_strict_json(decode_utf8(request.body)))
    # Many reports of a page are the same.
    lines = dict.fromkeys(_describe_violation(one, _NAMES[kind]) for one in violations)
    for line in list(lines)[:MAX_LINES]:
        log.warning("policy: %s refused %s on %s", *line)
    return HttpResponse(status=204)


def _parse_violations(kind: str, data: object) -> list[object]:
    if kind == _OLDER:
        return [_required_member(data, "csp-report")]
    if not isinstance(data, list):
        raise Problem(400, "invalid_value", "The body must be a list of reports.")
    return [_required_member(one, "body") for one in data if _required_member(one, "type") == "csp-violation"]


def _describe_violation(violation: object, names: tuple[str, ...]) -> tuple[str, str, str]:
    """Return the directive, the blocked address and the path of the page, each safe for a log line."""
    directive, blocked, page = (_text_member(violation, name) for name in names)
    path = re.sub(r"^[a-z]+://[^/]*", "", _without_query(page))
    return quote_value(directive), quote_value(_without_query(blocked)), quote_value(path)


def _without_query(address: str) -> str:
    return re.split("[?#]", address, maxsplit=1)[0]


def _text_member(violation: object, name: str) -> str:
    value = _required_member(violation, name)
    if not isinstance(value, str):
        raise bad_field(name, "invalid_value", f"{name} must be text.")
    return value


def _required_member(of: object, name: str) -> object:
    if not isinstance(of, dict) or name not in of:
        raise bad_field(name, "required", f"The report has no {name}.")
    return of[name]
