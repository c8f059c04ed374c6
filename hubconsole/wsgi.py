"""The web application. Its database sessions are fenced: no page may hold the hub up."""

import os

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "hubconsole.settings")
os.environ.setdefault("HUBCONSOLE_PROCESS", "web")

from django.conf import settings
from django.core.wsgi import get_wsgi_application

from hubconsole.shared_times import share_times

share_times(settings.HUBCONSOLE_HOME)
application = get_wsgi_application()
