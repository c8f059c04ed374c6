"""The Django project: settings, routes, the admin site, Celery, and the servers for one machine."""

__version__ = "0.1.0"
