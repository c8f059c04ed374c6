"""The web application. Time limits on its database sessions keep pages from blocking the hub."""

import os

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "hubconsole.settings")
os.environ.setdefault("HUBCONSOLE_PROCESS", "web")

from django.conf import settings
from django.core.wsgi import get_wsgi_application

from hubconsole.preload import share_times, warm_up
from hubconsole.telemetry import is_wanted

share_times(settings.HUBCONSOLE_HOME)
settings.STATIC_ROOT.mkdir(parents=True, exist_ok=True)  # whitenoise warns if the folder is missing
if is_wanted():
    from hubconsole.telemetry.start import start_telemetry  # The package has it only with its extra `otel`.

    start_telemetry("web")
application = get_wsgi_application()
warm_up()
