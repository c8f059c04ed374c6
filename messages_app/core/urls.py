"""Routes without a store: reports of the content security policy, and the API description."""

from django.contrib.auth.decorators import login_required
from django.urls import path

from messages_app.core.api_docs import SchemaView, docs_page, viewer_description
from messages_app.core.middleware import REPORTS_PATH, take_reports

urlpatterns = [
    path(REPORTS_PATH.removeprefix("/"), take_reports, name="policy-reports"),
    path("api-docs/description/", login_required(viewer_description), name="api-docs-description"),
]

api_urlpatterns = [
    path("schema/", SchemaView.as_view(), name="api-schema"),
    path("docs/", login_required(docs_page), name="api-docs"),
]
