"""Django's own settings for the console's database, with a small API of Django REST framework."""

from benchmarks.stock_settings import *  # noqa: F403
from benchmarks.stock_settings import INSTALLED_APPS as _APPS

INSTALLED_APPS = [*_APPS, "rest_framework.authtoken"]
ROOT_URLCONF = "benchmarks.bare_urls"
REST_FRAMEWORK = {
    "DEFAULT_AUTHENTICATION_CLASSES": ["rest_framework.authentication.TokenAuthentication"],
    "DEFAULT_PERMISSION_CLASSES": ["rest_framework.permissions.IsAuthenticated"],
    "DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.JSONRenderer"],
    "DEFAULT_PARSER_CLASSES": ["rest_framework.parsers.JSONParser"],
}
