"""Route tables only."""

from django.conf import settings
from django.contrib import admin
from django.urls import include, path

from hubconsole import health
from hubconsole.administration import settings_page
from messages_app.core.styleguide import show_styleguide
from messages_app.dashboard.metrics import show_metrics
from messages_app.urls import api_urlpatterns

# The API first: otherwise each of its calls is compared with all addresses of pages.
urlpatterns = [
    path("api/v1/", include(api_urlpatterns)),
    path("", include("messages_app.urls")),
    path("admin/", admin.site.urls),
    path("docs/", include("messages_app.manual.urls")),
    path("settings/", settings_page.show_settings, name="settings"),
    path("settings/health/", settings_page.show_health, name="settings-health"),
    path("setup/health/", settings_page.show_health_step, name="setup-health"),
    path("health/", health.show_health, name="health"),
    path("metrics", show_metrics, name="metrics"),
    path("metrics/", show_metrics),
]

if settings.DEBUG:
    urlpatterns.append(path("styleguide/", show_styleguide, name="styleguide"))

handler400 = "messages_app.core.error_handlers.bad_request"
handler403 = "messages_app.core.error_handlers.permission_denied"
handler404 = "messages_app.core.error_handlers.page_not_found"
handler500 = "messages_app.core.error_handlers.server_error"
