"""The description of the API, and the page that shows it: for whoever is logged in."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe
from drf_spectacular.views import SpectacularAPIView

# The viewer sets styles on its elements and inlines its icons; its code comes from files only.
DOCS_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; "
    "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)


class SchemaView(SpectacularAPIView):
    """OpenAPI 3.1, as JSON or YAML."""


@require_safe
def docs_page(request: HttpRequest) -> HttpResponse:
    response = render(request, "api_docs.html")
    response.headers["Content-Security-Policy"] = DOCS_POLICY
    return response
