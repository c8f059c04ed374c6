"""The list of messages."""

from collections.abc import Mapping

from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_safe

from messages_app.access import roles
from messages_app.access.gate import requires
from messages_app.message_store import queries
from messages_app.message_store.pages import frame
from messages_app.message_store.pages.words import CLASS_NAMES, badge_of
from messages_app.message_store.states import Status, StatusClass, class_of
from messages_app.web.lists.answering import Asked, answer_list
from messages_app.web.lists.files import MOST_ROWS
from messages_app.web.lists.form import Link, ListForm

_SECTION = "store-messages"
_KINDS = {"refresh": "Refresh", "orphaned": "Orphans", "muted": "Muted"}
_CHOSEN_CLASSES = (StatusClass.WAITING, StatusClass.IN_WORK, StatusClass.DONE, StatusClass.ERROR)
_FIRST_FIELDS = frozenset(
    {"source_system", "source_entity", "message_identifier", "error_contains", "message_timestamp_from"}
)


class MessagesForm(ListForm):
    """The form of the list."""

    filters = queries.MESSAGES
    labels: Mapping[str, str] = queries.VOCABULARY.labels
    field_names = (
        "source_system",
        "source_entity",
        "message_identifier",
        "error_contains",
        "message_timestamp_from",
        "message_timestamp_to",
        "status",
        "user_name",
        "missing_entity",
        "missing_key",
        "effective_timestamp_from",
        "effective_timestamp_to",
        "processed_timestamp_from",
        "processed_timestamp_to",
        "next_attempt_timestamp_from",
        "next_attempt_timestamp_to",
    )
    linked_names = ("refresh", "orphaned", "muted")

    @property
    def first_fields(self) -> list:
        return [field for field in self.fields if field.name in _FIRST_FIELDS]

    @property
    def further_fields(self) -> list:
        return [field for field in self.fields if field.name not in _FIRST_FIELDS]

    @property
    def has_further(self) -> bool:
        """Whether one of the fields that are folded away narrows the list, or is wrong."""
        return any(field.value or field.error for field in self.further_fields)

    @property
    def bulk_query(self) -> str:
        """The filter alone, as a job's page takes it."""
        return self.query(**dict.fromkeys(dict(self.beside))).removeprefix("?")

    @property
    def file_query(self) -> str:
        """The list, as its file is asked for."""
        return self.query().removeprefix("?")

    @property
    def classes(self) -> list[Link]:
        return self.one_of(
            "status", [("All", None), *((CLASS_NAMES[each], _codes(each)) for each in _CHOSEN_CLASSES)]
        )

    @property
    def kinds(self) -> list[Link]:
        """Links to what is not as most messages are."""
        return [
            Link(text=text, query=self._turned(name), is_on=self.params.get(name) == "true")
            for name, text in _KINDS.items()
        ]

    def _turned(self, name: str) -> str:
        return self.query(**{name: None if self.params.get(name) == "true" else "true"})

    @property
    def orders(self) -> list[Link]:
        chosen = self.params.get("ordering", queries.ORDERS[0].name)
        words = dict(
            zip((order.name for order in queries.ORDERS), ("Newest first", "Oldest first"), strict=True)
        )
        return [
            Link(text=text, query=self.query(ordering=name), is_on=name == chosen)
            for name, text in words.items()
        ]


def _codes(what: StatusClass) -> str:
    return ",".join(str(int(status)) for status in Status if class_of(status) is what)


@require_safe
@requires(roles.CAN_VIEW_STORE)
def message_list(request: HttpRequest) -> HttpResponse:
    may_reprocess = request.user.has_perm(roles.CAN_REPROCESS)

    def answer(context: dict[str, object], status: int) -> HttpResponse:
        shared = {"may_reprocess": may_reprocess, "most_exported": MOST_ROWS}
        return frame.page(request, "messages", context | shared, section=_SECTION, status=status)

    return answer_list(request, MessagesForm, _shown, answer)


def _shown(asked: Asked) -> Mapping[str, object]:
    ordering = asked.form.params.get("ordering")
    page = queries.message_page(values=asked.values, ordering=ordering, **asked.paging)
    return {
        "page": page,
        "lines": [(one, badge_of(one.status)) for one in queries.listed(page.rows)],
        **asked.form.neighbours(page, ordering=ordering or "-message_timestamp", now=asked.now),
    }
