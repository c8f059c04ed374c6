"""Routes of the pages. Addresses after docs/spec/interfaces.md, "Pages and roles"."""

from django.urls import path, register_converter

from messages_app.access import roles
from messages_app.access import unmasking_views as revealing
from messages_app.access.decorators import requires
from messages_app.access.password_change import own_password
from messages_app.access.second_factor import views as second_factor
from messages_app.access.sessions import views as sessions
from messages_app.access.views import log_in, log_out, show_code
from messages_app.audit import views as audit
from messages_app.core.content_security import REPORTS_PATH, take_reports
from messages_app.core.parameters import MAX_ID
from messages_app.cp_queue import search as cp_finding
from messages_app.cp_queue.views import create as cp_creating
from messages_app.cp_queue.views import lists as cp_lists
from messages_app.cp_queue.views import messages as cp_messages
from messages_app.cp_queue.views import objects as cp_objects
from messages_app.cp_queue.views import objects as cp_preview
from messages_app.cp_queue.views import queues as cp_queues
from messages_app.cp_queue.views import reset as cp_resetting
from messages_app.cp_queue.views import services as cp_dispatching
from messages_app.cp_queue.views import services as cp_services
from messages_app.dashboard import views as first_page
from messages_app.dashboard.handover import handover_page
from messages_app.document_history.views import dry_run, entries, in_doubt, statistics, sweeper, triggers
from messages_app.jobs.views import schedules as scheduling
from messages_app.jobs.views.create.views import archive, counted_part, new_job
from messages_app.jobs.views.detail import views as jobs
from messages_app.jobs.views.detail.actions import STEERS, steer
from messages_app.jobs.views.export_file import download
from messages_app.jobs.views.item_history import jobs_of_group, jobs_of_message, jobs_of_stored
from messages_app.jobs.views.lists import job_list
from messages_app.message_store import search as store_finding
from messages_app.message_store.views import actions as store_acting
from messages_app.message_store.views import actions as store_rehearsal
from messages_app.message_store.views import dashboard as store_dashboard
from messages_app.message_store.views import definitions as store_definitions
from messages_app.message_store.views import lists as store_exporting
from messages_app.message_store.views import lists as store_failures
from messages_app.message_store.views import lists as store_messages
from messages_app.message_store.views import message as store_message
from messages_app.message_store.views import monitor as store_monitor
from messages_app.messages import content_views as contents
from messages_app.messages import search as finding
from messages_app.messages.actions import bulk_views as several
from messages_app.messages.actions import views as actions
from messages_app.messages.alerts import views as watching
from messages_app.messages.comparison.views import compare_page
from messages_app.messages.detail import views as inspecting
from messages_app.messages.failures import views as failing
from messages_app.messages.filters import suggestions
from messages_app.messages.funnels import views as funnels
from messages_app.messages.list import part_views as parts
from messages_app.messages.list import saved_views_views as keeping
from messages_app.messages.list import views as listing
from messages_app.shared.message_states import MessageAction


class IdConverter:
    """A row's id: what no bigint can hold is no address of ours."""

    regex = "[0-9]{1,19}"

    def to_python(self, value: str) -> int:
        if int(value) > MAX_ID:
            raise ValueError(value)
        return int(value)

    def to_url(self, value: int) -> str:
        return str(value)


register_converter(IdConverter, "id")

_MESSAGE = "messages/<id:msg_id>/"
_HISTORY = "document-history/"
_QUEUE = "cp-queue/"
# Where the search for any id looks besides the hub's messages, and what one must be allowed to see.
_LOOK_UPS = (
    (roles.CAN_VIEW_STORE, store_finding.look_up),
    (roles.CAN_VIEW_CP_QUEUE, cp_finding.look_up),
)
_CP_MESSAGE = f"{_QUEUE}messages/<str:guid>/"
_STORE = "message-store/"
_STORED = f"{_STORE}messages/<str:identifier>/"

urlpatterns = [
    path("", first_page.dashboard, name="home"),
    path("dashboard/part/", first_page.dashboard_part, name="home-part"),
    path("dashboard/guide/", first_page.put_away, name="guide-away"),
    path("handover/", handover_page, name="handover"),
    path("watch-rules/", watching.rule_list, name="watch-rules"),
    path("watch-rules/new/", watching.new_rule, name="watch-rule-new"),
    path("watch-rules/<id:rule_id>/", watching.rule_page, name="watch-rule"),
    path("watch-rules/<id:rule_id>/delete/", watching.delete_rule, name="watch-rule-delete"),
    path("alerts/", watching.alert_list, name="alert-list"),
    path(REPORTS_PATH.removeprefix("/"), take_reports, name="policy-reports"),
    path("login/", log_in, name="login"),
    path("login/code/", show_code, name="login-code"),
    path("logout/", log_out, name="logout"),
    path("password/", own_password, name="password"),
    path("second-factor/", second_factor.second_factor, name="second-factor"),
    path("second-factor/start/", second_factor.start, name="second-factor-start"),
    path("second-factor/confirm/", second_factor.confirm, name="second-factor-confirm"),
    path("second-factor/change/", second_factor.change, name="second-factor-change"),
    path("sessions/", sessions.session_list, name="sessions"),
    path("sessions/left/", sessions.left, name="session-left"),
    path("sessions/end-others/", sessions.end_others, name="sessions-end-others"),
    path("sessions/<id:session_id>/end/", sessions.end_one, name="session-end"),
    path("reveal/", revealing.reveal, name="reveal"),
    path("reveal/end/", revealing.end, name="reveal-end"),
    path("messages/", listing.message_list, name="message-list"),
    path("messages/histogram/", parts.histogram_part, name="message-histogram"),
    path("messages/count/", parts.count_part, name="message-count"),
    path("messages/newer/", parts.newer_part, name="message-newer"),
    path("messages/export/", parts.export, name="message-export"),
    path("messages/suggest/", suggestions.suggestions, name="suggest"),
    path("messages/table/", keeping.table_choice, name="table-choice"),
    path("messages/views/", keeping.views_page, name="saved-views"),
    path("messages/views/<id:view_id>/", keeping.change_view, name="saved-view"),
    path("messages/find/", finding.find_message, {"others": _LOOK_UPS}, name="find"),
    path("messages/act/", several.act_on_messages, name="messages-act"),
    path("messages/find/part/", finding.found_part, {"others": _LOOK_UPS}, name="find-part"),
    path("failures/", failing.failure_list, name="failure-list"),
    path("failures/<id:group_id>/", failing.failure_page, name="failure-group"),
    path("failures/<id:group_id>/mark/", failing.mark, name="failure-mark"),
    path("failures/<id:group_id>/describe/", failing.describe, name="failure-describe"),
    path(_MESSAGE, inspecting.message_page, name="message-detail"),
    path(f"{_MESSAGE}calls/", inspecting.calls_part, name="message-calls"),
    path(f"{_MESSAGE}exchanges/", inspecting.exchanges_part, name="message-exchanges"),
    path(f"{_MESSAGE}children/", inspecting.children_part, name="message-children"),
    path(
        f"{_MESSAGE}cancel/", actions.message_action, {"action": MessageAction.CANCEL}, name="message-cancel"
    ),
    path(
        f"{_MESSAGE}restart/",
        actions.message_action,
        {"action": MessageAction.RESTART},
        name="message-restart",
    ),
    path(f"{_MESSAGE}followed/", actions.followed_part, name="message-followed"),
    path(f"{_MESSAGE}compare/", compare_page, name="message-compare"),
    path("funnels/", funnels.funnel_list, name="funnel-list"),
    path("jobs/", job_list, name="job-list"),
    path("jobs/new/", new_job, name="job-new"),
    path("jobs/of-message/<id:msg_id>/", jobs_of_message, name="jobs-of-message"),
    path("jobs/of-failure-group/<id:group_id>/", jobs_of_group, name="jobs-of-group"),
    path("jobs/of-store-message/<str:identifier>/", jobs_of_stored, name="jobs-of-stored"),
    path("jobs/schedules/", scheduling.schedule_list, name="schedule-list"),
    path("jobs/schedules/new/", scheduling.new_schedule, name="schedule-new"),
    path("jobs/schedules/<id:schedule_id>/", scheduling.change_schedule, name="schedule"),
    path("jobs/schedules/<id:schedule_id>/today/", scheduling.schedule_today, name="schedule-today"),
    path("jobs/schedules/<id:schedule_id>/delete/", scheduling.delete_schedule, name="schedule-delete"),
    path("jobs/<id:job_id>/", jobs.job_page, name="job-detail"),
    path("jobs/<id:job_id>/progress/", jobs.progress_part, name="job-progress"),
    path("jobs/<id:job_id>/counted/", counted_part, name="job-counted"),
    path("jobs/<id:job_id>/download/", download, name="job-download"),
    path("jobs/<id:job_id>/since/", jobs.since_part, name="job-since"),
    path("jobs/<id:job_id>/ledger/", jobs.ledger_file, name="job-ledger"),
    path("archive/", archive, name="archive"),
    path(_HISTORY, triggers.trigger_list, name="document-triggers"),
    path(f"{_HISTORY}new-trigger/", triggers.new_trigger, name="document-trigger-new"),
    path(f"{_HISTORY}triggers/<str:trigger_id>/", triggers.trigger_page, name="document-trigger"),
    path(f"{_HISTORY}triggers/<str:trigger_id>/resume/", triggers.resume, name="document-trigger-resume"),
    path(f"{_HISTORY}triggers/<str:trigger_id>/delete/", triggers.delete, name="document-trigger-delete"),
    path(f"{_HISTORY}entries/", entries.entry_list, name="document-entries"),
    path(f"{_HISTORY}undetermined/", entries.undetermined_list, name="document-undetermined"),
    path(f"{_HISTORY}in-doubt/", in_doubt.in_doubt_list, name="in-doubt-list"),
    path(f"{_HISTORY}in-doubt/<id:in_doubt_id>/", in_doubt.in_doubt_page, name="in-doubt"),
    path(f"{_HISTORY}in-doubt/<id:in_doubt_id>/document/", in_doubt.content, name="in-doubt-document"),
    path(f"{_HISTORY}in-doubt/<id:in_doubt_id>/take/", in_doubt.take, name="in-doubt-take"),
    path(f"{_HISTORY}statistics/", statistics.statistics, name="document-statistics"),
    path(f"{_HISTORY}statistics/clear/", statistics.clear_statistics, name="document-statistics-clear"),
    path(f"{_HISTORY}sweeper/", sweeper.sweeper, name="document-sweeper"),
    path(f"{_HISTORY}dry-run/", dry_run.dry_run, name="document-dry-run"),
    path(_QUEUE, cp_queues.queue_list, name="cp-queues"),
    path(f"{_QUEUE}queue/", cp_queues.queue_page, name="cp-queue"),
    path(f"{_QUEUE}queue/pause/", cp_queues.pause, {"how": "pause"}, name="cp-queue-pause"),
    path(f"{_QUEUE}queue/resume/", cp_queues.pause, {"how": "resume"}, name="cp-queue-resume"),
    path(f"{_QUEUE}services/", cp_services.service_list, name="cp-services"),
    path(f"{_QUEUE}services/dispatch/", cp_dispatching.dispatch_service, name="cp-dispatch-service"),
    path(f"{_QUEUE}messages/", cp_lists.message_list, name="cp-messages"),
    path(_CP_MESSAGE, cp_messages.message_page, name="cp-message"),
    path(f"{_CP_MESSAGE}reset/", cp_messages.reset, name="cp-message-reset"),
    path(f"{_CP_MESSAGE}dispatch/", cp_messages.dispatch, name="cp-message-dispatch"),
    path(f"{_CP_MESSAGE}delete/", cp_messages.delete, name="cp-message-delete"),
    path(f"{_CP_MESSAGE}send-on/", cp_messages.send_on, name="cp-message-send-on"),
    path(f"{_QUEUE}objects/", cp_objects.find_object, name="cp-objects"),
    path(f"{_QUEUE}objects/<id:osid>/", cp_objects.object_page, name="cp-object"),
    path(f"{_QUEUE}dispatches/", cp_lists.dispatch_list, name="cp-dispatches"),
    path(f"{_QUEUE}preview/", cp_preview.preview, name="cp-preview"),
    path(f"{_QUEUE}poll/", cp_preview.poll, name="cp-poll"),
    path(f"{_QUEUE}create/", cp_creating.create, name="cp-create"),
    path(f"{_QUEUE}reset/", cp_resetting.reset_selection, name="cp-reset"),
    path(_STORE, store_dashboard.dashboard, name="message-store"),
    path(f"{_STORE}messages/", store_messages.message_list, name="store-messages"),
    path(f"{_STORE}messages/export/", store_exporting.export, name="store-export"),
    path(_STORED, store_message.message_page, name="store-message"),
    path(f"{_STORED}rehearsal/", store_rehearsal.rehearsal, name="store-rehearsal"),
    path(f"{_STORED}data/", store_message.data, name="store-data"),
    path(f"{_STORED}data/download/", store_message.download, name="store-data-download"),
    path(f"{_STORED}file/download/", store_message.download_file, name="store-file-download"),
    path(f"{_STORE}errors/", store_failures.error_list, name="store-errors"),
    path(f"{_STORE}missing/", store_failures.missing_list, name="store-missing"),
    path(f"{_STORE}monitor/", store_monitor.monitor, name="store-monitor"),
    path(f"{_STORE}monitor/settings/", store_monitor.change_settings, name="store-monitor-settings"),
    path(f"{_STORE}definitions/", store_definitions.definition_list, name="source-definitions"),
    path(f"{_STORE}definitions/new/", store_definitions.new_definition, name="source-definition-new"),
    path(
        f"{_STORE}definitions/<id:definition_id>/",
        store_definitions.definition_page,
        name="source-definition",
    ),
    path(
        f"{_STORE}definitions/<id:definition_id>/remove/",
        store_definitions.remove_definition,
        name="source-definition-remove",
    ),
    path("audit/", requires(roles.CAN_VIEW_AUDIT)(audit.audit_list), name="audit-list"),
]

# Each by an address of its own, so that no other word is one.
urlpatterns += [
    path(f"jobs/<id:job_id>/{_name}/", steer, {"name": _name}, name=f"job-{_name}") for _name in STEERS
]

urlpatterns += [
    path(
        f"{_HISTORY}in-doubt/<id:in_doubt_id>/{_name}/",
        in_doubt.decide,
        {"how": _name},
        name=f"in-doubt-{_name}",
    )
    for _name in ("resubmit", "settle")
]

urlpatterns += [
    path(
        f"{_STORED}{_action.replace('_', '-')}/",
        store_acting.act,
        {"action": _action},
        name=f"store-{_action.replace('_', '-')}",
    )
    for _action in ("reprocess", "retry_now", "release", "mute", "unmute")
]

for _kind, _route in (
    ("payload", f"{_MESSAGE}payload/"),
    ("envelope", f"{_MESSAGE}envelope/"),
    ("request", f"{_MESSAGE}requests/<id:key>/"),
    ("response", f"{_MESSAGE}responses/<id:key>/"),
):
    urlpatterns += [
        path(_route, contents.content, {"kind": _kind}, name=f"message-{_kind}"),
        path(f"{_route}download/", contents.download, {"kind": _kind}, name=f"message-{_kind}-download"),
    ]
