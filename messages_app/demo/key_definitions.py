"""The demo's business keys: order, customer, invoice and payment numbers, by which its customers ask."""

from messages_app.business_keys.models import KeyDefinition
from messages_app.core.statements import Statements

statements = Statements("messages_app.demo")

# Invoices and emails name the order that they belong to; other ones name another object, or none.
_OF_ORDER = "//reference[starts-with(., 'O')]"
# Service, operation, name and path.
_DEFINITIONS = (
    ("order", "createOrder", "order", "//orderId"),
    ("order", "cancelOrder", "order", "//orderId"),
    ("billing", "createInvoice", "order", _OF_ORDER),
    ("notification", "sendEmail", "order", _OF_ORDER),
    ("customer", "createCustomer", "customer", "//customerId"),
    ("customer", "updateCustomer", "customer", "//customerId"),
    ("notification", "sendEmail", "customer", "//customerId"),
    ("notification", "sendSms", "customer", "//customerId"),
    ("billing", "createInvoice", "invoice", "//invoiceId"),
    ("billing", "creditInvoice", "invoice", "//invoiceId"),
    # The only number of the demo that is in no column of its messages.
    ("payment", "postPayment", "variable symbol", "//variableSymbol"),
)


def define_keys() -> None:
    """Define the keys, unless there are some. The pass over new messages reads the demo's messages too."""
    if KeyDefinition.objects.exists():
        return
    KeyDefinition.objects.bulk_create(
        KeyDefinition(service_name=service, operation_name=operation, name=name, path=path)
        for service, operation, name, path in _DEFINITIONS
    )
    statements.count("begin_with_first_message", {})
