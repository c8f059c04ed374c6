"""
What a browser may do with an answer, and where it reports the rest.

Source: docs/spec/promises.md, S-12, S-36.
"""

import logging
import re

from django.http import HttpRequest, HttpResponse
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_POST

from messages_app.core.problems import Problem, bad_field, shown
from messages_app.core.request_body import strict_json, utf8_text

# Where browsers send reports, by report-uri: the ones that know report-to as well would go by that alone, and
# send nothing where the console is reached without TLS.
REPORTS_PATH = "/policy-reports/"
_REPORTED = f"report-uri {REPORTS_PATH}"

# The API's answers are data: a browser that is made to show one may run and load nothing.
API_POLICY = "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

# A download is someone's text: where a browser shows it after all, it may do nothing.
DOWNLOAD_POLICY = f"sandbox; {API_POLICY}"

# Scripts and styles come from our own files alone: nothing inline, so no nonces, and nothing evaluated.
PAGE_POLICY = (
    "default-src 'self'; script-src 'self'; style-src 'self'; img-src 'self' data:; object-src 'none'; "
    f"base-uri 'none'; form-action 'self'; frame-ancestors 'none'; {_REPORTED}"
)


# What browsers report of a page's policy: lines in the log, kept nowhere else.
#
# Source: docs/spec/promises.md, S-12.
#
# Anyone can send one without a log-in, so a line is a hint, and never more than a few short texts.


log = logging.getLogger(__name__)

MAX_BYTES = 64 * 1024
MOST_LINES = 20  # of one body

_OLDER, _NEWER = "application/csp-report", "application/reports+json"
# What names the directive, the address that was blocked and the page.
_NAMES = {
    _OLDER: ("violated-directive", "blocked-uri", "document-uri"),
    _NEWER: ("effectiveDirective", "blockedURL", "documentURL"),
}


@csrf_exempt  # a browser sends them on its own, and has no token of ours
@require_POST
def take_reports(request: HttpRequest) -> HttpResponse:
    """Write what a browser reports to the log, once each (413, 415 and 400 for what is not a report)."""
    kind = request.content_type
    if kind not in _NAMES:
        raise Problem(415, "unsupported_media_type", f"Send {_OLDER} or {_NEWER}.")
    if len(request.body) > MAX_BYTES:
        raise Problem(413, "body_too_large", f"The body can have at most {MAX_BYTES} bytes.")
    violations = _violations(kind, strict_json(utf8_text(request.body)))
    told = dict.fromkeys(_told(one, _NAMES[kind]) for one in violations)  # many of a page are the same
    for line in list(told)[:MOST_LINES]:
        log.warning("policy: %s refused %s on %s", *line)
    return HttpResponse(status=204)


def _violations(kind: str, data: object) -> list[object]:
    if kind == _OLDER:
        return [_member(data, "csp-report")]
    if not isinstance(data, list):
        raise Problem(400, "invalid_value", "The body must be a list of reports.")
    return [_member(one, "body") for one in data if _member(one, "type") == "csp-violation"]


def _told(violation: object, names: tuple[str, ...]) -> tuple[str, str, str]:
    """Return directive, blocked address and the page's path, each as it can be in a line."""
    directive, blocked, page = (_text(violation, name) for name in names)
    path = re.sub(r"^[a-z]+://[^/]*", "", _without_query(page))
    return shown(directive), shown(_without_query(blocked)), shown(path)


def _without_query(address: str) -> str:
    return re.split("[?#]", address, maxsplit=1)[0]


def _text(violation: object, name: str) -> str:
    value = _member(violation, name)
    if not isinstance(value, str):
        raise bad_field(name, "invalid_value", f"{name} must be text.")
    return value


def _member(of: object, name: str) -> object:
    if not isinstance(of, dict) or name not in of:
        raise bad_field(name, "required", f"The report has no {name}.")
    return of[name]
