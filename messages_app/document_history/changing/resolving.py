"""Asking a trigger's resolver. Source: spec/other-systems.md 1.6."""

from collections.abc import Mapping
from dataclasses import dataclass

from messages_app.document_history.changing.delivered import Delivered, Trigger
from messages_app.document_history.resolvers import LOCAL, TransientFailure, resolver_called
from messages_app.document_history.states import RULES, Rule, Verdict


@dataclass(frozen=True)
class Resolved:
    """What came of asking a resolver."""

    rule: Rule
    verdict: Verdict
    message: str


def ask(trigger: Trigger, delivered: Delivered) -> Resolved:
    """
    Call the resolver; whatever it does but answer leaves the document in doubt.

    Raises:
        TransientFailure: the resolver says that its failure will pass.
    """
    try:
        answer = resolver_called(trigger.resolver)(_inputs(trigger, delivered))
    except TransientFailure:
        raise
    except Exception as error:
        return failed(error)
    return _read(answer)


def failed(error: Exception) -> Resolved:
    """Return In Doubt, with what the resolver raised."""
    words = f"{RULES[Rule.RESOLVER_FAILED].words} {type(error).__name__}: {error}"
    return Resolved(Rule.RESOLVER_FAILED, Verdict.IN_DOUBT, words)


def _inputs(trigger: Trigger, delivered: Delivered) -> Mapping[str, object]:
    """Return the seed's inputs under the seed's names: all texts but the document."""
    return {
        "documentTypeName": delivered.document_name,
        "redeliveryCount": str(delivered.delivery.redelivery_count),
        "uuid": delivered.delivery.identity.given,
        "document": delivered.document,
        "transport": LOCAL,
        "triggerName": trigger.name,
    }


def _read(answer: object) -> Resolved:
    """
    Return what the resolver said; null or anything unknown is In Doubt (1.6, with the arrow), never New.

    "In Doubt" is written with a blank as well, in any case; NEW and DUPLICATE only so.
    """
    status = answer.get("status") if isinstance(answer, Mapping) else None
    message = answer.get("message") if isinstance(answer, Mapping) else None
    words = message if isinstance(message, str) and message else ""
    if isinstance(status, str) and status.upper().replace(" ", "_") == Verdict.IN_DOUBT:
        status = Verdict.IN_DOUBT
    if status not in set(Verdict):
        return Resolved(Rule.RESOLVER_INVALID, Verdict.IN_DOUBT, RULES[Rule.RESOLVER_INVALID].words)
    return Resolved(Rule.RESOLVER_SAID, Verdict(status), words or RULES[Rule.RESOLVER_SAID].words)
