"""The accounts of a company: its identity providers."""

import os

from hubconsole.environment import stop_start
from messages_app.access.provider_settings import InvalidProvider, read_providers

try:
    OIDC_PROVIDERS = read_providers(os.environ)
except InvalidProvider as _error:
    stop_start(str(_error))
