"""The page of a trigger with numbers that all differ."""

from messages_app.core.reason_form import ReasonForm
from messages_app.document_history.views.triggers import NewTriggerForm, TriggerForm
from tests.messages_app.document_history.views.shown_documents import moment, show, trigger
from tests.messages_app.document_history.views.test_triggers_content import ZERO, counts, line


def lines_of(*, block: str = "document_content", found: object = None, **columns: object) -> list[str]:
    shown = trigger(20, **{name: value for name, value in columns.items() if name not in EXTRA})
    context = {
        "trigger": shown,
        "line": line(shown, found or counts(20)),
        "home": "/document-history/",
        "form": TriggerForm(initial={"name": "trigger 20"}),
        "resume_trigger_form": ReasonForm(auto_id="resume_%s"),
        "delete_trigger_form": ReasonForm(auto_id="delete_%s"),
        "resolver_fault": "",
        "expiring": 0,
    }
    return show("trigger", block=block, **context | {name: columns[name] for name in EXTRA & set(columns)})


EXTRA = {"form", "expiring", "resolver_fault", "may_change"}


class TestTrigger:
    def test_shows_all_its_numbers(self):
        lines = lines_of()
        assert lines[: lines.index("Properties") + 2] == [
            "Status",
            "Last 24 h:",
            "(svg viewbox=0 0 100 1)",
            "{NEW} (rect x=0.0 width=32.0 height=1)",
            "{DUPLICATE} (rect x=32.0 width=33.33 height=1)",
            "{IN_DOUBT} (rect x=65.33 width=34.67 height=1)",
            (
                "[24 new](/document-history/entries/?trigger_id=t-20&time_from=-24h) · [25 "
                "duplicate](/document-history/statistics/?trigger_id=t-20&status=DUPLICATE&at_from=-24h) · "
                "[26 in doubt](/document-history/statistics/?trigger_id=t-20&status=IN_DOUBT&at_from=-24h)"
            ),
            "Open in doubt: [27](/document-history/in-doubt/?trigger_id=t-20&state=open)",
            "Undetermined: [23](/document-history/undetermined/?trigger_id=t-20)",
            "oldest @2026-11-02T12:20:00Z",
            "Entries stored: 21",
            "[View documents](/document-history/entries/?trigger_id=t-20)",
            "Entries expired: 22",
            "Duplicate detection: count (title: Time to live) history, 20 min",
            "Id: t-20",
            "Created: 2026-11-02 12:20:00 UTC",
            "[Start a dry run for a document](/document-history/dry-run/?trigger_id=t-20)",
            "(/document-history/triggers/t-20/)",
            "Properties",
            "Name",
        ]
        assert lines[lines.index("Save trigger") :] == [
            "Save trigger",
            "Delete trigger",
            "(/document-history/triggers/t-20/delete/)",
            (
                "Checks for this trigger fail afterwards. Its entries stay until they expire, and its id "
                "cannot be reused. This cannot be undone."
            ),
            "Reason (recorded in the audit log)",
            "<reason>",
            "Delete trigger",
        ]

    def test_shows_its_state(self):
        assert lines_of(block="document_words") == ["{OK} active"]
        assert lines_of(block="document_words", suspended_at=moment(1)) == ["{paused} suspended"]
        gone = {"suspended_at": moment(1), "deleted_at": moment(2)}
        assert lines_of(block="document_words", **gone) == ["deleted"]
        assert lines_of(**gone)[0] == (
            "Deleted 2026-11-02 12:02:00 UTC. It no longer checks documents. Its entries are removed after "
            "their time to live."
        )
        assert not any("dry run" in words for words in lines_of(**gone))
        suspended = lines_of(suspended_at=moment(3), suspended_because="The resolver failed.")
        assert suspended[:5] == [
            (
                "Suspended since 2026-11-02 12:03:00 UTC: The resolver failed. Callers get the answer to "
                "retry later; no documents are lost."
            ),
            "(/document-history/triggers/t-20/resume/)",
            "Reason (recorded in the audit log)",
            "<reason>",
            "Resume trigger",
        ]
        readers = lines_of(suspended_at=moment(3), may_change=False)
        assert "Resume trigger" not in readers
        assert "Properties" not in readers

    def test_shows_that_nothing_was_counted(self):
        assert lines_of(found=counts(20, **ZERO))[:8] == [
            "Status",
            "Last 24 h: –",
            "Open in doubt: 0",
            "Undetermined: 0",
            "Entries stored: 0",
            "[View documents](/document-history/entries/?trigger_id=t-20)",
            "Entries expired: 0",
            "Duplicate detection: count (title: Time to live) history, 20 min",
        ]

    def test_warns_of_its_resolver_and_of_what_would_expire(self):
        assert lines_of(resolver_fault="It is missing.")[0] == (
            "It is missing. Documents that the history cannot decide become In Doubt. Choose another "
            "resolver or add its module to HUBCONSOLE_RESOLVERS."
        )
        lines = lines_of(expiring=31)
        assert lines[lines.index("Properties") + 1] == (
            "With this time to live, 31 entries expire immediately and will be removed. A later copy of "
            "such a document is processed again. Save again to confirm."
        )
        assert "Save anyway" in lines
        one = lines_of(expiring=1)
        assert one[one.index("Properties") + 1].startswith(
            "With this time to live, 1 entry expires immediately"
        )

    def test_has_a_form_for_a_new_one(self):
        form = NewTriggerForm(
            {"name": "", "history_ttl_seconds": "0", "on_retry_failure": "THROW", "reason": ""}
        )
        form.add_error(None, "It exists.")
        assert show("trigger_new", form=form, home="/document-history/", resolvers=["mine"]) == [
            "It exists.",
            (
                "4 fields need a correction: [Name](#id_name), [History time to live "
                "(s)](#id_history_ttl_seconds), [On retry failure](#id_on_retry_failure), "
                "[Reason (recorded in the audit log)](#id_reason)"
            ),
            "Name",
            "<name>",
            "Enter a name.",
            "Id",
            "<trigger_id>",
            "The id that callers use. Leave empty for a new UUID. It cannot be changed later.",
            "<detect_duplicates> Detect duplicates",
            "<use_history> Use the history",
            "Without it, only the redelivery count and the resolver decide.",
            "History time to live (s)",
            "<history_ttl_seconds=0>",
            "3600 is one hour, 86400 one day. A copy that arrives later is processed again.",
            "Ensure this value is greater than or equal to 1.",
            "Resolver",
            "<resolver>",
            "Name of a registered resolver. Leave empty for none.",
            "On retry failure",
            "<on_retry_failure>",
            "<throw_exception> Throw an exception: the failed document is completed",
            "<suspend_and_retry_later> Suspend and try again later",
            "Select a valid choice. THROW is not one of the available choices.",
            "<mine>",
            "Reason (recorded in the audit log)",
            "<reason>",
            "Enter a reason. It is recorded in the audit log.",
            "Create trigger",
        ]
