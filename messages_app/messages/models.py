"""
The hub's tables, live and archived, with their constraints and indexes, the history of states, and the links
of corrected messages.

The comment at each index names the queries that use it. Source:
docs/contributing/decisions/0002-indexes-of-message.md.
"""

from typing import Any

from django.db import models
from django.db.models import F, Q
from django.db.models.functions import Coalesce, Now

from messages_app.messages.hub_columns import (
    ExternalCallColumns,
    FunnelColumns,
    MessageColumns,
    RequestColumns,
    ResponseColumns,
)
from messages_app.shared.message_states import BYGONE_STATES, FAILURE_STATES, FINAL_STATES, MessageState

_FINAL = sorted(FINAL_STATES)
_BYGONE = sorted(BYGONE_STATES)


def _newest_first(column: str, *, name: str, null: bool = False) -> models.Index:
    """Return the index for one equality filter of the list, in the order of the list (msg_id)."""
    present = Q(**{f"{column}__isnull": False}) if null else None
    return models.Index(column, "msg_id", name=name, condition=present)


def _children_index(name: str) -> models.Index:
    """Return the index of the children of a message, which includes their states."""
    present = Q(parent_msg_id__isnull=False)
    return models.Index(fields=["parent_msg_id", "msg_id"], include=["state"], name=name, condition=present)


class Message(MessageColumns):
    class Meta:
        db_table = "message"
        default_permissions = ("view",)
        permissions = [
            ("cancel_message", "Can cancel messages"),
            ("restart_message", "Can restart messages"),
            ("view_payload", "Can read payloads unmasked"),
            ("edit_payload", "Can correct payloads and resend them"),
        ]
        constraints = [
            # The hub's own: a second message with these is refused as a duplicate
            # (docs/contributing/spec/cleverbus.md, "Duplicate correlation ids"). Serves the list's filter
            # correlation_id as a prefix.
            models.UniqueConstraint(fields=["correlation_id", "source_system"], name="uq_correlation_system"),
        ]
        indexes = [
            # List ordered by receive_timestamp; filter receive_timestamp_from/_to. Histogram: an
            # index-only scan, because the state is included.
            models.Index(
                fields=["receive_timestamp", "msg_id"], include=["state"], name="message_received_idx"
            ),
            # List: filter state. Nine in ten rows are OK, for which the primary key is enough.
            models.Index("state", "msg_id", name="message_state_idx", condition=~Q(state=MessageState.OK)),
            # List ordered by receive_timestamp: filters state and service_name.
            models.Index(
                "state",
                "receive_timestamp",
                "msg_id",
                name="message_state_received_idx",
                condition=~Q(state=MessageState.OK),
            ),
            models.Index(
                fields=["service_name", "receive_timestamp", "msg_id"],
                include=["state"],
                name="message_service_received_idx",
            ),
            # List: filter msg_timestamp_from/_to.
            models.Index("msg_timestamp", "msg_id", name="message_msg_timestamp_idx"),
            # List: filter last_process_timestamp_from/_to.
            models.Index("last_process_timestamp", "msg_id", name="message_last_process_idx"),
            # Archive plan: final messages by age; without last_process_timestamp they age from receipt.
            models.Index(
                Coalesce("last_process_timestamp", "receive_timestamp"),
                F("msg_id"),
                name="message_final_age_idx",
                condition=Q(state__in=_FINAL),
            ),
            # List: one equality filter each.
            _newest_first("service_name", name="message_service_idx"),
            _newest_first("source_system", name="message_source_idx"),
            _newest_first("operation_name", name="message_operation_idx"),
            _newest_first("entity_type", name="message_entity_type_idx", null=True),
            _newest_first("process_id", name="message_process_idx", null=True),
            _newest_first("object_id", name="message_object_idx", null=True),
            _newest_first("failed_error_code", name="message_error_idx", null=True),
            _newest_first("funnel_value", name="funnel_value_idx", null=True),
            _newest_first("funnel_component_id", name="message_component_idx", null=True),
            # List: filter parent_msg_id. Detail and families: the children of a message, counted by state.
            _children_index("message_parent_idx"),
            # Explanations and funnels: messages that hold a value or wait for it, for hubs that keep it here.
            models.Index(
                "funnel_value",
                "state",
                "msg_timestamp",
                "msg_id",
                name="message_open_value_idx",
                condition=Q(funnel_value__isnull=False) & ~Q(state__in=_BYGONE),
            ),
            # Explanations and funnels: the same by component, for a value with thousands of rows in `funnel`.
            models.Index(
                "funnel_component_id",
                "state",
                "msg_timestamp",
                "msg_id",
                name="message_open_component_idx",
                condition=Q(funnel_component_id__isnull=False) & ~Q(state__in=_BYGONE),
            ),
            # Explanations and funnels: the first message in a guaranteed order with such a value.
            models.Index(
                "msg_timestamp",
                "msg_id",
                name="message_open_order_idx",
                condition=Q(guaranteed_order=True) & ~Q(state__in=_BYGONE),
            ),
            # Explanations: the children that a parent waits for. List: filter family=failed.
            models.Index(
                "parent_msg_id",
                "state",
                "msg_id",
                name="message_open_child_idx",
                condition=Q(parent_msg_id__isnull=False) & ~Q(state=MessageState.OK),
            ),
        ]


class ExternalCall(ExternalCallColumns):
    class Meta:
        db_table = "external_call"
        constraints = [
            # The hub's own: the key by which it calls once (docs/contributing/spec/cleverbus.md, "External
            # calls").
            models.UniqueConstraint(
                fields=["operation_name", "entity_id"], name="uq_ext_call_operation_entity_id"
            ),
        ]
        indexes = [
            # Detail, restart and families: the calls of a message.
            models.Index("msg_id", "call_id", name="external_call_msg_idx"),
            # List of external calls that are not completed.
            models.Index("state", "call_id", name="ext_state_idx", condition=~Q(state="OK")),
        ]


class Request(RequestColumns):
    class Meta:
        db_table = "request"
        indexes = [
            # Detail and families: the requests of a message.
            models.Index("msg_id", "req_id", name="request_msg_idx", condition=Q(msg_id__isnull=False)),
            # List of requests: req_timestamp_from/_to, and its order by them. Rows are only appended.
            models.Index("req_timestamp", "req_id", name="request_time_idx"),
            # Archive plan: synchronous requests by age.
            models.Index(
                "req_timestamp", "req_id", name="request_orphan_age_idx", condition=Q(msg_id__isnull=True)
            ),
        ]


class Response(ResponseColumns):
    class Meta:
        db_table = "response"
        indexes = [
            # Detail and families: the responses to a request.
            models.Index("req_id", "res_id", name="response_req_idx", condition=Q(req_id__isnull=False)),
            # Detail and families: the responses of a message that name no request.
            models.Index(
                "msg_id",
                "res_id",
                name="response_msg_idx",
                condition=Q(req_id__isnull=True, msg_id__isnull=False),
            ),
            # List of responses: res_timestamp_from/_to. Rows are only appended.
            models.Index("res_timestamp", "res_id", name="response_time_idx"),
            # List of responses: failed=true.
            models.Index("res_id", name="response_failed_idx", condition=Q(failed=True)),
            # Archive plan: responses that name no request, by age.
            models.Index(
                "res_timestamp", "res_id", name="response_orphan_age_idx", condition=Q(req_id__isnull=True)
            ),
        ]


class Funnel(FunnelColumns):
    class Meta:
        db_table = "funnel"
        indexes = [
            # Detail and families: the funnel values of a message.
            models.Index("msg_id", "funnel_id", name="funnel_msg_idx"),
            # List: filter funnel_value.
            models.Index("funnel_value", "msg_id", name="funnel_funnel_value_idx"),
        ]


class ArchiveMessage(MessageColumns):
    # Not columns: parquet_archive/reader.py sets them. `cold` is a ColdRows, which reads these models.
    cold: Any
    contents_unread: bool

    class Meta:
        db_table = "archive_message"
        verbose_name_plural = "archived messages"
        indexes = [
            # Search by correlation id in the archive. Not unique: the hub may take the id again
            # (docs/contributing/spec/cleverbus.md, "Duplicate correlation ids").
            models.Index("correlation_id", name="archive_message_corr_idx"),
            # List ordered by receive_timestamp; filter receive_timestamp_from/_to. Histogram.
            models.Index(
                fields=["receive_timestamp", "msg_id"], include=["state"], name="archive_message_received_idx"
            ),
            # Detail: the children of an archived message, counted by state. List: filter parent_msg_id.
            _children_index("archive_message_parent_idx"),
            # List of the archive: filter state. Few archived messages are not OK.
            models.Index(
                "state", "msg_id", name="archive_message_state_idx", condition=~Q(state=MessageState.OK)
            ),
            # List of the archive: one equality filter each. Other filters use the incremental scan.
            _newest_first("failed_error_code", name="archive_message_error_idx", null=True),
            _newest_first("process_id", name="archive_message_process_idx", null=True),
            _newest_first("object_id", name="archive_message_object_idx", null=True),
            # Erasing: for hubs that keep the value here; empty elsewhere.
            _newest_first("funnel_value", name="archive_message_funnel_idx", null=True),
            # List of the archive: filter family=failed.
            models.Index(
                "parent_msg_id",
                name="archive_failed_child_idx",
                condition=Q(parent_msg_id__isnull=False) & Q(state__in=sorted(FAILURE_STATES)),
            ),
        ]


class ArchiveExternalCall(ExternalCallColumns):
    class Meta:
        db_table = "archive_external_call"
        verbose_name_plural = "archived external calls"
        indexes = [
            # Detail: the calls of an archived message.
            models.Index("msg_id", name="archive_call_msg_idx"),
            # Search for any id: an entity's calls.
            models.Index("entity_id", "call_id", name="archive_call_entity_idx"),
        ]


class ArchiveRequest(RequestColumns):
    class Meta:
        db_table = "archive_request"
        verbose_name_plural = "archived requests"
        # Detail: the requests of an archived message.
        indexes = [models.Index("msg_id", name="archive_request_msg_idx", condition=Q(msg_id__isnull=False))]


class ArchiveResponse(ResponseColumns):
    class Meta:
        db_table = "archive_response"
        verbose_name_plural = "archived responses"
        indexes = [
            # Detail: the responses to an archived request.
            models.Index("req_id", name="archive_response_req_idx", condition=Q(req_id__isnull=False)),
            # Detail: the responses of an archived message that name no request.
            models.Index(
                "msg_id",
                name="archive_response_msg_idx",
                condition=Q(req_id__isnull=True, msg_id__isnull=False),
            ),
        ]


class ArchiveFunnel(FunnelColumns):
    class Meta:
        db_table = "archive_funnel"
        verbose_name_plural = "archived funnels"
        indexes = [
            # Detail: the funnel values of an archived message.
            models.Index("msg_id", name="archive_funnel_msg_idx"),
            # List of the archive: filter funnel_value.
            models.Index("funnel_value", "msg_id", name="archive_funnel_value_idx"),
        ]


class MessageEvent(models.Model):
    """
    One row for each change of a message's state, written by a trigger; `actor` is NULL for the hub.

    UNKNOWN as actor marks the end of a gap: the states between `from_state` and `to_state` were not recorded.
    No user can have that name.
    """

    UNKNOWN = "(unknown)"

    event_id = models.BigAutoField(primary_key=True)
    msg_id = models.BigIntegerField()
    from_state = models.CharField(max_length=15)
    to_state = models.CharField(max_length=15)
    actor = models.CharField(max_length=150, null=True)
    at = models.DateTimeField()

    class Meta:
        db_table = "message_event"
        # Timeline of one message.
        indexes = [models.Index("msg_id", "event_id", name="message_event_msg_idx")]

    def __str__(self) -> str:
        return f"message {self.msg_id}: {self.from_state} to {self.to_state}"


class ResentMessage(models.Model):
    """
    One row for each message that was resent. The key admits it once, even if several users send it.

    The ids stay when the hub archives or deletes a message.

    Attributes:
        original_id: the message whose payload was corrected.
        msg_id: the new message with the corrected payload.
        job_id: the job that resent it; None: one user did.
    """

    original_id = models.BigIntegerField(primary_key=True)
    msg_id = models.BigIntegerField(unique=True)
    job_id = models.BigIntegerField(null=True)
    resent_at = models.DateTimeField(db_default=Now())

    class Meta:
        db_table = "resent_message"
        default_permissions = ()

    def __str__(self) -> str:
        return f"message {self.original_id} resent as {self.msg_id}"
