"""The description of the API, and the page that shows it: for whoever is logged in."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe
from drf_spectacular.renderers import OpenApiJsonRenderer2, OpenApiYamlRenderer2
from drf_spectacular.views import SpectacularAPIView
from rest_framework.renderers import BaseRenderer
from rest_framework.request import Request

from messages_app.web.parameters import single_values
from messages_app.web.policies import DOCS_POLICY
from messages_app.web.problems import bad_field, shown

_FORMATS = {"json": OpenApiJsonRenderer2, "yaml": OpenApiYamlRenderer2}


class SchemaView(SpectacularAPIView):
    """OpenAPI 3.1, as JSON or YAML: by `Accept`, or by `?format=`."""

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


@require_safe
def docs_page(request: HttpRequest) -> HttpResponse:
    response = render(request, "api_docs.html")
    response.headers["Content-Security-Policy"] = DOCS_POLICY
    return response
