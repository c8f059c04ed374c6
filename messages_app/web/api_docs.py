"""The description of the API, and the page that shows it: for whoever is logged in."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe
from drf_spectacular.views import SpectacularAPIView

from messages_app.web.policies import DOCS_POLICY


class SchemaView(SpectacularAPIView):
    """OpenAPI 3.1, as JSON or YAML."""


@require_safe
def docs_page(request: HttpRequest) -> HttpResponse:
    response = render(request, "api_docs.html")
    response.headers["Content-Security-Policy"] = DOCS_POLICY
    return response
