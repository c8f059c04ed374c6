"""The pages that create and reset messages, with numbers that all differ."""

from types import SimpleNamespace

from django.http import QueryDict

from messages_app.core.reason_form import ReasonForm
from messages_app.cp_queue.views.operations import CreateForm, Row, SelectionForm
from tests.support.page_outlines import outline_of, show_block

ROWS = [
    Row(queue="RENDITION", object_type=65_537, is_known=True, collapsed=1, held_by=["w-1"]),
    Row(queue="FULLTEXTIDX", object_type=65_537, is_known=True, collapsed=1_203, held_by=["w-2", "w-3"]),
    Row(queue="OCR", object_type=65_537, is_known=False, collapsed=0, held_by=[]),
]
OBJECT = "object_id=51&object_type=65537"


def show(name: str, **values: object) -> str:
    return show_block(f"messages_app/cp_queue/{name}.html", block="cp_content", why=ReasonForm(), **values)


class TestCreate:
    def show(
        self, query: str = f"{OBJECT}&queue=RENDITION&queue=FULLTEXTIDX&others=OCR", **values: object
    ) -> str:
        form = CreateForm(QueryDict(query))
        form.is_valid()
        return show("create", **{"form": form, "rows": ROWS, "would_create": 1_304} | values)

    def test_shows_all_numbers_of_each_queue(self):
        assert outline_of(self.show()) == [
            "Object",
            "Object",
            "<object_id=51>",
            "Object type",
            "<object_type=65537>",
            "Main type × 65536 + sub type.",
            "Queues",
            "<queue=FULLTEXTIDX> * FULLTEXTIDX: Index an object's full text",
            "<queue=FULLTEXTFILTER> FULLTEXTFILTER: Filter before indexing",
            "<queue=RENDITION> * RENDITION: Make a rendition of a document",
            "Further queues (comma-separated)",
            "<others=OCR>",
            "Any name is allowed. The vendor's server fills the other known queues automatically.",
            "Preview messages",
            "1 304 messages would be created",
            "RENDITION",
            "goes before 1 waiting message of this object; its pickup deletes it; w-1 is working on it",
            "FULLTEXTIDX",
            (
                "goes before 1 203 waiting messages of this object; its pickup deletes them; w-2, w-3 "
                "are working on it"
            ),
            "OCR unknown",
            "no other message of this object is waiting there",
            "(/cp-queue/create/)",
            "Reason (recorded in the audit log)",
            "<reason>",
            "Create 1 304 messages",
        ]

    def test_creates_exactly_what_was_shown(self):
        markup = " ".join(self.show().split())
        for name, value in (
            ("object_id", 51),
            ("object_type", 65_537),
            ("others", "RENDITION,FULLTEXTIDX,OCR"),
        ):
            assert f'type="hidden" name="{name}" value="{value}"' in markup

    def test_counts_one_message_as_one(self):
        lines = outline_of(self.show(rows=ROWS[:1], would_create=1))
        assert lines[lines.index("Preview messages") + 1 :] == [
            "1 message would be created",
            "RENDITION",
            "goes before 1 waiting message of this object; its pickup deletes it; w-1 is working on it",
            "(/cp-queue/create/)",
            "Reason (recorded in the audit log)",
            "<reason>",
            "Create 1 message",
        ]

    def test_offers_nothing_without_a_queue_or_before_the_preview(self):
        assert outline_of(self.show(rows=[], would_create=0))[-2:] == [
            "Preview messages",
            "No queue selected",
        ]
        assert outline_of(self.show(rows=None))[-1:] == [
            "Preview messages",
        ]

    def test_shows_the_errors_of_its_fields(self):
        assert outline_of(
            self.show("object_id=x&object_type=-1&queue=PAGECOUNT&others=" + "x" * 129, rows=None)
        ) == [
            "Object",
            (
                "4 fields need a correction: [Object](#id_object_id), [Object type](#id_object_type), "
                "[Queues](#id_queue), [Further queues (comma-separated)](#id_others)"
            ),
            "Object",
            "<object_id=x>",
            "Enter a whole number.",
            "Object type",
            "<object_type=-1>",
            "Main type × 65536 + sub type.",
            "Ensure this value is greater than or equal to 0.",
            "Queues",
            "<queue=FULLTEXTIDX> FULLTEXTIDX: Index an object's full text",
            "<queue=FULLTEXTFILTER> FULLTEXTFILTER: Filter before indexing",
            "<queue=RENDITION> RENDITION: Make a rendition of a document",
            "Select a valid choice. PAGECOUNT is not one of the available choices.",
            "Further queues (comma-separated)",
            (
                "<others=xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"
                "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx>"
            ),
            "Any name is allowed. The vendor's server fills the other known queues automatically.",
            "A name in QueueNames must have at most 128 characters.",
            "Preview messages",
        ]


class TestReset:
    def show(self, found: int | None, alive: int = 0, **fields: str) -> list[str]:
        query = QueryDict(mutable=True)
        query.update({"service": "w-1", "queue": "RENDITION", "object_id": "51"} | fields)
        form = SelectionForm(query)
        form.is_valid()
        workers = [SimpleNamespace(service=f"w-{number}") for number in range(1, alive + 1)]
        return outline_of(show("reset", form=form, selected=found, alive=workers, counted=1_000))

    def result(self, *counts: int) -> list[str]:
        lines = self.show(*counts)
        return lines[lines.index("Count messages") + 1 :]

    def test_shows_the_selection_and_how_many_it_has(self):
        assert self.show(1_500, 8, object_type="65537", created_before="2026-11-21 13:00:00") == [
            "Reserved messages",
            "Service",
            "<service=w-1>",
            "Queue",
            "<queue=RENDITION>",
            "Object",
            "<object_id=51>",
            "Object type",
            "<object_type=65537>",
            "Created before",
            "<created_before=2026-11-21 13:00:00>",
            "For example 2026-11-21 13:00:00, in UTC",
            "Conditions are combined with AND. With only a service, all its messages are selected.",
            "Count messages",
            "> 1 000 messages would be released",
            (
                "w-1, w-2, w-3, w-4, w-5 and 3 others polled a moment ago and hold messages: a worker "
                "that is alive continues with the released messages, and their objects are processed "
                "twice."
            ),
            "(/cp-queue/reset/)",
            "Reason (recorded in the audit log)",
            "<reason>",
            "Reset > 1 000 messages",
        ]

    def test_names_the_workers_that_are_alive(self):
        assert self.result(1_000, 5) == [
            "1 000 messages would be released",
            (
                "w-1, w-2, w-3, w-4, w-5 polled a moment ago and hold messages: a worker that is alive "
                "continues with the released messages, and their objects are processed twice."
            ),
            "(/cp-queue/reset/)",
            "Reason (recorded in the audit log)",
            "<reason>",
            "Reset 1 000 messages",
        ]
        assert self.result(1, 1) == [
            "1 message would be released",
            (
                "w-1 polled a moment ago and holds messages: a worker that is alive continues with the "
                "released messages, and their objects are processed twice."
            ),
            "(/cp-queue/reset/)",
            "Reason (recorded in the audit log)",
            "<reason>",
            "Reset 1 message",
        ]
        assert self.result(2) == [
            "2 messages would be released",
            (
                "None of the services that hold them has polled recently. If one is still alive, it "
                "continues and its objects are processed twice."
            ),
            "(/cp-queue/reset/)",
            "Reason (recorded in the audit log)",
            "<reason>",
            "Reset 2 messages",
        ]

    def test_offers_nothing_if_none_is_selected(self):
        assert self.result(0) == [
            "No reserved messages",
        ]
        assert self.show(None)[-1:] == [
            "Count messages",
        ]

    def test_sends_the_conditions_as_they_were_written(self):
        form = SelectionForm(QueryDict("service=w-1&queue=&object_id=51&created_before=2026-11-21 13:00:00"))
        markup = show("reset", form=form, selected=2, alive=[], counted=1_000)
        sent = [f'<input type="hidden" name="{name}" value="{value}">' for name, value in form.conditions]
        assert form.conditions == [
            ("service", "w-1"),
            ("object_id", "51"),
            ("created_before", "2026-11-21 13:00:00"),
        ]
        assert all(field in markup for field in sent)

    def test_shows_its_errors(self):
        assert self.show(None, object_id="x", created_before="soon") == [
            "Reserved messages",
            "2 fields need a correction: [Object](#id_object_id), [Created before](#id_created_before)",
            "Service",
            "<service=w-1>",
            "Queue",
            "<queue=RENDITION>",
            "Object",
            "<object_id=x>",
            "Enter a whole number.",
            "Object type",
            "<object_type>",
            "Created before",
            "<created_before=soon>",
            "For example 2026-11-21 13:00:00, in UTC",
            "Enter a valid date/time.",
            "Conditions are combined with AND. With only a service, all its messages are selected.",
            "Count messages",
        ]
        form = SelectionForm(QueryDict("service="))
        assert outline_of(show("reset", form=form, selected=None))[1] == "Enter at least one condition."
