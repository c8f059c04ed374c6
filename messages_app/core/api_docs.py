"""The API description and the page that shows it, for logged-in users."""

import gzip
import hashlib
import json
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, cached_property, lru_cache

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.cache import get_conditional_response, patch_vary_headers
from django.views.decorators.http import require_safe
from drf_spectacular.generators import SchemaGenerator
from drf_spectacular.renderers import OpenApiJsonRenderer2, OpenApiYamlRenderer2
from drf_spectacular.views import SpectacularAPIView
from rest_framework.renderers import BaseRenderer
from rest_framework.request import Request

from messages_app.core.api_examples import Description
from messages_app.core.api_samples import add_samples
from messages_app.core.middleware import PAGE_POLICY
from messages_app.core.parameters import single_values
from messages_app.core.problems import bad_field, quote_value

# The headers of answers and the server, in the API description. drf-spectacular calls `describe`.
# The header of an answer to a call that waited for a job.
WAIT_ENDED = "X-Wait-Ended"
_TEXT = {"schema": {"type": "string"}}
_HEADERS = {
    "RateLimit-Policy": {
        "description": "Limits of the caller: `q` requests in `w` seconds.",
        **_TEXT,
    },
    "RateLimit": {"description": "`r` requests are left for the next `t` seconds.", **_TEXT},
    "X-Request-ID": {"description": "Id of the request in the log and the audit log.", **_TEXT},
    "Location": {
        "description": "The address of the created object.",
        "schema": {"type": "string", "format": "uri"},
    },
    "ETag": {"description": "For `If-Match` and `If-None-Match`.", **_TEXT},
    "Retry-After": {"description": "Seconds.", "schema": {"type": "integer"}},
    WAIT_ENDED: {
        "description": (
            "Why a call with `wait` was answered: the job has ended, the time is over, or too many other"
            " calls wait (then with `Retry-After`)."
        ),
        "schema": {"type": "string", "enum": ["job", "time", "limit"]},
    },
}
_ALWAYS = ("X-Request-ID", "RateLimit", "RateLimit-Policy")


def server_of(request: HttpRequest) -> str:
    """Return the address of the server that a request was sent to."""
    return request.build_absolute_uri("/").rstrip("/")


def describe_document(
    result: Description, generator: object, request: HttpRequest | None, public: bool
) -> Description:
    """Add the address of the requested server, and the headers of each answer."""
    result["servers"] = [{"url": server_of(request) if request else "/"}]
    result["components"]["headers"] = _HEADERS
    for calls in result["paths"].values():
        for call in calls.values():
            _describe_headers(call)
    return result


def _describe_headers(call: Description) -> None:
    parameter_names = {each["name"] for each in call.get("parameters", [])}
    for status, answer in call["responses"].items():
        names = [*_ALWAYS, *_list_headers(status, parameter_names)]
        answer["headers"] = {name: {"$ref": f"#/components/headers/{name}"} for name in names}


def _list_headers(status: str, parameter_names: set[str]) -> list[str]:
    if "wait" in parameter_names and status in {"200", "304"}:
        return ["ETag", WAIT_ENDED, "Retry-After"]
    is_tagged = bool(parameter_names & {"If-Match", "If-None-Match"})
    if status in {"201", "202"}:
        return ["Location"]
    if status in {"429", "503"}:
        return ["Retry-After"]
    return ["ETag"] if is_tagged and status in {"200", "304", "412"} else []


_FORMATS = {"json": OpenApiJsonRenderer2, "yaml": OpenApiYamlRenderer2}
# The number of rendered descriptions that a process caches: both formats, for a few names of the server.
_MAX_KEPT = 8


@dataclass(frozen=True, kw_only=True)
class _Rendered:
    """A description in one format, plain and compressed, each with its entity tag."""

    plain: bytes
    zipped: bytes

    @cached_property
    def digest(self) -> str:
        return hashlib.sha256(self.plain).hexdigest()[:16]


class SchemaView(SpectacularAPIView):
    """
    OpenAPI 3.1 as JSON or YAML, by `Accept` or by `?format=`.

    It is the same for all logged-in users and changes only with the code, so each process renders it once.
    """

    def perform_content_negotiation(self, request: Request, force: bool = False) -> tuple[BaseRenderer, str]:
        name = request.query_params.get("format")
        if name in _FORMATS:
            renderer = _FORMATS[name]()
            return renderer, renderer.media_type
        return super().perform_content_negotiation(request, force=force)

    def initial(self, request: Request, *args: object, **kwargs: object) -> None:
        super().initial(request, *args, **kwargs)
        if request.method not in self.allowed_methods:
            return
        name = single_values(request.query_params, {"format"}).get("format")
        if name is not None and name not in _FORMATS:
            text = f"format must be one of {', '.join(_FORMATS)}; not {quote_value(name)}."
            raise bad_field("format", "invalid_value", text)

    def _get_schema_response(self, request: Request) -> HttpResponse:
        renderer: Callable[[], BaseRenderer] = type(request.accepted_renderer)
        rendered = _render_docs(renderer, server_of(request))
        response = _send_rendered(request, rendered, media_type=str(request.accepted_media_type))
        response.headers["Content-Disposition"] = f'inline; filename="{_file_name(self, request)}"'
        return response


def _file_name(view: SpectacularAPIView, request: Request) -> str:
    return str(view._get_filename(request, None))


def _send_rendered(request: HttpRequest | Request, rendered: _Rendered, *, media_type: str) -> HttpResponse:
    """Return the description, compressed if the caller reads that; without it if the caller has it."""
    is_zipped = "gzip" in request.headers.get("Accept-Encoding", "")
    response = HttpResponse(
        rendered.zipped if is_zipped else rendered.plain,
        content_type=f"{media_type}; charset=utf-8",
        headers={"ETag": f'"{rendered.digest}{"-gzip" if is_zipped else ""}"'},
    )
    if is_zipped:
        response.headers["Content-Encoding"] = "gzip"
    patch_vary_headers(response, ["Accept", "Accept-Encoding"])
    return get_conditional_response(request, response.headers["ETag"], response=response) or response


@require_safe
def docs_page(request: HttpRequest) -> HttpResponse:
    response = render(request, "api_docs.html")
    response.headers["Content-Security-Policy"] = PAGE_POLICY
    return response


@require_safe
def viewer_description(request: HttpRequest) -> HttpResponse:
    """Return the description that the viewer of the page draws."""
    return _send_rendered(request, _render_for_viewer(server_of(request)), media_type="application/json")


@cache
def describe_api() -> Description:
    """
    Return the description without its server. A web process calls this before its first request, because it
    takes some tenths of a second of CPU time (hubconsole/preload.py).
    """
    generator = SchemaGenerator()
    description: Description = generator.get_schema(request=None, public=True)
    return description


@lru_cache(maxsize=_MAX_KEPT)
def _render_docs(renderer: Callable[[], BaseRenderer], server: str) -> _Rendered:
    description = add_samples(describe_api(), server=server) | {"servers": [{"url": server}]}
    drawing = renderer()
    if drawing.media_type.endswith("json"):
        return _render_json(description)
    plain = drawing.render(description)
    return _Rendered(plain=plain, zipped=gzip.compress(plain))


@lru_cache(maxsize=_MAX_KEPT)
def _render_for_viewer(server: str) -> _Rendered:
    description = add_samples(_shorten_description(describe_api()), server=server)
    return _render_json(description | {"servers": [{"url": server}]})


def _render_json(description: Description) -> _Rendered:
    # The library indents JSON, which doubles its size.
    plain = json.dumps(description, ensure_ascii=False).encode()
    return _Rendered(plain=plain, zipped=gzip.compress(plain))


def _shorten_description(description: Description) -> Description:
    """
    Return the description without headers, and with only the sentences of refusals.

    Headers and refusals are the same for all calls and make up most of it. The viewer reads all of it each
    time a call is opened.
    """
    paths = {
        path: {method: _shorten_call(call) for method, call in calls.items()}
        for path, calls in description["paths"].items()
    }
    return description | {"paths": paths}


def _shorten_call(call: Description) -> Description:
    responses = {
        status: {
            name: value
            for name, value in answer.items()
            if name != "headers" and (name != "content" or status < "400")
        }
        for status, answer in call["responses"].items()
    }
    return call | {"responses": responses}
