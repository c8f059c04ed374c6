"""Routes of the pages. Addresses after spec/interfaces.md 9."""

from django.contrib.auth.views import LogoutView
from django.urls import path, register_converter

from messages_app.access import roles
from messages_app.access.gate import requires
from messages_app.access.views import log_in
from messages_app.audit import views as audit
from messages_app.document_history.pages import (
    dry_run,
    entries,
    in_doubt,
    statistics,
    sweeper,
    triggers,
)
from messages_app.first_page import views as first_page
from messages_app.jobs.exports.views import download
from messages_app.jobs.listing.views import job_list
from messages_app.jobs.of_item.views import jobs_of_message
from messages_app.jobs.running import views as jobs
from messages_app.jobs.running.steering import STEERS, steer
from messages_app.jobs.scheduling import views as scheduling
from messages_app.jobs.starting.archive_views import archive
from messages_app.jobs.starting.views import counted_part, new_job
from messages_app.messages.acting import several_views as several
from messages_app.messages.acting import views as actions
from messages_app.messages.comparing.views import compare_page
from messages_app.messages.contents import views as contents
from messages_app.messages.failing import views as failing
from messages_app.messages.finding import views as finding
from messages_app.messages.funnels import views as funnels
from messages_app.messages.inspecting import views as inspecting
from messages_app.messages.keeping import views as keeping
from messages_app.messages.listing import part_views as parts
from messages_app.messages.listing import views as listing
from messages_app.messages.query_line import suggesting
from messages_app.messages.states import MessageAction
from messages_app.web.ids import MAX_ID


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

urlpatterns = [
    path("", first_page.dashboard, name="home"),
    path("dashboard/part/", first_page.dashboard_part, name="home-part"),
    path("login/", log_in, name="login"),
    path("logout/", LogoutView.as_view(next_page="login"), name="logout"),
    path("messages/", listing.message_list, name="message-list"),
    path("messages/histogram/", parts.histogram_part, name="message-histogram"),
    path("messages/count/", parts.count_part, name="message-count"),
    path("messages/newer/", parts.newer_part, name="message-newer"),
    path("messages/export/", parts.export, name="message-export"),
    path("messages/suggest/", suggesting.suggestions, name="suggest"),
    path("messages/table/", keeping.table_choice, name="table-choice"),
    path("messages/views/", keeping.views_page, name="saved-views"),
    path("messages/views/<id:view_id>/", keeping.change_view, name="saved-view"),
    path("messages/find/", finding.find_message, name="find"),
    path("messages/act/", several.act_on_messages, name="messages-act"),
    path("messages/find/part/", finding.found_part, name="find-part"),
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
    path("jobs/schedules/", scheduling.schedule_list, name="schedule-list"),
    path("jobs/schedules/new/", scheduling.new_schedule, name="schedule-new"),
    path("jobs/schedules/<id:schedule_id>/", scheduling.change_schedule, name="schedule"),
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
