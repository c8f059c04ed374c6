"""Routes of jobs, schedules and the archive."""

from django.urls import path

from messages_app.access.calls import make_routes
from messages_app.jobs.api import actions, analyses
from messages_app.jobs.api import views as jobs_api
from messages_app.jobs.schedules import api as schedules_api
from messages_app.jobs.views import schedule_forms, schedules
from messages_app.jobs.views.analyses import analysis_of_group, analysis_of_incident, start_analysis
from messages_app.jobs.views.archive import archive_page
from messages_app.jobs.views.corrections import propose_correction
from messages_app.jobs.views.create.duration import duration_part
from messages_app.jobs.views.create.views import new_job, show_count
from messages_app.jobs.views.detail import views as detail
from messages_app.jobs.views.item_jobs import jobs_of_group, jobs_of_message, jobs_of_stored
from messages_app.jobs.views.lists import job_list
from messages_app.jobs.webhooks import api as webhooks_api
from messages_app.jobs.webhooks.views import test_webhook, webhook_list

urlpatterns = [
    path("jobs/", job_list, name="job-list"),
    path("jobs/new/", new_job, name="job-new"),
    path("jobs/new/duration/", duration_part, name="job-duration"),
    path("jobs/of-message/<id:msg_id>/", jobs_of_message, name="jobs-of-message"),
    path("jobs/of-failure-group/<id:group_id>/", jobs_of_group, name="jobs-of-group"),
    path("jobs/analyses/new/", start_analysis, name="analysis-new"),
    path("jobs/analyses/of-failure-group/<id:group_id>/", analysis_of_group, name="analysis-of-group"),
    path("jobs/analyses/of-incident/<id:incident_id>/", analysis_of_incident, name="analysis-of-incident"),
    path("jobs/corrections/<id:msg_id>/", propose_correction, name="job-propose-correction"),
    path("jobs/of-store-message/<key:identifier>/", jobs_of_stored, name="jobs-of-stored"),
    path("schedules/", schedules.schedule_list, name="schedule-list"),
    path("schedules/new/", schedule_forms.new_schedule, name="schedule-new"),
    path("schedules/preview/", schedule_forms.preview_schedule, name="schedule-preview"),
    path("schedules/<id:schedule_id>/", schedule_forms.change_schedule, name="schedule"),
    path("schedules/<id:schedule_id>/today/", schedules.schedule_today, name="schedule-today"),
    path("schedules/<id:schedule_id>/run/", schedules.run_schedule_now, name="schedule-run"),
    path("schedules/<id:schedule_id>/pause/", schedules.pause_schedule, name="schedule-pause"),
    path("schedules/<id:schedule_id>/resume/", schedules.resume_schedule, name="schedule-resume"),
    path("schedules/<id:schedule_id>/delete/", schedules.delete_schedule, name="schedule-delete"),
    path("jobs/<id:job_id>/", detail.job_page, name="job-detail"),
    path("jobs/<id:job_id>/progress/", detail.progress_part, name="job-progress"),
    path("jobs/<id:job_id>/counted/", show_count, name="job-counted"),
    path("jobs/<id:job_id>/download/", detail.download_export, name="job-download"),
    path("jobs/<id:job_id>/since/", detail.current_status_part, name="job-since"),
    path("jobs/<id:job_id>/ledger/", detail.ledger_file, name="job-ledger"),
    path("archive/", archive_page, name="archive"),
    path("webhooks/", webhook_list, name="webhooks"),
    path("webhooks/<id:webhook_id>/test/", test_webhook, name="webhook-test"),
]

# One route for each word, so that any other word is a 404.
urlpatterns += [
    path(f"jobs/<id:job_id>/{_name}/", detail.steer_job, {"name": _name}, name=f"job-{_name}")
    for _name in detail.STEERS
]

api_urlpatterns = [
    *make_routes([*webhooks_api.CALLS, *jobs_api.CALLS, *analyses.CALLS]),
    path("jobs/<str:job_id>/download/", jobs_api.DownloadView.as_view(), name="api-job-download"),
    *make_routes([*actions.CALLS, *schedules_api.CALLS]),
]
