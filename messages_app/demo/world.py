"""
The company behind the demo, a utility: its systems, the services of its hub, and what calls what.

All names are made up; hosts are of the reserved domain .example.
"""

from dataclasses import dataclass, field
from random import Random

from messages_app.shared.message_states import ParentBinding

HARD, SOFT = ParentBinding.HARD, ParentBinding.SOFT


@dataclass(frozen=True, kw_only=True)
class Target:
    """
    An external system that an operation calls.

    Args:
        uri: the endpoint, also the operation name of the external call.
        is_tracked: whether the hub saves requests to it. Source: docs/contributing/spec/cleverbus.md,
            "Requests and responses" (the endpoint filter).
        is_one_way: whether it never answers.
        keyed_by_object: whether the external call's key is the object instead of the message
            (docs/contributing/spec/cleverbus.md, "External calls").
    """

    uri: str
    is_tracked: bool = True
    is_one_way: bool = False
    keyed_by_object: bool = False


@dataclass(frozen=True, kw_only=True)
class Operation:
    """
    One operation of a service.

    Args:
        weight: share among the messages that source systems send; 0 for operations that only parents start.
        is_new_object: whether each message has its own object; otherwise objects recur.
        funnel: id of the funnel of the route; None if it has no funnel.
        is_answered_later: whether its target only accepts the request, and answers it some time later.
    """

    service: str
    name: str
    weight: float
    systems: tuple[str, ...]
    entity_type: str
    object_prefix: str
    targets: tuple[Target, ...]
    content: str
    is_new_object: bool = False
    funnel: str | None = None
    is_ordered: bool = False
    is_answered_later: bool = False


@dataclass(frozen=True, kw_only=True)
class ChildSpec:
    """One child that a parent starts, with children of its own."""

    operation: str
    binding: ParentBinding
    children: tuple["ChildSpec", ...] = field(default=())


CRM_API = Target(uri="spring-ws:http://crm.intra.example:8080/ws/customers")
ERP_API = Target(uri="spring-ws:http://erp.intra.example/services/orders", keyed_by_object=True)
BILLING_API = Target(uri="spring-ws:https://billing.intra.example/ws/invoices")
LEDGER = Target(uri="spring-ws:https://ledger.intra.example/ws/entries")
BANK = Target(uri="spring-ws:https://gateway.bank.example/ws/payments")
METER_DATA = Target(uri="spring-ws:http://mdm.intra.example/ws/readings")
FIELD_APP = Target(uri="spring-ws:http://field.intra.example/ws/tasks")
DATA_LAKE = Target(uri="jms:queue:DATALAKE.EVENTS", is_tracked=False)
MAIL_GATE = Target(uri="servlet:///out/mail", is_one_way=True)
SMS_GATE = Target(uri="spring-ws:https://sms.operator.example/ws/send")

# The target whose outage the demo reports.
OUTAGE_TARGET = BILLING_API

_OPERATIONS = (
    Operation(
        service="customer",
        name="createCustomer",
        weight=5,
        systems=("CRM", "WEBSHOP"),
        entity_type="CUSTOMER",
        object_prefix="C",
        targets=(CRM_API,),
        content="attribute",
        is_new_object=True,
    ),
    Operation(
        service="customer",
        name="updateCustomer",
        weight=10,
        systems=("CRM", "CALLCENTER", "WEBSHOP"),
        entity_type="CUSTOMER",
        object_prefix="C",
        targets=(CRM_API, DATA_LAKE),
        content="attribute",
        funnel="funnel_customer",
    ),
    Operation(
        service="order",
        name="createOrder",
        weight=5,
        systems=("WEBSHOP", "CALLCENTER"),
        entity_type="ORDER",
        object_prefix="O",
        targets=(ERP_API,),
        content="order_line",
        is_new_object=True,
    ),
    Operation(
        service="order",
        name="cancelOrder",
        weight=2,
        systems=("WEBSHOP", "CALLCENTER"),
        entity_type="ORDER",
        object_prefix="O",
        targets=(DATA_LAKE,),
        content="order_line",
    ),
    Operation(
        service="subscription",
        name="createSubscription",
        weight=2,
        systems=("CRM", "WEBSHOP"),
        entity_type="SUBSCRIPTION",
        object_prefix="S",
        targets=(CRM_API,),
        content="attribute",
        is_new_object=True,
    ),
    Operation(
        service="subscription",
        name="changeTariff",
        weight=4,
        systems=("CRM", "CALLCENTER"),
        entity_type="SUBSCRIPTION",
        object_prefix="S",
        targets=(BILLING_API,),
        content="attribute",
        is_new_object=True,
        funnel="funnel_subscription",
        is_ordered=True,
    ),
    Operation(
        service="billing",
        name="createInvoice",
        weight=12,
        systems=("BILLING",),
        entity_type="INVOICE",
        object_prefix="I",
        targets=(BILLING_API, LEDGER),
        content="invoice_line",
        is_new_object=True,
    ),
    Operation(
        service="billing",
        name="creditInvoice",
        weight=2,
        systems=("BILLING", "CALLCENTER"),
        entity_type="INVOICE",
        object_prefix="I",
        targets=(BILLING_API,),
        content="invoice_line",
    ),
    Operation(
        service="payment",
        name="postPayment",
        weight=14,
        systems=("ERP",),
        entity_type="ACCOUNT",
        object_prefix="A",
        targets=(LEDGER, BANK),
        content="entry",
        funnel="funnel_account",
    ),
    Operation(
        service="payment",
        name="refundPayment",
        weight=2,
        systems=("ERP", "CALLCENTER"),
        entity_type="ACCOUNT",
        object_prefix="A",
        targets=(BANK,),
        content="entry",
        funnel="funnel_account",
    ),
    Operation(
        service="metering",
        name="submitReadings",
        weight=2,
        systems=("METERING",),
        entity_type="METER_BATCH",
        object_prefix="B",
        targets=(),
        content="reading",
        is_new_object=True,
    ),
    Operation(
        service="metering",
        name="submitReading",
        weight=18,
        systems=("METERING", "WEBSHOP"),
        entity_type="METER",
        object_prefix="M",
        targets=(METER_DATA,),
        content="reading",
    ),
    Operation(
        service="metering",
        name="replaceMeter",
        weight=1,
        systems=("METERING",),
        entity_type="METER",
        object_prefix="M",
        targets=(METER_DATA, FIELD_APP),
        content="reading",
    ),
    Operation(
        service="workforce",
        name="createWorkOrder",
        weight=2,
        systems=("ERP", "CALLCENTER"),
        entity_type="WORK_ORDER",
        object_prefix="W",
        targets=(FIELD_APP,),
        content="task",
        is_new_object=True,
        is_answered_later=True,
    ),
    Operation(
        service="notification",
        name="sendEmail",
        weight=6,
        systems=("CRM", "BILLING"),
        entity_type="CUSTOMER",
        object_prefix="C",
        targets=(MAIL_GATE,),
        content="text",
    ),
    Operation(
        service="notification",
        name="sendSms",
        weight=4,
        systems=("CRM", "BILLING"),
        entity_type="CUSTOMER",
        object_prefix="C",
        targets=(SMS_GATE,),
        content="text",
    ),
)
OPERATIONS = {operation.name: operation for operation in _OPERATIONS}

_INSTALLATION = ChildSpec(
    operation="createWorkOrder",
    binding=HARD,
    children=(
        ChildSpec(operation="sendSms", binding=SOFT),
        ChildSpec(operation="replaceMeter", binding=HARD),
    ),
)
# The child operations of these operations. The number of readings of the splitter varies: see children_of.
CHILDREN = {
    "createOrder": (
        ChildSpec(operation="sendEmail", binding=SOFT),
        ChildSpec(operation="createInvoice", binding=HARD),
    ),
    "createSubscription": (
        ChildSpec(operation="sendEmail", binding=SOFT),
        ChildSpec(operation="updateCustomer", binding=HARD),
        _INSTALLATION,
    ),
}
SPLITTER_OPERATION = "submitReadings"
SPLIT_INTO = ChildSpec(operation="submitReading", binding=HARD)

# Requests without a message, which the hub passes on and answers immediately.
SYNCHRONOUS_URIS = (
    "spring-ws:http://crm.intra.example:8080/ws/customers?operation=getCustomer",
    "spring-ws:https://billing.intra.example/ws/invoices?operation=getBalance",
    "servlet:///in/status",
)


def make_dice(seed: int | str) -> Random:
    """Return a source of random numbers, the same for the same seed."""
    return Random(seed)  # noqa: S311 (a demo, no secret)
