"""The pages of definitions and of a dry run, with values that all differ."""

from django.http import QueryDict

from messages_app.core.pages import ReasonForm
from messages_app.core.pagination.paginator import Page
from messages_app.message_store.models import SourceDefinition
from messages_app.message_store.services.dry_run import DryRun, Effect, RecordChange
from messages_app.message_store.services.records import Key
from messages_app.message_store.states import badge_of
from messages_app.message_store.views.definitions import DefinitionForm, NewDefinitionForm
from tests.messages_app.message_store.views.shown_lines import line, moment, show

DEFINITION = SourceDefinition(
    definition_id=41,
    system="crm",
    entity="order",
    key_fields=["id", "year"],
    references={"customer": "client", "seller": "person"},
    children={"lines": "order_line", "notes": "note"},
    reader="csv",
    processor="cp_queue:Q1",
    changed_at=moment(6),
)
BARE = SourceDefinition(
    definition_id=42, system="*", entity="item", reader="", processor="", changed_at=moment(7)
)


class TestDefinitions:
    def test_show_all_their_values(self):
        page = Page(rows=[DEFINITION, BARE], next_cursor="n1", previous_cursor="p1")
        assert show("definitions", page=page, may_change=True) == [
            "Definitions",
            "[New definition](/message-store/definitions/new/)",
            "Source definitions",
            "System | Entity | Key | Refers to | Children | Reader, processor | Changed",
            (
                "crm | [order](/message-store/definitions/41/) | id, year | client by customer, person by "
                "seller | order_line in lines, note in notes | csv, cp_queue:Q1 | 2026-11-02 12:06:00 "
                "@2026-11-02T12:06:00Z"
            ),
            (
                "(title: Messages without a system) * | [item](/message-store/definitions/42/) | | – | – | "
                "–, – | 2026-11-02 12:07:00 @2026-11-02T12:07:00Z"
            ),
            "(label: Pages) [Previous](?cursor=p1) [Next](?cursor=n1)",
        ]
        assert "New definition" not in str(show("definitions", page=page))

    def test_say_that_there_are_none(self):
        page = Page(rows=[], next_cursor=None, previous_cursor=None)
        assert show("definitions", page=page, may_change=True) == [
            "No definitions yet",
            "Without a definition for its system, a message ends with error 23.",
            "[New definition](/message-store/definitions/new/)",
        ]
        assert show("definitions", page=page)[-1] == "Administrators can add definitions."


class TestDefinition:
    def test_shows_all_its_values(self):
        assert show("definition", block="store_title", definition=DEFINITION) == ["order of crm"]
        assert show("definition", definition=DEFINITION, schema='{"a": 1}') == [
            "[Definitions](/message-store/definitions/)",
            "Definition",
            "[View messages](/message-store/messages/?source_system=crm&source_entity=order)",
            "Record key: id, year",
            "Refers to: client by customer, person by seller",
            "Children: order_line in lines, note in notes",
            "Reader: csv",
            "Processor: cp_queue:Q1",
            "Changed: 2026-11-02 12:06:00 UTC",
            '{"a": 1}',
        ]
        assert show("definition", definition=BARE, schema="{}")[1:] == [
            "Definition",
            "Record key:",
            "Refers to: –",
            "Children: –",
            "Reader: an array of objects",
            "Processor: –",
            "Changed: 2026-11-02 12:07:00 UTC",
            "{}",
        ]

    def test_can_be_changed_and_removed(self):
        form = DefinitionForm(QueryDict("key_fields=id&reader=csv&children=1"))
        form.add_error(None, "It has changed.")
        context = {"definition": DEFINITION, "schema": "{}", "form": form, "remove_form": ReasonForm()}
        lines = show("definition", may_change=True, readers=["csv"], processors=["cp_queue:Q1"], **context)
        assert lines[lines.index("Change definition") :] == [
            "Change definition",
            "Changes apply to new attempts. Processed messages do not change until they are reprocessed.",
            "It has changed.",
            "Key fields",
            "<key_fields=id>",
            "Separated by commas, in key order; in quotes if a name has one.",
            "References",
            "<references>",
            'Field and the entity it refers to, such as {"customer": "customer"}.',
            "Children",
            "<children> 1",
            'Field and the entity of its records, such as {"lines": "order_line"}.',
            'Enter a JSON object, such as {"field": "..."}.',
            "JSON Schema of one record",
            "<json_schema>",
            "Reader",
            "<reader=csv>",
            "Name of a registered reader. Leave empty if the data is an array of objects.",
            "Processor",
            "<processor>",
            (
                "Runs after the records are written. Leave empty for none. cp_queue:RENDITION names its "
                "queues."
            ),
            "<csv>",
            "<cp_queue:Q1>",
            "Reason (recorded in the audit log)",
            "<reason>",
            "Enter a reason. It is recorded in the audit log.",
            "Save definition",
            "Remove definition",
            "(/message-store/definitions/41/remove/)",
            "Its messages will end with error 23 or 24. Their existing records are kept.",
            "Reason (recorded in the audit log)",
            "<reason>",
            "Remove definition",
        ]

    def test_can_be_created(self):
        assert show("definition_new", form=NewDefinitionForm(), readers=[], processors=[])[:7] == [
            "[Definitions](/message-store/definitions/)",
            "System",
            "<system>",
            "As named in its messages; * for messages without a system.",
            "Entity",
            "<entity>",
            "Key fields",
        ]


class TestDryRun:
    def test_shows_all_its_numbers(self):
        told = DryRun(status=10, ended=51, taken_back=52)
        records = [
            (
                RecordChange(key=Key(entity="order", text="k-1"), effect=Effect.CHANGED, fields=["a", "b"]),
                "running",
            ),
            (RecordChange(key=Key(entity="item", text="k-2"), effect=Effect.NEW, fields=[]), "done"),
        ]
        counts = [("new", "done", 53), ("changed", "running", 54)]
        context = {
            "line": line(61),
            "told": told,
            "badge": badge_of(10),
            "counts": counts,
            "records": records,
        }
        assert show("dry_run", **context, more=55) == [
            "[Back to the message](/message-store/messages/0193-61/)",
            "0193-61",
            "Resulting status",
            "{done} (title: Its records have been written.) 10 processed",
            "{done} 53 new",
            "{running} 54 changed",
            "51 ended by the refresh",
            "52 withdrawn",
            "The processor of its definition, if any, was not run.",
            "Records",
            "Changes by record",
            "Entity | Key | Effect | Changed fields",
            "order | k-1 | {running} changed | a, b",
            "item | k-2 | {done} new | –",
            "55 more records are not shown.",
        ]
        assert (
            show("dry_run", **{**context, "records": []}, more=0)[-1]
            == "The processor of its definition, if any, was not run."
        )
        calm = show("dry_run", **{**context, "told": DryRun(status=10)}, more=0)
        assert "51 ended by the refresh" not in calm
        assert not any("withdrawn" in words or "more records" in words for words in calm)

    def test_shows_its_errors(self):
        told = DryRun(status=23, errors=["No key.", "No name."])
        context = {"line": line(61), "badge": badge_of(23), "counts": [("new", "done", 1)], "records": []}
        assert show("dry_run", told=told, **context)[2:] == [
            "Resulting status",
            "{failed} (title: There is no source definition for its system.) 23 system not found",
            "No key.",
            "No name.",
        ]
