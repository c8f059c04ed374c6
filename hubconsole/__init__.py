"""The Django project: settings, routes, the admin site, Celery, and the servers for one machine."""

__version__ = "1.0.0"
