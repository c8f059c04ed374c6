"""Routes of the message store, below its own address."""

from django.urls import path

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

api_urlpatterns = [
    path("", messages.MessagesView.as_view()),
    path("count/", messages.CountView.as_view()),
    path("summary/", reports.SummaryView.as_view()),
    path("error-groups/", reports.ErrorGroupsView.as_view()),
    path("missing-references/", reports.MissingView.as_view()),
    path("source-definitions/", definitions_api.DefinitionsView.as_view()),
    path("source-definitions/<str:definition_id>/", definitions_api.DefinitionView.as_view()),
    path("source-definitions/<str:definition_id>/remove/", definitions_api.RemoveView.as_view()),
    path("<str:identifier>/", messages.MessageView.as_view()),
    path("<str:identifier>/history/", messages.HistoryView.as_view()),
    path("<str:identifier>/explain/", messages.ExplainView.as_view()),
    path("<str:identifier>/rehearsal/", messages.RehearsalView.as_view()),
    path("<str:identifier>/data/", messages.DataView.as_view()),
    path("<str:identifier>/reprocess/", messages.ReprocessView.as_view()),
    path("<str:identifier>/retry-now/", messages.RetryNowView.as_view()),
    path("<str:identifier>/release/", messages.ReleaseView.as_view()),
    path("<str:identifier>/mute/", messages.MuteView.as_view()),
    path("<str:identifier>/unmute/", messages.UnmuteView.as_view()),
]
