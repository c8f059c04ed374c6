"""The definitions of the message store, and the dry run of a message, with values that all differ."""

from types import SimpleNamespace

import pytest

from messages_app.core.pagination.paginator import Page
from messages_app.core.reason_form import ReasonForm
from messages_app.message_store.models import MessageLine, SourceDefinition
from messages_app.message_store.states import badge_of
from messages_app.message_store.views.definitions import DefinitionForm, NewDefinitionForm
from tests.messages_app.message_store.views.test_dashboard_content import moment
from tests.support.page_outlines import outline_of, show_block


def definition(number: int, **columns: object) -> SourceDefinition:
    values = {
        "pk": number,
        "system": f"s{number}",
        "entity": f"e{number}",
        "key_fields": [f"k{number}", "id"],
        "references": {f"r{number}": "customer", "item": "product"},
        "children": {f"c{number}": "line", "notes": "note"},
        "reader": f"reader {number}",
        "processor": f"processor {number}",
        "changed_at": moment(number),
    }
    return SourceDefinition(**values | columns)


def show(name: str, **values: object) -> list[str]:
    context = {"may_change": True, "readers": ["csv", "xml"], "processors": ["cp_queue:RENDITION"]}
    return outline_of(
        show_block(f"messages_app/message_store/{name}.html", block="store_content", **context | values)
    )


class TestDefinitions:
    def show(self, *rows: SourceDefinition, **values: object) -> list[str]:
        page = Page(rows=list(rows), next_cursor="n1", previous_cursor="p1")
        return show("definitions", **{"page": page} | values)

    def test_show_all_their_values(self):
        bare = definition(12, system="*", references={}, children={}, reader="", processor="")
        assert self.show(definition(11), bare) == [
            "Definitions",
            "[New definition](/message-store/definitions/new/)",
            "Source definitions",
            "System | Entity | Key | Refers to | Children | Reader, processor | Changed",
            (
                "s11 | [e11](/message-store/definitions/11/) | k11, id | customer by r11, product by "
                "item | line in c11, note in notes | reader 11, processor 11 | @2026-11-02T12:11:00Z"
            ),
            (
                "(title: Messages without a system) * | [e12](/message-store/definitions/12/) | k12, "
                "id | – | – | –, – | @2026-11-02T12:12:00Z"
            ),
            "(label: Pages) [Previous](?cursor=p1) [Next](?cursor=n1)",
        ]

    @pytest.mark.django_db
    def test_say_that_the_list_is_empty(self):
        assert self.show() == [
            "No definitions yet",
            "Without a definition for its system, a message ends with error 23.",
            "[New definition](/message-store/definitions/new/)",
        ]
        assert self.show(may_change=False)[2:] == [
            "Administrators can add definitions.",
        ]
        assert "New definition" not in " ".join(self.show(definition(11), may_change=False))


class TestDefinition:
    def show(self, found: SourceDefinition, **values: object) -> list[str]:
        context = {
            "definition": found,
            "schema": '{"type": "object"}',
            "form": DefinitionForm(
                initial={"key_fields": "k11,id", "references": {"a": "b"}, "reader": "csv"}
            ),
            "remove_form": ReasonForm(auto_id="remove_%s"),
        }
        return show("definition", **context | values)

    def test_shows_all_its_values(self):
        assert self.show(definition(11)) == [
            "Definition",
            "[View messages](/message-store/messages/?source_system=s11&source_entity=e11)",
            "Record key: k11, id",
            "Refers to: customer by r11, product by item",
            "Children: line in c11, note in notes",
            "Reader: reader 11",
            "Processor: processor 11",
            "Changed: 2026-11-02 12:11:00 UTC",
            '{"type": "object"}',
            "(/message-store/definitions/11/)",
            "Change definition",
            "Changes apply to new attempts. Processed messages do not change until they are reprocessed.",
            "Key fields",
            "<key_fields=k11,id>",
            "Separated by commas, in key order; in quotes if a name has one.",
            "References",
            '<references> { "a": "b" }',
            'Field and the entity it refers to, such as {"customer": "customer"}.',
            "Children",
            "<children>",
            'Field and the entity of its records, such as {"lines": "order_line"}.',
            "JSON Schema of one record",
            "<json_schema>",
            "Reader",
            "<reader=csv>",
            "Name of a registered reader. Leave empty if the data is an array of objects.",
            "Processor",
            "<processor>",
            (
                "Runs after the records are written. Leave empty for none. cp_queue:RENDITION names its"
                " queues."
            ),
            "<csv>",
            "<xml>",
            "<cp_queue:RENDITION>",
            "Reason (recorded in the audit log)",
            "<reason>",
            "Save definition",
            "Remove definition",
            "(/message-store/definitions/11/remove/)",
            "Its messages will end with error 23 or 24. Their existing records are kept.",
            "Reason (recorded in the audit log)",
            "<reason>",
            "Remove definition",
        ]

    def test_shows_what_it_lacks(self):
        bare = definition(12, system="*", references={}, children={}, reader="", processor="")
        assert self.show(bare, may_change=False) == [
            "Definition",
            "Record key: k12, id",
            "Refers to: –",
            "Children: –",
            "Reader: an array of objects",
            "Processor: –",
            "Changed: 2026-11-02 12:12:00 UTC",
            '{"type": "object"}',
        ]

    def test_has_a_form_for_a_new_one(self):
        lines = show("definition_new", form=NewDefinitionForm({"system": "s", "key_fields": "k"}))
        assert lines == [
            (
                "2 fields need a correction: [Entity](#id_entity), "
                "[Reason (recorded in the audit log)](#id_reason)"
            ),
            "System",
            "<system=s>",
            "As named in its messages; * for messages without a system.",
            "Entity",
            "<entity>",
            "This field is required.",
            "Key fields",
            "<key_fields=k>",
            "Separated by commas, in key order; in quotes if a name has one.",
            "References",
            "<references>",
            'Field and the entity it refers to, such as {"customer": "customer"}.',
            "Children",
            "<children>",
            'Field and the entity of its records, such as {"lines": "order_line"}.',
            "JSON Schema of one record",
            "<json_schema>",
            "Reader",
            "<reader>",
            "Name of a registered reader. Leave empty if the data is an array of objects.",
            "Processor",
            "<processor>",
            (
                "Runs after the records are written. Leave empty for none. cp_queue:RENDITION names its"
                " queues."
            ),
            "<csv>",
            "<xml>",
            "<cp_queue:RENDITION>",
            "Reason (recorded in the audit log)",
            "<reason>",
            "Enter a reason. It is recorded in the audit log.",
            "Create definition",
        ]


class TestDryRun:
    def show(self, **values: object) -> list[str]:
        change = SimpleNamespace(
            key=SimpleNamespace(entity="order", text="o-31"), effect="changed", fields=["a", "b"]
        )
        other = SimpleNamespace(key=SimpleNamespace(entity="line", text="l-32"), effect="new", fields=[])
        context = {
            "line": MessageLine(message_identifier="0193-7"),
            "badge": badge_of(10),
            "told": SimpleNamespace(errors=[], ended=1_021, taken_back=1_022),
            "counts": [("new", "done", 1_023), ("changed", "running", 1_024)],
            "records": [(change, "running"), (other, "done")],
            "more": 1_025,
        }
        return show("dry_run", **context | values)

    def test_shows_all_its_numbers(self):
        assert self.show() == [
            "0193-7",
            "Resulting status",
            "{done} (title: Its records have been written.) 10 processed",
            "{done} 1 023 new",
            "{running} 1 024 changed",
            "1 021 ended by the refresh",
            "1 022 withdrawn",
            "The processor of its definition, if any, was not run.",
            "Records",
            "Changes by record",
            "Entity | Key | Effect | Changed fields",
            "order | o-31 | {running} changed | a, b",
            "line | l-32 | {done} new | –",
            "1 025 more records are not shown.",
        ]

    def test_shows_errors_instead_of_numbers(self):
        told = SimpleNamespace(errors=[f"error {number}" for number in range(1, 53)], ended=3, taken_back=4)
        lines = self.show(told=told, records=[], badge=badge_of(20))
        assert lines[1:4] == [
            "Resulting status",
            "{failed} (title: Failed with an error without a specific code.) 20 general error",
            "error 1",
        ]
        assert lines[-1] == "error 50"

    def test_leaves_out_what_did_not_happen(self):
        lines = self.show(told=SimpleNamespace(errors=[], ended=0, taken_back=0), more=0)
        assert lines == [
            "0193-7",
            "Resulting status",
            "{done} (title: Its records have been written.) 10 processed",
            "{done} 1 023 new",
            "{running} 1 024 changed",
            "The processor of its definition, if any, was not run.",
            "Records",
            "Changes by record",
            "Entity | Key | Effect | Changed fields",
            "order | o-31 | {running} changed | a, b",
            "line | l-32 | {done} new | –",
        ]
