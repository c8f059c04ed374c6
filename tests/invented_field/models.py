"""The declaration, added before the product's models are read: as if it were in hub_columns.py."""

from django.db import models

from messages_app.messages.field_descriptions import FieldFilter, MessageField, Panel, describe_field
from messages_app.messages.hub_columns import MessageColumns

MessageColumns.add_to_class(
    "tenant_id",
    describe_field(
        models.CharField(max_length=20, null=True),
        MessageField(
            label="Tenant",
            key="tenant",
            panel=Panel.IDENTITY,
            filter=FieldFilter(hint="acme", suggests=True),
        ),
    ),
)
