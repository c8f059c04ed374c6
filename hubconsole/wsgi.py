"""The web application. Its database sessions are fenced: no page may hold the hub up."""

import os

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "hubconsole.settings")
os.environ.setdefault("HUBCONSOLE_PROCESS", "web")

from django.core.wsgi import get_wsgi_application

application = get_wsgi_application()
