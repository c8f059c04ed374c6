"""The description of the API, and the page that shows it: for whoever is logged in."""

import gzip
import json
from dataclasses import dataclass
from functools import cache, lru_cache

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.cache import patch_vary_headers
from django.views.decorators.http import require_safe
from drf_spectacular.generators import SchemaGenerator
from drf_spectacular.renderers import OpenApiJsonRenderer2, OpenApiYamlRenderer2
from drf_spectacular.views import SpectacularAPIView
from rest_framework.renderers import BaseRenderer
from rest_framework.request import Request

from messages_app.web.api_headers import server_of
from messages_app.web.parameters import single_values
from messages_app.web.policies import PAGE_POLICY
from messages_app.web.problems import bad_field, shown

_FORMATS = {"json": OpenApiJsonRenderer2, "yaml": OpenApiYamlRenderer2}
# Rendered descriptions that a process keeps: both formats, for a few names of the server.
_MOST_KEPT = 8


@dataclass(frozen=True, kw_only=True)
class _Rendered:
    """A description in one format: as it is, and compressed."""

    plain: bytes
    zipped: bytes


class SchemaView(SpectacularAPIView):
    """
    OpenAPI 3.1, as JSON or YAML: by `Accept`, or by `?format=`.

    It is the same for everybody who is logged in, and changes only with the code: a process makes it once.
    """

    def perform_content_negotiation(self, request: Request, force: bool = False) -> tuple[BaseRenderer, str]:
        name = request.query_params.get("format")
        if name in _FORMATS:
            renderer = _FORMATS[name]()
            return renderer, renderer.media_type
        return super().perform_content_negotiation(request, force=force)

    def initial(self, request: Request, *args: object, **kwargs: object) -> None:
        super().initial(request, *args, **kwargs)
        name = single_values(request.query_params, {"format"}).get("format")
        if name is not None and name not in _FORMATS:
            text = f"format must be one of {', '.join(_FORMATS)}; not {shown(name)}."
            raise bad_field("format", "invalid_value", text)

    def _get_schema_response(self, request: Request) -> HttpResponse:
        rendered = _rendered(type(request.accepted_renderer), server_of(request))
        is_zipped = "gzip" in request.headers.get("Accept-Encoding", "")
        response = HttpResponse(
            rendered.zipped if is_zipped else rendered.plain,
            content_type=f"{request.accepted_media_type}; charset=utf-8",
            headers={
                "Content-Disposition": f'inline; filename="{self._get_filename(request, None)}"',
            },
        )
        if is_zipped:
            response.headers["Content-Encoding"] = "gzip"
        patch_vary_headers(response, ["Accept", "Accept-Encoding"])
        return response


@require_safe
def docs_page(request: HttpRequest) -> HttpResponse:
    response = render(request, "api_docs.html")
    response.headers["Content-Security-Policy"] = PAGE_POLICY
    return response


@cache
def _description() -> dict[str, object]:
    """Return the description, without its server. It takes a second of work."""
    return SchemaGenerator().get_schema(request=None, public=True)


@lru_cache(maxsize=_MOST_KEPT)
def _rendered(renderer: type[BaseRenderer], server: str) -> _Rendered:
    found = _description() | {"servers": [{"url": server}]}
    # The library's JSON is indented to twice the size.
    is_json = renderer.media_type.endswith("json")
    plain = json.dumps(found, ensure_ascii=False).encode() if is_json else renderer().render(found)
    return _Rendered(plain=plain, zipped=gzip.compress(plain))
