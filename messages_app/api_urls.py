"""Routes of /api/v1/."""

from django.contrib.auth.decorators import login_required
from django.urls import path

from messages_app.access.rest import tokens
from messages_app.access.rest.account import AuditListView, MeView, RootView, addresses_of
from messages_app.core.api_docs import SchemaView, docs_page
from messages_app.cp_queue.api import objects as cp_objects
from messages_app.cp_queue.api import operator_calls as cp_steering
from messages_app.cp_queue.api import reports as cp_reports
from messages_app.cp_queue.api import service_calls as cp_calls
from messages_app.dashboard import api as first_page
from messages_app.document_history.api import documents, in_doubt, lists, triggers
from messages_app.jobs.api import actions
from messages_app.jobs.api import exports as exports
from messages_app.jobs.api import views as jobs
from messages_app.jobs.schedules import api as schedules
from messages_app.message_store.api import definitions
from messages_app.message_store.api import messages as store
from messages_app.message_store.api import reports as store_reports
from messages_app.messages import api as messages
from messages_app.messages.actions import api as acting
from messages_app.messages.alerts import api as watching
from messages_app.messages.detail import api as explaining
from messages_app.messages.detail import api as inspecting
from messages_app.messages.failures import api as failing
from messages_app.messages.funnels import api as funnels
from messages_app.messages.metrics import state_report as reporting
from messages_app.messages.requests import api as exchange
from messages_app.messages.requests import api as exchanges
from messages_app.shared.job_states import Follower

urlpatterns = [
    path("messages/", messages.MessageListView.as_view()),
    path("messages/count/", messages.MessageCountView.as_view()),
    path("messages/<str:msg_id>/", messages.MessageView.as_view()),
    path("messages/<str:msg_id>/payload/", messages.ContentView.as_view(column="payload")),
    path("messages/<str:msg_id>/envelope/", messages.ContentView.as_view(column="envelope")),
    path("messages/<str:msg_id>/restart-preview/", acting.RestartPreviewView.as_view()),
    path("messages/<str:msg_id>/explain/", explaining.ExplainView.as_view()),
    path("messages/<str:msg_id>/timeline/", inspecting.TimelineView.as_view()),
    path("messages/<str:msg_id>/tree/", inspecting.TreeView.as_view()),
    path("messages/<str:msg_id>/cancel/", messages.CancelView.as_view()),
    path("messages/<str:msg_id>/restart/", messages.RestartView.as_view()),
    path("external-calls/", exchanges.ExternalCallListView.as_view()),
    path("requests/", exchanges.RequestListView.as_view()),
    path("requests/<str:req_id>/", exchange.RequestView.as_view()),
    path("responses/", exchanges.ResponseListView.as_view()),
    path("responses/<str:res_id>/", exchange.ResponseView.as_view()),
    path("funnels/", funnels.FunnelListView.as_view()),
    path("failure-groups/", failing.GroupListView.as_view()),
    path("failure-groups/<str:group_id>/", failing.GroupView.as_view()),
    path("failure-groups/<str:group_id>/mark/", failing.MarkView.as_view()),
    path("failure-groups/<str:group_id>/describe/", failing.DescribeView.as_view()),
    path("error-codes/", failing.ErrorCodeListView.as_view()),
    path("watch-rules/", watching.WatchRuleListView.as_view()),
    path("watch-rules/<str:rule_id>/", watching.WatchRuleView.as_view()),
    path("alerts/", watching.AlertListView.as_view()),
    path("dashboard/", first_page.DashboardView.as_view()),
    path("handover/", first_page.HandoverView.as_view()),
    path("stats/", reporting.StatsView.as_view()),
    path("jobs/", jobs.JobListView.as_view()),
    path("jobs/<str:job_id>/", jobs.JobView.as_view()),
    path("jobs/<str:job_id>/download/", exports.DownloadView.as_view(), name="api-job-download"),
    path("jobs/<str:job_id>/items/", jobs.JobItemsView.as_view()),
    path("jobs/<str:job_id>/pause/", actions.SteeringView.as_view(audited_as="pause_job")),
    path("jobs/<str:job_id>/resume/", actions.ResumingView.as_view()),
    path("jobs/<str:job_id>/stop/", actions.SteeringView.as_view(audited_as="stop_job")),
    path("jobs/<str:job_id>/approve/", actions.DecidingView.as_view(audited_as="approve_job")),
    path("jobs/<str:job_id>/refuse/", actions.DecidingView.as_view(audited_as="refuse_job")),
    path(
        "jobs/<str:job_id>/undo/",
        actions.FollowingView.as_view(audited_as="undo_job", follower=Follower.UNDO),
    ),
    path(
        "jobs/<str:job_id>/retry-failed/",
        actions.FollowingView.as_view(audited_as="retry_failed", follower=Follower.RETRY),
    ),
    path("document-history/check/", documents.CheckView.as_view()),
    path("document-history/complete/", documents.CompleteView.as_view()),
    path("document-history/abandon/", documents.AbandonView.as_view()),
    path("document-history/dry-run/", documents.DryRunView.as_view()),
    path("document-history/sweep/", documents.SweepView.as_view()),
    path("document-history/entries/", lists.EntryListView.as_view()),
    path("document-history/statistics/", lists.StatisticsView.as_view()),
    path("document-history/statistics/clear/", lists.ClearStatisticsView.as_view()),
    path("document-history/in-doubt/", in_doubt.InDoubtListView.as_view()),
    path("document-history/take/", in_doubt.TakeView.as_view()),
    path("document-history/in-doubt/<str:in_doubt_id>/resubmit/", in_doubt.ResubmitView.as_view()),
    path("document-history/in-doubt/<str:in_doubt_id>/settle/", in_doubt.SettleView.as_view()),
    path("document-history/triggers/", triggers.TriggerListView.as_view()),
    path("document-history/triggers/<str:trigger_id>/", triggers.TriggerView.as_view()),
    path("document-history/triggers/<str:trigger_id>/delete/", triggers.DeleteView.as_view()),
    path("document-history/triggers/<str:trigger_id>/expiring/", triggers.ExpiringView.as_view()),
    path("document-history/triggers/<str:trigger_id>/resume/", triggers.ResumeView.as_view()),
    path("cp-queue/create-messages/", cp_calls.CreateView.as_view()),
    path("cp-queue/get-next/", cp_calls.GetNextView.as_view()),
    path("cp-queue/dispatch/", cp_calls.DispatchView.as_view()),
    path("cp-queue/dispatch-for-service/", cp_calls.DispatchForServiceView.as_view()),
    path("cp-queue/dispatch-all-for-service/", cp_calls.DispatchAllForServiceView.as_view()),
    path("cp-queue/reset-service/", cp_calls.ResetServiceView.as_view()),
    path("cp-queue/reset/", cp_steering.ResetView.as_view()),
    path("cp-queue/reset-selective/", cp_steering.ResetSelectiveView.as_view()),
    path("cp-queue/delete/", cp_steering.DeleteView.as_view()),
    path("cp-queue/send-on/", cp_steering.SendOnView.as_view()),
    path("cp-queue/pause-queue/", cp_steering.PauseView.as_view()),
    path("cp-queue/resume-queue/", cp_steering.ResumeView.as_view()),
    path("cp-queue/object-info/", cp_objects.ObjectInfoView.as_view()),
    path("cp-queue/object-full-text/", cp_objects.FullTextView.as_view()),
    path("cp-queue/rendition-changed/", cp_objects.RenditionChangedView.as_view()),
    path("cp-queue/process-page-count/", cp_objects.ProcessPageCountView.as_view()),
    path("cp-queue/messages/", cp_reports.MessageListView.as_view()),
    path("cp-queue/statistics/", cp_reports.StatisticsView.as_view()),
    path("cp-queue/preview/", cp_reports.PreviewView.as_view()),
    path("cp-queue/dispatches/", cp_reports.DispatchListView.as_view()),
    path("cp-queue/objects/<str:osid>/", cp_reports.ObjectView.as_view()),
    path("message-store/", store.MessagesView.as_view()),
    path("message-store/count/", store.CountView.as_view()),
    path("message-store/summary/", store_reports.SummaryView.as_view()),
    path("message-store/error-groups/", store_reports.ErrorGroupsView.as_view()),
    path("message-store/missing-references/", store_reports.MissingView.as_view()),
    path("message-store/source-definitions/", definitions.DefinitionsView.as_view()),
    path("message-store/source-definitions/<str:definition_id>/", definitions.DefinitionView.as_view()),
    path("message-store/source-definitions/<str:definition_id>/remove/", definitions.RemoveView.as_view()),
    path("message-store/<str:identifier>/", store.MessageView.as_view()),
    path("message-store/<str:identifier>/history/", store.HistoryView.as_view()),
    path("message-store/<str:identifier>/explain/", store.ExplainView.as_view()),
    path("message-store/<str:identifier>/rehearsal/", store.RehearsalView.as_view()),
    path("message-store/<str:identifier>/data/", store.DataView.as_view()),
    path("message-store/<str:identifier>/reprocess/", store.ReprocessView.as_view()),
    path("message-store/<str:identifier>/retry-now/", store.RetryNowView.as_view()),
    path("message-store/<str:identifier>/release/", store.ReleaseView.as_view()),
    path("message-store/<str:identifier>/mute/", store.MuteView.as_view()),
    path("message-store/<str:identifier>/unmute/", store.UnmuteView.as_view()),
    path("schedules/", schedules.ScheduleListView.as_view()),
    path("schedules/<str:schedule_id>/", schedules.ScheduleView.as_view()),
    path("me/", MeView.as_view()),
    path("audit/", AuditListView.as_view()),
    path("tokens/", tokens.TokenListView.as_view()),
    path("tokens/<str:token_id>/", tokens.TokenView.as_view()),
    path("schema/", SchemaView.as_view(), name="api-schema"),
    path("docs/", login_required(docs_page), name="api-docs"),
]
urlpatterns.append(path("", RootView.as_view(addresses=addresses_of(urlpatterns)), name="api-root"))
