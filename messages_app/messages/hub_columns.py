"""
The columns of the hub's tables, which a live table and its archive share.

By the documents' names, types and nullability as the hub has them.
Source: docs/seeds/cleverbus.md; docs/spec/cleverbus.md, "Table message", "Table external_call",
"Table request", "Table response", "Table funnel", "Tables node and configuration_item", "Archive tables".
Links between hub tables are plain ids: an attached hub need not have the constraint, or the other row. Our
own tables get the hub's foreign keys by migration 0002.
"""

from django.db import models

from messages_app.shared.text_safety import masked_address


class MessageColumns(models.Model):
    msg_id = models.BigIntegerField(primary_key=True)
    correlation_id = models.CharField(max_length=100)
    process_id = models.CharField(max_length=100, null=True)
    msg_timestamp = models.DateTimeField()
    receive_timestamp = models.DateTimeField()
    service_name = models.CharField(max_length=30)
    source_system = models.CharField(max_length=15)
    state = models.CharField(max_length=15)
    start_process_timestamp = models.DateTimeField(null=True)
    object_id = models.CharField(max_length=50, null=True)
    entity_type = models.CharField(max_length=30, null=True)
    operation_name = models.CharField(max_length=100)
    payload = models.TextField()
    envelope = models.TextField(null=True)
    failed_desc = models.TextField(null=True)
    failed_error_code = models.CharField(max_length=5, null=True)
    failed_count = models.IntegerField(db_default=0)
    last_process_timestamp = models.DateTimeField(null=True)
    custom_data = models.CharField(max_length=20000, null=True)
    business_error = models.CharField(max_length=20000, null=True)
    parent_msg_id = models.BigIntegerField(null=True)
    funnel_value = models.CharField(max_length=50, null=True)
    parent_binding_type = models.CharField(max_length=25, null=True)
    guaranteed_order = models.BooleanField(db_default=False)
    exclude_failed_state = models.BooleanField(db_default=False)
    funnel_component_id = models.CharField(max_length=50, null=True)
    node_id = models.BigIntegerField(null=True)
    start_in_queue_timestamp = models.DateTimeField(null=True)

    class Meta:
        abstract = True

    def __str__(self) -> str:
        return f"message {self.pk}"


class ExternalCallColumns(models.Model):
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
        """Its target as everyone may see it: often an address, with credentials in it."""
        return masked_address(self.operation_name)


class RequestColumns(models.Model):
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
        """Its address without credentials; the whole one is part of the content (content_views.py)."""
        return masked_address(self.uri)


class ResponseColumns(models.Model):
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
    funnel_id = models.BigIntegerField(primary_key=True)
    msg_id = models.BigIntegerField()
    funnel_value = models.CharField(max_length=50)

    class Meta:
        abstract = True

    def __str__(self) -> str:
        return f"funnel value {self.funnel_value!r} of message {self.msg_id}"
