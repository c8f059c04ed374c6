"""
The columns of the hub's tables, which a live table and its archive share.

Names, types and nullability are those of the hub.
Source: docs/contributing/seeds/cleverbus.md; docs/contributing/spec/cleverbus.md, "Table message", "Table
external_call", "Table request", "Table response", "Table funnel", "Tables node and configuration_item",
"Archive tables". Links between hub tables are plain ids, because an attached hub may lack the constraint, or
the other row. Migration 0001 adds the hub's foreign keys to our own tables.

Each column of `message` is declared only here, with its type and its description.
"""

from django.db import models

from messages_app.messages.field_descriptions import FieldFilter, MessageField, Panel, Size, describe_field
from messages_app.shared.text_safety import masked_address


class MessageColumns(models.Model):
    # Not columns: set by queries and by the reader of Parquet files.
    archived: bool
    is_parent: bool
    funnel_values: list[str]
    failed_summary: str | None
    # (resent_from, resent_as); None until they are read.
    resend_links: tuple[int | None, int | None] | None = None

    msg_id = describe_field(
        models.BigIntegerField(primary_key=True),
        MessageField(
            label="Message id",
            key="id",
            column_place=1,
            panel=Panel.IDENTITY,
            panel_place=1,
            filter=FieldFilter(hint="several, separated by commas", rarity=None),
        ),
    )
    correlation_id = describe_field(
        models.CharField(max_length=100),
        MessageField(
            label="Correlation id",
            key="correlation",
            column_place=None,
            panel=Panel.IDENTITY,
            panel_place=2,
            filter=FieldFilter(place=4, rarity=None),
        ),
    )
    process_id = describe_field(
        models.CharField(max_length=100, null=True),
        MessageField(
            label="Process id",
            key="process",
            column_place=6,
            panel=Panel.IDENTITY,
            panel_place=3,
            filter=FieldFilter(place=5, rarity=3),
        ),
    )
    msg_timestamp = describe_field(
        models.DateTimeField(),
        MessageField(
            label="Sent",
            key="sent",
            column_place=2,
            panel=Panel.TIMES,
            panel_place=1,
            filter=FieldFilter(),
        ),
    )
    receive_timestamp = describe_field(
        models.DateTimeField(),
        MessageField(
            label="Received",
            key="received",
            column_place=None,
            panel=Panel.TIMES,
            panel_place=2,
            filter=FieldFilter(),
        ),
    )
    service_name = describe_field(
        models.CharField(max_length=30),
        MessageField(
            label="Service",
            key="service",
            column_place=None,
            panel=Panel.IDENTITY,
            panel_place=5,
            filter=FieldFilter(place=2, rarity=9, suggests=True, facet=2),
        ),
    )
    source_system = describe_field(
        models.CharField(max_length=15),
        MessageField(
            label="Source system",
            key="source",
            column_place=None,
            panel=Panel.IDENTITY,
            panel_place=4,
            filter=FieldFilter(place=1, rarity=10, suggests=True, facet=5),
        ),
    )
    state = describe_field(
        models.CharField(max_length=15),
        MessageField(
            label="State",
            column_place=None,
            panel=Panel.PROCESSING,
            panel_place=1,
            filter=FieldFilter(hint="several, separated by commas", rarity=4, facet=1),
        ),
    )
    start_process_timestamp = describe_field(
        models.DateTimeField(null=True),
        MessageField(
            label="Processing started", key="started", column_place=3, panel=Panel.TIMES, panel_place=4
        ),
    )
    object_id = describe_field(
        models.CharField(max_length=50, null=True),
        MessageField(
            label="Object id",
            key="object",
            column_place=7,
            panel=Panel.IDENTITY,
            panel_place=7,
            filter=FieldFilter(place=6, rarity=2),
        ),
    )
    entity_type = describe_field(
        models.CharField(max_length=30, null=True),
        MessageField(
            label="Entity type",
            key="entity",
            column_place=8,
            panel=Panel.IDENTITY,
            panel_place=8,
            filter=FieldFilter(place=7, rarity=7, suggests=True),
        ),
    )
    operation_name = describe_field(
        models.CharField(max_length=100),
        MessageField(
            label="Operation",
            key="operation",
            column_place=None,
            panel=Panel.IDENTITY,
            panel_place=6,
            filter=FieldFilter(place=3, rarity=8, suggests=True, facet=3),
        ),
    )
    payload = describe_field(models.TextField(), MessageField(label="Payload", size=Size.CONTENT))
    envelope = describe_field(models.TextField(null=True), MessageField(label="Envelope", size=Size.CONTENT))
    failed_desc = describe_field(
        models.TextField(null=True),
        MessageField(label="Error", size=Size.WIDE, panel=Panel.PROCESSING, panel_place=4),
    )
    failed_error_code = describe_field(
        models.CharField(max_length=5, null=True),
        MessageField(
            label="Error code",
            key="error",
            column_place=None,
            panel=Panel.PROCESSING,
            panel_place=3,
            filter=FieldFilter(hint="E100, E121", place=10, rarity=5, suggests=True, facet=4),
        ),
    )
    failed_count = describe_field(
        models.IntegerField(db_default=0),
        MessageField(label="Failed", column_place=None, panel=Panel.PROCESSING, panel_place=2),
    )
    last_process_timestamp = describe_field(
        models.DateTimeField(null=True),
        MessageField(
            label="Last processed",
            key="processed",
            column_place=4,
            panel=Panel.TIMES,
            panel_place=5,
            filter=FieldFilter(),
        ),
    )
    custom_data = describe_field(
        models.CharField(max_length=20000, null=True), MessageField(label="Custom data", size=Size.WIDE)
    )
    business_error = describe_field(
        models.CharField(max_length=20000, null=True),
        MessageField(label="Business error", size=Size.WIDE, panel=Panel.PROCESSING, panel_place=5),
    )
    parent_msg_id = describe_field(
        models.BigIntegerField(null=True),
        MessageField(
            label="Parent",
            key="parent",
            column_place=11,
            panel=Panel.FAMILY,
            panel_place=1,
            filter=FieldFilter(label="Children of message id", hint="a message id", rarity=1),
        ),
    )
    funnel_value = describe_field(
        models.CharField(max_length=50, null=True),
        MessageField(
            label="Funnel value",
            key="funnel",
            column="funnel_value",
            column_place=9,
            panel=Panel.FAMILY,
            panel_place=3,
            filter=FieldFilter(place=8, rarity=None),
        ),
    )
    parent_binding_type = describe_field(
        models.CharField(max_length=25, null=True),
        MessageField(
            label="Parent binding", key="binding", column_place=12, panel=Panel.FAMILY, panel_place=2
        ),
    )
    guaranteed_order = describe_field(
        models.BooleanField(db_default=False),
        MessageField(
            label="Guaranteed order", key="ordered", column_place=13, panel=Panel.FAMILY, panel_place=5
        ),
    )
    exclude_failed_state = describe_field(
        models.BooleanField(db_default=False),
        MessageField(
            label="Exclude FAILED from order",
            key="excluded",
            column_place=14,
            panel=Panel.FAMILY,
            panel_place=6,
        ),
    )
    funnel_component_id = describe_field(
        models.CharField(max_length=50, null=True),
        MessageField(
            label="Funnel component id",
            key="component",
            column_place=10,
            panel=Panel.FAMILY,
            panel_place=4,
            filter=FieldFilter(place=9, rarity=6, suggests=True),
        ),
    )
    node_id = describe_field(
        models.BigIntegerField(null=True),
        MessageField(label="Node", key="node", column_place=15, panel=Panel.PROCESSING, panel_place=6),
    )
    start_in_queue_timestamp = describe_field(
        models.DateTimeField(null=True),
        MessageField(label="Queued", key="queued", column_place=5, panel=Panel.TIMES, panel_place=3),
    )

    class Meta:
        abstract = True

    def __str__(self) -> str:
        return f"message {self.pk}"


class ExternalCallColumns(models.Model):
    archived: bool  # not a column: set by queries

    call_id = models.BigIntegerField(primary_key=True)
    msg_id = models.BigIntegerField()
    operation_name = models.CharField(max_length=100)
    state = models.CharField(max_length=20)
    entity_id = models.CharField(max_length=150)
    msg_timestamp = models.DateTimeField()
    creation_timestamp = models.DateTimeField()
    last_update_timestamp = models.DateTimeField()
    failed_count = models.IntegerField(db_default=0)

    class Meta:
        abstract = True

    def __str__(self) -> str:
        return f"external call {self.pk}"

    @property
    def shown_operation(self) -> str:
        """The target without credentials, which an address can contain."""
        return masked_address(self.operation_name)


class RequestColumns(models.Model):
    archived: bool  # not a column: set by queries

    req_id = models.BigIntegerField(primary_key=True)
    msg_id = models.BigIntegerField(null=True)
    res_join_id = models.CharField(max_length=100)
    uri = models.CharField(max_length=400)
    req_envelope = models.TextField()
    req_timestamp = models.DateTimeField()

    class Meta:
        abstract = True

    def __str__(self) -> str:
        return f"request {self.pk}"

    @property
    def shown_uri(self) -> str:
        """The address without credentials. detail/content_views.py shows it in full with the content."""
        return masked_address(self.uri)


class ResponseColumns(models.Model):
    archived: bool  # not a column: set by queries

    res_id = models.BigIntegerField(primary_key=True)
    req_id = models.BigIntegerField(null=True)
    res_envelope = models.TextField(null=True)
    failed_reason = models.TextField(null=True)
    res_timestamp = models.DateTimeField(null=True)
    failed = models.BooleanField(db_default=False)
    msg_id = models.BigIntegerField(null=True)

    class Meta:
        abstract = True

    def __str__(self) -> str:
        return f"response {self.pk}"


class FunnelColumns(models.Model):
    archived: bool  # not a column: set by queries

    funnel_id = models.BigIntegerField(primary_key=True)
    msg_id = models.BigIntegerField()
    funnel_value = models.CharField(max_length=50)

    class Meta:
        abstract = True

    def __str__(self) -> str:
        return f"funnel value {self.funnel_value!r} of message {self.msg_id}"
