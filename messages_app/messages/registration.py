"""
The store of the hub's messages.

Its permissions and scopes are in access/roles.py and access/scopes.py, because every role starts with them.
Its tiles are in the dashboard, because the layout of the first page depends on them.
"""

from messages_app.core.stores import OWN, MenuEntry, MenuGroup, Periodic, Store

CAN_VIEW_MESSAGES = "messages_app.view_message"

# Of the hub's rows, the console changes only the state and the time of the change; it adds corrected messages
# with their funnel values. PostgreSQL requires the
# privilege to update some column for locking a row; if nothing is changed, it is a column without effect.
_STATE = "w:state,last_process_timestamp"

STORE = Store(
    address="",
    urls="messages_app.messages.urls",
    menu=[
        MenuEntry(
            title="Messages",
            url="/messages/",
            icon="messages",
            key="g m",
            permission=CAN_VIEW_MESSAGES,
            group=MenuGroup.OPERATE,
            chapter="how_it_works/messages",
            position=10,
        ),
        MenuEntry(
            title="Failures",
            url="/failures/",
            icon="warning",
            key="g e",
            permission=CAN_VIEW_MESSAGES,
            group=MenuGroup.OPERATE,
            chapter="reference/failure_groups",
            position=20,
        ),
        MenuEntry(
            title="Funnels",
            url="/funnels/",
            icon="funnel",
            key="g f",
            permission=CAN_VIEW_MESSAGES,
            group=MenuGroup.OPERATE,
            chapter="how_it_works/messages#funnels-and-guaranteed-order",
            position=30,
            count="funnels",
            counted="values that messages wait too long for",
        ),
    ],
    models=[
        "messages_app.messages.models",
        "messages_app.messages.attachment",
        "messages_app.messages.alerts.models",
        "messages_app.messages.call_counts.models",
        "messages_app.messages.failures.models",
        "messages_app.messages.listing.models",
        "messages_app.messages.metrics.models",
        "messages_app.messages.parquet_archive.models",
    ],
    admin="messages_app.messages.admin",
    functions="messages_app.messages.functions",
    tasks=[
        "messages_app.messages.failures",
        "messages_app.messages.metrics",
        "messages_app.messages.alerts",
    ],
    periodic={
        "fold-counts": Periodic(
            task="messages_app.messages.metrics.tasks.fold_counts", seconds=5.0, expires=True
        ),
        "join-failures": Periodic(
            task="messages_app.messages.failures.tasks.join_failures", seconds=5.0, expires=True
        ),
        "check-watch-rules": Periodic(
            task="messages_app.messages.alerts.tasks.check_rules", seconds=15.0, expires=True
        ),
        "coarsen-counts": Periodic(task="messages_app.messages.metrics.tasks.coarsen_counts", seconds=3600.0),
        "coarsen-failures": Periodic(
            task="messages_app.messages.failures.tasks.coarsen_failures", seconds=3600.0
        ),
    },
    privileges={
        "message": (f"r a {_STATE}", "r", f"r a d {_STATE}", "r d w:node_id"),
        "external_call": ("r d", "r", "r a d w:failed_count", "r d"),
        "request": ("r", "r", "r a d w:res_join_id", "r d w:res_join_id"),
        "response": ("r", "r", "r a d w:failed_reason", "r d"),
        "funnel": ("r a", "r", "r a d w:funnel_value", "r d"),
        "archive_message": ("r", "r", "r a d w:node_id", "r d w:node_id"),
        "archive_external_call": ("r", "r", "r a d", "r d"),
        "archive_request": ("r", "r", "r a d w:res_join_id", "r d w:res_join_id"),
        "archive_response": ("r", "r", "r a d w:failed_reason", "r d"),
        "archive_funnel": ("r", "r", "r a d", "r d"),
        "archived_relative": ("r", "r", "r", "r"),
        # Links of corrected messages
        "resent_message": ("r a", "r", "r a", "r"),
        # Written by `attach`, which runs as the owner.
        "attachment": ("r", "r", "r", "r"),
        # Written by triggers, which run as their owner. The worker adds what it sees without triggers,
        # and failures from before the console.
        "message_event": ("r", "r a", "r", "r d"),
        "message_change": ("r", "r a d", "", ""),
        "new_failure": ("", "r a d", "r", "r d"),
        # Counts of messages
        "message_rollup": ("r", OWN, "", ""),
        "message_took": ("r", OWN, "", ""),
        "message_total": ("r", OWN, "", ""),
        "message_gauge": ("r", OWN, "", ""),
        # The last poll of an attached hub
        "polled_message": ("r", OWN, "", ""),
        "polling": ("r", "r a w", "", ""),
        "rollup_pass": ("r", "r a w", "", ""),
        # Counts of external calls
        "call_rollup": ("r", OWN, "", ""),
        "call_took": ("r", OWN, "", ""),
        "counted_call": ("", OWN, "", ""),
        "call_pass": ("r", "r a w", "", ""),
        # The archive in Parquet files
        "cold_part": ("r", "r", "r a w:restored,restored_ids,emptied_at", "r w:kept,restored,emptied_at"),
        "cold_file": ("r", "r", "r a", "r d w:path,rows,first_id,last_id,bytes,sha256"),
        "cold_message": ("r", "r", "r a d w:part_id", "r d w:part_id"),
        # Failures
        "failure_group": (
            "r w:state,state_at,snoozed_until,owner,ticket,note",
            "r a w",
            "r a w:failures,example,first_seen,last_seen",
            "r w:summary,example,ticket,note",
        ),
        "failure_member": ("r", "r a w:group_id,at,cell_id", "r a", "r d"),
        "failure_minute": ("r", OWN, "r a w:failures", ""),
        "error_code": (OWN, "r", "", ""),
        # Alerts
        # The erasure reads no keys of receivers.
        "watch_rule": (
            OWN,
            "r w:told_at,checked_at,value,error",
            "",
            "r:rule_id,saved_view_id w:saved_view_id",
        ),
        "alert": ("r w:closed_at,value", "r a w:closed_at,value,worst", "", ""),
        "alert_notice": ("r", "r a w:attempts,next_at,sent_at,error", "", ""),
        # Saved views and columns of the list
        "saved_view": (OWN, "r", "", "r d"),
        "list_preference": (OWN, "", "", ""),
    },
    job_items="messages_app.jobs.stores.messages",
    erasure="messages_app.erasure.messages",
    areas={"messages": "the history of states, the counts and the groups of failures"},
    look_up_right=CAN_VIEW_MESSAGES,
    subjects={
        "failure_group": ("Failure group", "failure-group"),
        "watch_rule": ("Watch rule", "watch-rule"),
    },
)
