"""Django's own settings for the console's database, with its unmodified admin instead of the pages."""

from hubconsole.settings import *  # noqa: F403
from hubconsole.settings import INSTALLED_APPS as _APPS
from hubconsole.settings import MIDDLEWARE as _MIDDLEWARE
from hubconsole.settings import TEMPLATES as _TEMPLATES

INSTALLED_APPS = [
    # The apps' admin modules are not imported, because they need the console's own site.
    "django.contrib.admin.apps.SimpleAdminConfig",
    "django.contrib.sessions",
    *(app for app in _APPS if not app.startswith("hubconsole.")),
]
MIDDLEWARE = [name for name in _MIDDLEWARE if name.startswith("django.")]
# Without the product's templates, some of which replace the admin's.
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "APP_DIRS": True,
        "OPTIONS": {"context_processors": _TEMPLATES[0]["OPTIONS"]["context_processors"]},
    }
]
AUTHENTICATION_BACKENDS = ["django.contrib.auth.backends.ModelBackend"]
SESSION_ENGINE = "django.contrib.sessions.backends.db"
ROOT_URLCONF = "benchmarks.stock_urls"
