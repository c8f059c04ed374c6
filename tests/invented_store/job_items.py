"""The rows of the invented store as items of jobs: like the message store's, but with another preview."""

from messages_app.jobs.kinds.spec import JobRequest
from messages_app.jobs.preview.deadline import Deadline
from messages_app.jobs.stores.message_store import StoredMessages
from messages_app.shared.job_records import SetReport


def preview_things(request: JobRequest, deadline: Deadline) -> SetReport:
    return {"planned": 4711, "to_do": 4711}


class Things(StoredMessages):
    name = "invented"
    preview_module = "tests.invented_store.job_items"
    filter_help = "the query string of the invented list"


ITEMS, PREVIEW = Things(), preview_things
