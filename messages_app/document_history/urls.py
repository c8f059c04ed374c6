"""Routes of the document history, below its own address."""

from django.urls import path

from messages_app.access.calls import make_routes
from messages_app.document_history.api import batches, checks, history
from messages_app.document_history.api import in_doubt as in_doubt_api
from messages_app.document_history.api import triggers as triggers_api
from messages_app.document_history.views import dry_run, entries, in_doubt, statistics, triggers

urlpatterns = [
    path("", triggers.trigger_list, name="document-triggers"),
    path("new-trigger/", triggers.new_trigger, name="document-trigger-new"),
    path("triggers/<str:trigger_id>/", triggers.trigger_page, name="document-trigger"),
    path("triggers/<str:trigger_id>/resume/", triggers.resume_trigger, name="document-trigger-resume"),
    path("triggers/<str:trigger_id>/delete/", triggers.delete_trigger, name="document-trigger-delete"),
    path("entries/", entries.entry_list, name="document-entries"),
    path("undetermined/", entries.undetermined_list, name="document-undetermined"),
    path("in-doubt/", in_doubt.in_doubt_list, name="in-doubt-list"),
    path("in-doubt/<id:in_doubt_id>/", in_doubt.in_doubt_page, name="in-doubt"),
    path("in-doubt/<id:in_doubt_id>/document/", in_doubt.show_content, name="in-doubt-document"),
    path("in-doubt/<id:in_doubt_id>/take/", in_doubt.take_document, name="in-doubt-take"),
    path("statistics/", statistics.show_statistics, name="document-statistics"),
    path("statistics/clear/", statistics.clear_statistics, name="document-statistics-clear"),
    path("sweeper/", statistics.show_sweeper, name="document-sweeper"),
    path("dry-run/", dry_run.dry_run, name="document-dry-run"),
]

urlpatterns += [
    path(
        f"in-doubt/<id:in_doubt_id>/{_how}/", in_doubt.decide_document, {"how": _how}, name=f"in-doubt-{_how}"
    )
    for _how in ("resubmit", "settle")
]

api_urlpatterns = make_routes(
    [*checks.CALLS, *batches.CALLS, *history.CALLS, *in_doubt_api.CALLS, *triggers_api.CALLS]
)
