"""Routes of messages, failures, funnels, watch rules and alerts."""

from django.urls import path

from messages_app.access.calls import make_routes
from messages_app.messages import api as messages_api
from messages_app.messages import first_steps
from messages_app.messages.actions import api as actions_api
from messages_app.messages.actions import bulk_views
from messages_app.messages.actions import views as actions_views
from messages_app.messages.alerts import api as alerts_api
from messages_app.messages.alerts import views as alerts_views
from messages_app.messages.corrections import api as corrections_api
from messages_app.messages.corrections import views as corrections_views
from messages_app.messages.detail import api as detail_api
from messages_app.messages.detail import content_views
from messages_app.messages.detail import part_views as detail_parts
from messages_app.messages.detail import views as detail_views
from messages_app.messages.detail.comparison_views import compare_page
from messages_app.messages.failures import api as failures_api
from messages_app.messages.failures import catalogue_views
from messages_app.messages.failures import views as failures_views
from messages_app.messages.failures.list_views import failure_list
from messages_app.messages.funnels import api as funnels_api
from messages_app.messages.funnels import views as funnels_views
from messages_app.messages.listing import part_views
from messages_app.messages.listing import views as list_views
from messages_app.messages.listing.saved_views import views as saved_views
from messages_app.messages.metrics import api as metrics_api
from messages_app.messages.traffic import api as traffic_api
from messages_app.shared.message_states import MessageAction

_MESSAGE = "messages/<id:msg_id>/"

urlpatterns = [
    path("watch-rules/", alerts_views.rule_list, name="watch-rules"),
    path("watch-rules/new/", alerts_views.new_rule, name="watch-rule-new"),
    path("watch-rules/<id:rule_id>/", alerts_views.rule_page, name="watch-rule"),
    path("watch-rules/<id:rule_id>/test/", alerts_views.test_rule, name="watch-rule-test"),
    path("watch-rules/<id:rule_id>/delete/", alerts_views.delete_rule, name="watch-rule-delete"),
    path("alerts/", alerts_views.alert_list, name="alert-list"),
    path("first-minutes/", first_steps.progress_part, name="first-minutes"),
    path("messages/", list_views.message_list, name="message-list"),
    path("messages/histogram/", part_views.histogram_part, name="message-histogram"),
    path("messages/count/", part_views.count_part, name="message-count"),
    path("messages/newer/", part_views.newer_part, name="message-newer"),
    path("messages/filter-syntax/", part_views.list_help, name="message-list-help"),
    path("messages/facets/", part_views.facets_part, name="message-list-facets"),
    path("messages/excluding/", part_views.excluding_filters_part, name="message-list-excluding"),
    path("messages/columns/", part_views.table_menu, name="message-list-table"),
    path("messages/export/", part_views.export_messages, name="message-export"),
    path("messages/suggest/", part_views.suggest_words, name="suggest"),
    path("messages/table/", saved_views.table_choice, name="table-choice"),
    path("messages/views/", saved_views.views_page, name="saved-views"),
    path("messages/views/<id:view_id>/", saved_views.open_view, name="saved-view"),
    path("messages/views/<id:view_id>/undo/", saved_views.undo_change, name="saved-view-undo"),
    path("messages/act/", bulk_views.act_on_messages, name="messages-act"),
    path("failures/", failure_list, name="failure-list"),
    path("failures/now/", failures_views.failing_part, name="failing-now"),
    path("failures/<id:group_id>/", failures_views.failure_page, name="failure-group"),
    path("failures/<id:group_id>/mark/", failures_views.mark_group, name="failure-mark"),
    path("failures/<id:group_id>/undo-mark/", failures_views.undo_mark, name="failure-undo-mark"),
    path("failures/<id:group_id>/describe/", failures_views.describe_group, name="failure-describe"),
    path("error-codes/", catalogue_views.code_list, name="error-codes"),
    path("error-codes/new/", catalogue_views.new_code, name="error-code-new"),
    path("error-codes/<str:code>/", catalogue_views.change_code, name="error-code"),
    path("error-codes/<str:code>/delete/", catalogue_views.delete_code, name="error-code-delete"),
    path(_MESSAGE, detail_views.message_page, name="message-detail"),
    path(f"{_MESSAGE}calls/", detail_parts.calls_part, name="message-calls"),
    path(f"{_MESSAGE}exchanges/", detail_parts.exchanges_part, name="message-exchanges"),
    path(f"{_MESSAGE}neighbours/", detail_parts.neighbours_part, name="message-neighbours"),
    path(f"{_MESSAGE}preview/", detail_parts.preview_part, name="message-preview"),
    path(f"{_MESSAGE}children/", detail_parts.children_part, name="message-children"),
    path(
        f"{_MESSAGE}cancel/",
        actions_views.message_action,
        {"action": MessageAction.CANCEL},
        name="message-cancel",
    ),
    path(
        f"{_MESSAGE}restart/",
        actions_views.message_action,
        {"action": MessageAction.RESTART},
        name="message-restart",
    ),
    path(f"{_MESSAGE}resend/", corrections_views.correct_message, name="message-resend"),
    path(f"{_MESSAGE}compare/", compare_page, name="message-compare"),
    path("funnels/", funnels_views.funnel_list, name="funnel-list"),
]

for _kind, _route in (
    ("payload", f"{_MESSAGE}payload/"),
    ("envelope", f"{_MESSAGE}envelope/"),
    ("request", f"{_MESSAGE}requests/<id:key>/"),
    ("response", f"{_MESSAGE}responses/<id:key>/"),
):
    urlpatterns += [
        path(_route, content_views.show_content, {"kind": _kind}, name=f"message-{_kind}"),
        path(
            f"{_route}download/",
            content_views.download_content,
            {"kind": _kind},
            name=f"message-{_kind}-download",
        ),
    ]

api_urlpatterns = make_routes(
    [
        *messages_api.CALLS,
        *detail_api.CALLS,
        *actions_api.CALLS,
        *corrections_api.CALLS,
        *traffic_api.CALLS,
        *funnels_api.CALLS,
        *failures_api.CALLS,
        *alerts_api.CALLS,
        *metrics_api.CALLS,
    ]
)
