"""The web application. Time limits on its database sessions keep pages from blocking the hub."""

import os
import sys

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "hubconsole.settings")
os.environ.setdefault("HUBCONSOLE_PROCESS", "web")

from django.conf import settings
from django.core.wsgi import get_wsgi_application
from django.db import OperationalError

from hubconsole.preload import share_times, warm_up
from hubconsole.suitability import refusal_of_pooler

# With it, gunicorn does not start again a process that could not load the application.
_CANNOT_LOAD = 4


def _check_pooler() -> None:
    """End with one line if time limits and locks would not work. A database that is away may return."""
    try:
        refused = refusal_of_pooler()
    except OperationalError:
        return
    if refused:
        sys.stderr.write(f"hubconsole: {'. '.join(refused)}\n")
        raise SystemExit(_CANNOT_LOAD)


share_times(settings.HUBCONSOLE_HOME)
settings.STATIC_ROOT.mkdir(parents=True, exist_ok=True)  # whitenoise warns if the folder is missing
application = get_wsgi_application()
_check_pooler()
warm_up()
