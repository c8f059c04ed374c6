"""
Where the product breaks a rule anyway: each place with the reason why it may.

A second such thing in the same function is a place of its own, with #2 behind the name.
"""

from collections.abc import Mapping

_OF_A_DEMO = "the tables of its own module's tuple; nobody names them"
_OF_THE_HUB = "it plays the hub, which writes whole rows"
_OF_ATTACH = "statements for the hub's tables; schema, columns and zone are quoted by psycopg"
_NAME_OF_INDEX = "a name that the catalog has quoted"
_BEHIND = "a table of the hub, as the catalog quotes it"
_STAMP = "the text of a file, with one of the two assignments of its module or none"
_LOCKED_ROW = "the row is ours, and locked until the transaction ends"

SQL: Mapping[str, str] = {
    "messages_app.attach.indexes.create_indexes": _NAME_OF_INDEX,
    "messages_app.attach.indexes.create_indexes#2": _OF_ATTACH,
    "messages_app.attach.indexes.drop_indexes": _NAME_OF_INDEX,
    "messages_app.attach.indexes._map_values": "a column of the hub, quoted",
    "messages_app.attach.owner.run_by_owner": _OF_ATTACH,
    "messages_app.attach.owner.created_tables": _NAME_OF_INDEX,
    "messages_app.attach.owner.drop_archive": _NAME_OF_INDEX,
    "messages_app.attach.services._replace_tables": "one of two statements, written out",
    "messages_app.attach.services._replace_tables#2": "the text of a file",
    "messages_app.attach.services._drop_triggers": _OF_ATTACH,
    "messages_app.attach.services._create_triggers": _OF_ATTACH,
    "messages_app.attach.services._create_triggers#2": _OF_ATTACH,
    "messages_app.attach.services.archived_by_console": "conditions of a constant of the module",
    "messages_app.attach.views._select_columns": "the type of a model's field",
    "messages_app.shared.corrections.store_corrected": _BEHIND,
    "messages_app.shared.state_changes.change_states": _STAMP,
    "messages_app.audit.grants._grant_once": "our own GRANTs; role and schema are quoted by psycopg",
    "messages_app.demo.hub.ground._read_values": "names of columns that its callers write out",
    "messages_app.demo.loader._claim_tables": _OF_A_DEMO,
    "messages_app.demo.loader._claim_tables#2": _OF_A_DEMO,
    "messages_app.demo.loader._claim_tables#3": _OF_A_DEMO,
    "messages_app.demo.hub_tables._create_tables": _OF_A_DEMO,
    "messages_app.demo.hub_tables._create_tables#2": _OF_A_DEMO,
    "messages_app.demo.hub_tables._create_tables#3": _OF_A_DEMO,
    "messages_app.demo.hub_tables._create_tables#4": _OF_A_DEMO,
    "messages_app.core.statements._execute_statement": "the text of a file",
    "messages_app.core.statements._execute_statement#2": "the text of a file",
    "messages_app.demo.loader._copy_rows": _OF_A_DEMO,
    "messages_app.demo.loader._analyze_tables": _OF_A_DEMO,
    "messages_app.document_history.selectors.outcomes._count_slices": "a verdict; others are refused",
    "messages_app.erasure.rows.delete_rows": "conditions that its callers write out, with arguments",
    "messages_app.jobs.archive_months.table_changes.replace_tables": "the query of the console's own view",
    "messages_app.jobs.archive_months.table_changes._create_parent": "an index of the catalog",
    "messages_app.jobs.archive_months.table_changes._create_parent#2": "grants that the database has quoted",
    "messages_app.jobs.archive_months.table_changes.run_statement": "its statements; psycopg quotes names",
    "messages_app.jobs.drivers.archive._analyze_archive": "names of tables, quoted by the database",
    "messages_app.jobs.preview.deadline._one_limit_for_all.execute_limited": "passes on what Django compiled",
    "messages_app.management.base.ReportingCommand.execute": "a command's own method, no SQL",
    "messages_app.message_store.services.worker_loop._ask_lock": "two statements, written out beside it",
    "messages_app.messages.listing.histogram_rows._count_windows": "what Django compiled; a name, quoted",
    "messages_app.messages.listing.histogram_rows._search_newest": "what Django compiled; a name, quoted",
    "messages_app.messages.distinct_values.list_distinct_values": "a column that the model has, quoted",
    "spark_tasks.database.TaskStatements.run_statement": "the text of a file",
    "spark_tasks.exports.expressions._compose_expression": "an expression of its module; a column, quoted",
    "spark_tasks.exports.parts.ExportParts._copy": "COPY's options of a format, which its module writes out",
    "spark_tasks.parquet.parts._copied_rows": "the condition of a table, from the one list of tables",
    "spark_tasks.actions.archive_parquet._check_times": _BEHIND,
    "spark_tasks.actions.archive_parquet._check_times#2": _BEHIND,
    "spark_tasks.moves.second_rows.removal_statement": _BEHIND,
    "spark_tasks.moves.rows._table_names": _BEHIND,
    "spark_tasks.moves.rows.compose_statement": _BEHIND,
    "spark_tasks.moves.rows.compose_statement#2": _BEHIND,
    "spark_tasks.moves.rows.compose_statement#3": "the condition of a table, from the one list of tables",
    "spark_tasks.parquet.restore_rows._insert_converted": "what _insert_query composed, values apart",
    "spark_tasks.parquet.restore_rows._insert_query": "a type of the console's own list of types",
    "spark_tasks.parquet.restore_rows._insert_query#2": _BEHIND,
    "spark_tasks.plans.plan_writer.write_inside.write": "what Django compiled for the plan, values apart",
    "spark_tasks.ranges.fetch_batches_of": "passes on statements of files, and what Django compiled",
}
WRITES: Mapping[str, str] = {
    "messages_app.access.sessions.store.SessionStore.create": "the session's own method, one statement",
    "messages_app.audit.verification.put_tombstone": "a new tombstone of the audit",
    "messages_app.demo.hub.writes.Book.insert": _OF_THE_HUB,
    "messages_app.demo.hub.writes.Book.change_row": _OF_THE_HUB,
    "messages_app.document_history.services.in_doubt._take_first_free": _LOCKED_ROW,
    "messages_app.document_history.services.in_doubt._begin_again": _LOCKED_ROW,
    "messages_app.jobs.schedules.runs.note_run": _LOCKED_ROW,
    "messages_app.jobs.schedules.services.delete_schedule": _LOCKED_ROW,
    "messages_app.jobs.schedules.services.forget_schedule": _LOCKED_ROW,
    "messages_app.jobs.engine.runner._clear_plan": "the plan's tables, under the job's attempt",
    "messages_app.message_store.services.definitions.remove_definition": _LOCKED_ROW,
    "messages_app.messages.listing.saved_views.services.delete_view": _LOCKED_ROW,
    "messages_app.jobs.webhooks.services.delete_webhook": _LOCKED_ROW,
    "messages_app.messages.alerts.services.delete_rule": _LOCKED_ROW,
    "messages_app.core.named_rows.save_named_row": "a row of ours; a constraint keeps its name single",
    "messages_app.business_keys.services._save_definition": "a row of ours; a constraint keeps it single",
}
SCRIPTS: Mapping[str, str] = {}
_THE_PLACE = "the place itself"
FORMATS: Mapping[str, str] = {
    "messages_app/jobs/views/detail/throughput.py": "samples that a page hands back, and nobody reads",
    "messages_app/messages/timeline/waterfall.py": "an attribute of a drawing",
} | {f"messages_app/core/formatting.py{nth}": _THE_PLACE for nth in ("", "#2", "#3", "#4", "#5", "#6", "#7")}

# Functions that answer yes or no, and whose names others ask for. Gunicorn's and Kombu's own methods are
# overridden.
PREDICATES = frozenset(
    {
        *("readable", "seekable", "writable"),  # Python's protocol of files
        *("exists", "lookup_allowed"),  # Django
        "to_internal_value",  # REST framework
        *("_brpop_read", "_keepalive_after"),
    }
)
