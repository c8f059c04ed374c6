"""The product's settings with Django's unmodified admin instead of the product's pages."""

from hubconsole.settings import *  # noqa: F403
from hubconsole.settings import INSTALLED_APPS as _APPS
from hubconsole.settings import MIDDLEWARE as _MIDDLEWARE

INSTALLED_APPS = [
    # The apps' admin modules are not imported, because they need the console's own site.
    "django.contrib.admin.apps.SimpleAdminConfig",
    *(app for app in _APPS if not app.startswith("hubconsole.")),
]
MIDDLEWARE = [name for name in _MIDDLEWARE if name.startswith("django.")]
ROOT_URLCONF = "benchmarks.stock_urls"
