"""
Document resolvers: Python callables named by triggers, called if no other rule can decide.

Source: docs/contributing/spec/document_history.md, "Resolver". A resolver may do compensating work, so only a
check calls it.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from typing import NotRequired, TypedDict

from django.conf import settings

from messages_app.document_history.decision import Trigger
from messages_app.document_history.models import DocumentTrigger
from messages_app.document_history.services.delivery import Delivered
from messages_app.document_history.states import RULES, Rule, Verdict


class ResolverInput(TypedDict):
    """The input of a resolver under the vendor's names: all texts but the document."""

    documentTypeName: str
    redeliveryCount: str
    uuid: str
    document: object
    transport: str
    triggerName: str


class ResolverAnswer(TypedDict):
    """The answer of a resolver: NEW, DUPLICATE or IN_DOUBT, with the reason in words if it has one."""

    status: str
    message: NotRequired[str]


Resolver = Callable[[ResolverInput], ResolverAnswer]
_REGISTERED: dict[str, Resolver] = {}

LOCAL = "LOCAL"


class TransientFailure(Exception):
    """Raised by a resolver for a temporary failure, such as a system that is down (ISRuntimeException)."""


class UnknownResolver(Exception):
    """No resolver has this name in this process."""


def register_resolver(name: str) -> Callable[[Resolver], Resolver]:
    """
    Register a resolver under a name, which triggers have in their property `resolver`.

    A resolver raises TransientFailure for a temporary failure.

    Raises:
        ValueError: another has the name.
    """

    def keep_resolver(resolver: Resolver) -> Resolver:
        if _REGISTERED.setdefault(name, resolver) is not resolver:
            raise ValueError(f"Another resolver is registered as {name!r}.")
        return resolver

    return keep_resolver


def unregister_resolver(name: str) -> None:
    """Remove a resolver, if it is registered."""
    _REGISTERED.pop(name, None)


def resolver_names() -> list[str]:
    """Return the names of the resolvers of this process."""
    _import_modules()
    return sorted(_REGISTERED)


def fault_of(name: str) -> str:
    """
    Return in one sentence why this process cannot call a resolver; empty if it can.

    Other processes may have other modules: each one that answers checks needs the same HUBCONSOLE_RESOLVERS.
    """
    if not name:
        return ""
    try:
        names = resolver_names()
    except Exception as error:
        return f"The modules of HUBCONSOLE_RESOLVERS cannot be imported: {type(error).__name__}: {error}"
    if name in names:
        return ""
    words = ", ".join(map(repr, names)) if names else "none"
    return f"There is no resolver named {name!r}. Registered resolvers: {words}."


def offered_names() -> list[str]:
    """Return the names that a form offers; empty if the modules cannot be imported."""
    try:
        return resolver_names()
    except Exception:
        return []


_MAX_TRIGGERS = 10_000
_MAX_NAMED = 5


def unavailable_resolvers() -> tuple[str, str] | None:
    """
    Return the fault and the remedy if a trigger names a resolver that this process does not have.

    Documents of such a trigger that only the resolver could decide about are in doubt.
    """
    rows = DocumentTrigger.objects.filter(deleted_at=None).exclude(resolver="")
    triggers = list(rows.order_by("trigger_id").values_list("trigger_id", "resolver")[:_MAX_TRIGGERS])
    faults = {resolver: fault_of(resolver) for _, resolver in triggers}
    wrong = [trigger_id for trigger_id, resolver in triggers if faults[resolver]]
    if not wrong:
        return None
    more = f" and {len(wrong) - _MAX_NAMED} more" if wrong[_MAX_NAMED:] else ""
    named = ", ".join(wrong[:_MAX_NAMED]) + more
    first = next(fault for fault in faults.values() if fault)
    return (
        f"the resolver of {named} is unavailable: {first.rstrip('.')}",
        "Add its module to HUBCONSOLE_RESOLVERS for every process that answers checks, or choose another"
        " resolver.",
    )


def resolver_called(name: str) -> Resolver:
    """
    Return the resolver of a name.

    Raises:
        UnknownResolver: no resolver has the name.
        ImportError: a module of the setting DOCUMENT_RESOLVERS cannot be imported.
    """
    _import_modules()
    try:
        return _REGISTERED[name]
    except KeyError:
        raise UnknownResolver(f"There is no resolver named {name!r}.") from None


@cache
def _import_modules() -> None:
    """
    Import the hub's own modules, which register their resolvers. A failed import is repeated at the next
    call.
    """
    for name in settings.DOCUMENT_RESOLVERS:
        import_module(name)


# Calls a trigger's resolver. Source: docs/contributing/spec/document_history.md, "Resolver".
@dataclass(frozen=True)
class Resolved:
    """The answer of a resolver."""

    rule: Rule
    verdict: Verdict
    message: str


def ask_resolver(trigger: Trigger, delivered: Delivered) -> Resolved:
    """
    Call the resolver. Any invalid answer leaves the document in doubt.

    Raises:
        TransientFailure: the resolver reports a temporary failure.
    """
    try:
        answer = resolver_called(trigger.resolver)(_inputs_of_resolver(trigger, delivered))
    except TransientFailure:
        raise
    except Exception as error:
        return failed_resolution(error)
    return _parse_answer(answer)


def failed_resolution(error: Exception) -> Resolved:
    """Return In Doubt, with the resolver's error."""
    words = f"{RULES[Rule.RESOLVER_FAILED].words} {type(error).__name__}: {error}"
    return Resolved(Rule.RESOLVER_FAILED, Verdict.IN_DOUBT, words)


def _inputs_of_resolver(trigger: Trigger, delivered: Delivered) -> ResolverInput:
    return {
        "documentTypeName": delivered.document_name,
        "redeliveryCount": str(delivered.redelivery_count),
        "uuid": delivered.identity.identifier,
        "document": delivered.document,
        "transport": LOCAL,
        "triggerName": trigger.name,
    }


def _parse_answer(answer: object) -> Resolved:
    """
    Return the resolver's answer. null or an unknown status is In Doubt, never New
    (docs/contributing/spec/document_history.md, "Resolver").

    "In Doubt" may be written with a blank and in any case; NEW and DUPLICATE only in capitals.
    """
    status = answer.get("status") if isinstance(answer, Mapping) else None
    message = answer.get("message") if isinstance(answer, Mapping) else None
    words = message if isinstance(message, str) and message else ""
    if isinstance(status, str) and status.upper().replace(" ", "_") == Verdict.IN_DOUBT:
        status = Verdict.IN_DOUBT
    if not isinstance(status, str) or status not in set(Verdict):
        return Resolved(Rule.RESOLVER_INVALID, Verdict.IN_DOUBT, RULES[Rule.RESOLVER_INVALID].words)
    return Resolved(Rule.RESOLVER_SAID, Verdict(status), words or RULES[Rule.RESOLVER_SAID].words)
