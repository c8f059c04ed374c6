"""Routes of the message store, below its own address."""

from django.urls import path

from messages_app.access.calls import make_routes
from messages_app.message_store.api import actions as actions_api
from messages_app.message_store.api import definitions as definitions_api
from messages_app.message_store.api import messages, reports
from messages_app.message_store.views import actions, dashboard, definitions, lists, message, monitor

_MESSAGE = "messages/<key:identifier>/"

urlpatterns = [
    path("", dashboard.show_dashboard, name="message-store"),
    path("messages/", lists.message_list, name="store-messages"),
    path("messages/export/", lists.export_list, name="store-export"),
    path(_MESSAGE, message.message_page, name="store-message"),
    path(f"{_MESSAGE}rehearsal/", actions.dry_run_page, name="store-rehearsal"),
    path(f"{_MESSAGE}data/", message.show_data, name="store-data"),
    path(f"{_MESSAGE}data/download/", message.download_data, name="store-data-download"),
    path(f"{_MESSAGE}file/download/", message.download_file, name="store-file-download"),
    path("errors/", lists.error_list, name="store-errors"),
    path("missing/", lists.missing_list, name="store-missing"),
    path("monitor/", monitor.show_monitor, name="store-monitor"),
    path("monitor/settings/", monitor.change_settings, name="store-monitor-settings"),
    path("definitions/", definitions.definition_list, name="source-definitions"),
    path("definitions/new/", definitions.new_definition, name="source-definition-new"),
    path(
        "definitions/<id:definition_id>/",
        definitions.definition_page,
        name="source-definition",
    ),
    path(
        "definitions/<id:definition_id>/remove/",
        definitions.remove_definition,
        name="source-definition-remove",
    ),
]

urlpatterns += [
    path(
        f"{_MESSAGE}{_action.replace('_', '-')}/",
        actions.act_on_message,
        {"action": _action},
        name=f"store-{_action.replace('_', '-')}",
    )
    for _action in ("reprocess", "retry_now", "release", "mute", "unmute")
]

# Any other word is the identifier of a message.
api_urlpatterns = make_routes(
    [
        *messages.CALLS,
        *reports.CALLS,
        *definitions_api.CALLS,
        *messages.CALLS_OF_ONE,
        *actions_api.CALLS,
    ]
)
