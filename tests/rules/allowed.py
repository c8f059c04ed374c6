"""
Where the product breaks a rule all the same: each place with the reason why it may.

A second such thing in the same function is a place of its own, with #2 behind the name.
"""

from collections.abc import Mapping

_OF_A_DEMO = "the tables of its own module's tuple; nobody names them"
_OF_THE_HUB = "it plays the hub, which writes whole rows"
_NEW_ROW = "a new row of the demo, before anybody works on it"
_LOCKED_ROW = "the row is ours, and locked until the transaction ends"

SQL: Mapping[str, str] = {
    "messages_app.audit.granting.grant": "our own GRANTs; role and schema are quoted by psycopg",
    "messages_app.demo.hub.ground._values": "names of columns that its callers write out",
    "messages_app.demo.loading._claim": _OF_A_DEMO,
    "messages_app.demo.loading._claim#2": _OF_A_DEMO,
    "messages_app.demo.loading._copy": _OF_A_DEMO,
    "messages_app.demo.loading._analyze": _OF_A_DEMO,
    "messages_app.document_history.listing.outcomes._slices": "a verdict, which the enumeration refuses else",
    "messages_app.erasing.sending.delete_rows": "conditions that its callers write out, with arguments",
    "messages_app.jobs.kinds.archiving._analyze": "names of tables, quoted",
    "messages_app.jobs.previewing.deadline._one_limit_for_all.limited": "passes on what Django compiled",
    "messages_app.jobs.previewing.skips._rows": "takes statements of files alone",
    "messages_app.management.telling.TellingCommand.execute": "a command's own method, no SQL",
    "messages_app.message_store.monitoring.working._ask": "two statements, written out beside it",
    "messages_app.messages.histogram.reading._count_windows": "what Django compiled; a name, quoted",
    "messages_app.messages.histogram.reading._looked_through": "what Django compiled; a name, quoted",
    "messages_app.messages.query_line.known_values._jump": "a column that the model has, quoted",
    "spark_tasks.cold.parts._copied": "the condition of a table, from the one list of tables",
    "spark_tasks.moving.rows.composed": "the condition of a table, from the one list of tables",
    "spark_tasks.plans.write_single_messages.write": "what Django compiled for the plan, values apart",
    "spark_tasks.ranges.fetch_batches_of": "passes on statements of files, and what Django compiled",
}
WRITES: Mapping[str, str] = {
    "messages_app.access.sessions.store.SessionStore.create": "the session's own method, one statement",
    "messages_app.audit.tombstones.put": "a new tombstone of the audit",
    "messages_app.demo.hub.book.Book.insert": _OF_THE_HUB,
    "messages_app.demo.hub.book.Book.change": _OF_THE_HUB,
    "messages_app.demo.queue.past._Past._die": _NEW_ROW,
    "messages_app.demo.queue.past._Past._wait_after_retries": _NEW_ROW,
    "messages_app.document_history.changing.taking._first_free": _LOCKED_ROW,
    "messages_app.document_history.changing.taking._begin_again": _LOCKED_ROW,
    "messages_app.jobs.scheduling.running.run_schedule": _LOCKED_ROW,
    "messages_app.jobs.scheduling.services.delete_schedule": _LOCKED_ROW,
    "messages_app.jobs.scheduling.services.forget_schedule": _LOCKED_ROW,
    "messages_app.jobs.worker.runner._clear_plan": "the plan's tables, under the job's attempt",
    "messages_app.message_store.operating.defining.remove_definition": _LOCKED_ROW,
    "messages_app.messages.keeping.saved_views.delete_view": _LOCKED_ROW,
    "messages_app.messages.watching.services.delete_rule": _LOCKED_ROW,
    "messages_app.messages.watching.services._save": "a row of ours; a constraint keeps its name single",
}
_OF_A_TEMPLATE = "an answer of a template of ours, which has escaped it"
_NOT_SHOWN = "a page of ours, read and not shown: of it texts are taken, and rows that a template escaped"
SCRIPTS: Mapping[str, str] = {
    "static/js/follow.js": _NOT_SHOWN,
    "static/js/live.js": _OF_A_TEMPLATE,
    "static/js/palette.js": _OF_A_TEMPLATE,
    "static/js/search.js": _NOT_SHOWN,
}
_THE_PLACE = "the place itself"
FORMATS: Mapping[str, str] = {
    "messages_app/jobs/running/pace.py": "samples that a page hands back, and nobody reads",
    "messages_app/messages/timeline/waterfall.py": "an attribute of a drawing",
} | {f"messages_app/web/formats.py{nth}": _THE_PLACE for nth in ("", "#2", "#3", "#4", "#5", "#6", "#7")}
