"""Routes of the document history, below its own address."""

from django.urls import path

from messages_app.access.calls import make_routes
from messages_app.document_history.api import batches, checks, history
from messages_app.document_history.api import in_doubt as in_doubt_api
from messages_app.document_history.api import triggers as triggers_api
from messages_app.document_history.views import dry_run, entries, in_doubt, statistics, triggers

_TRIGGER, _DOUBT = "triggers/<str:trigger_id>/", "in-doubt/<id:in_doubt_id>/"

urlpatterns = [
    path("", triggers.trigger_list, name="document-triggers"),
    path("new-trigger/", triggers.new_trigger, name="document-trigger-new"),
    path(_TRIGGER, triggers.trigger_page, name="document-trigger"),
    *(
        path(f"{_TRIGGER}{how}/", triggers.act_on_trigger, {"how": how}, name=f"document-trigger-{how}")
        for how in ("resume", "delete")
    ),
    path("entries/", entries.entry_list, name="document-entries"),
    path("undetermined/", entries.undetermined_list, name="document-undetermined"),
    path("in-doubt/", in_doubt.in_doubt_list, name="in-doubt-list"),
    path(_DOUBT, in_doubt.in_doubt_page, name="in-doubt"),
    path(f"{_DOUBT}document/", in_doubt.show_content, name="in-doubt-document"),
    *(
        path(f"{_DOUBT}{how}/", in_doubt.decide_document, {"how": how}, name=f"in-doubt-{how}")
        for how in ("resubmit", "settle")
    ),
    path(f"{_DOUBT}take/", in_doubt.take_document, name="in-doubt-take"),
    path("statistics/", statistics.show_statistics, name="document-statistics"),
    path("statistics/clear/", statistics.clear_statistics, name="document-statistics-clear"),
    path("sweeper/", statistics.show_sweeper, name="document-sweeper"),
    path("dry-run/", dry_run.dry_run, name="document-dry-run"),
]

api_urlpatterns = make_routes(
    [*checks.CALLS, *batches.CALLS, *history.CALLS, *in_doubt_api.CALLS, *triggers_api.CALLS]
)
