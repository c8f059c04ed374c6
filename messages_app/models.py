"""Django looks for models here; each package keeps its own."""

from importlib import import_module

from messages_app.core.stores import installed_stores

_OF_CONSOLE = (
    "messages_app.access.models",
    "messages_app.access.providers.models",
    "messages_app.access.second_factor.models",
    "messages_app.audit.models",
    "messages_app.audit.stream.models",
    "messages_app.core.trigger_gaps",
    "messages_app.dashboard.models",
    "messages_app.incidents.deployments.models",
    "messages_app.incidents.models",
    "messages_app.jobs.models",
    "messages_app.jobs.webhooks.models",
    "messages_app.notes.models",
    "messages_app.service_map.targets.models",
)

for _module in (*_OF_CONSOLE, *(module for store in installed_stores() for module in store.models)):
    import_module(_module)
