"""The Django project: settings, routes, the admin site, Celery and the embedded servers."""

__version__ = "0.1.0"
