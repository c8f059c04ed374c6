"""The recipe's column, added before the product's models are read: as if it were in hub_columns.py."""

from messages_app.messages import hub_columns
from tests.support.recipes import run_block

hub_columns.MessageColumns.add_to_class(
    "tenant_id", run_block("Add a filter", defines="tenant_id", names=vars(hub_columns))["tenant_id"]
)
