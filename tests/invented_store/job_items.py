"""The rows of the invented store as items of jobs: like the message store's, but with another preview."""

from dataclasses import dataclass

from messages_app.jobs.stores.message_store import StoredMessages
from messages_app.shared.job_records import SetReport


@dataclass(frozen=True)
class Preview:
    to_do: int

    def as_report(self) -> SetReport:
        return {"planned": self.to_do, "to_do": self.to_do}


def preview_things(**_: object) -> Preview:
    return Preview(to_do=4711)


class Things(StoredMessages):
    name = "invented"
    preview_module = "tests.invented_store.job_items"
    filter_help = "the query string of the invented list"


ITEMS, PREVIEW = Things(), preview_things
