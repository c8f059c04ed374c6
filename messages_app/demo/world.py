"""
The company behind the demo, a utility: its systems, the services of its hub, and what calls what.

All names are made up; hosts are of the reserved domain .example.
"""

import csv
from collections.abc import Iterator
from dataclasses import dataclass, field
from importlib import resources
from random import Random
from typing import Any

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
    is_tracked: bool = False
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


def _read_table(name: str) -> Iterator[dict[str, Any]]:
    """Yield the rows of a table in this package. The column `traits` names the fields that are True."""
    text = resources.files("messages_app.demo").joinpath(f"{name}.csv").read_text(encoding="utf-8")
    for row in csv.DictReader(text.splitlines()):
        traits = dict.fromkeys(row.pop("traits").split(), True)
        yield row | traits


TARGETS = {row.pop("name"): Target(**row) for row in _read_table("targets")}
# The target whose outage the demo reports.
OUTAGE_TARGET = TARGETS["billing"]


def _as_operation(row: dict[str, Any]) -> Operation:
    columns = {
        "weight": float(row["weight"]),
        "systems": tuple(row["systems"].split()),
        "targets": tuple(TARGETS[name] for name in row["targets"].split()),
        "funnel": row["funnel"] or None,
    }
    return Operation(**row | columns)


OPERATIONS = {row["name"]: _as_operation(row) for row in _read_table("operations")}

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
