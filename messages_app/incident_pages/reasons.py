"""Why the failures of an incident are one thing, in sentences, and what they affect."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from messages_app.core.formatting import count_of, format_number
from messages_app.incidents.gathering.records import Reason, Strength
from messages_app.incidents.models import Incident
from messages_app.incidents.selectors import Membership
from messages_app.shared.error_titles import title_of_cause

MAX_TEXTS = 5

_SENTENCES = {
    Reason.SYSTEM: "called {system}",
    Reason.SYSTEM_BY_TIME: "came at the times of the failures of {system}, in the same services",
    Reason.SENDER: "came from {sender}",
    Reason.TEXT: "have one error text, at the same times",
    Reason.SERVICE: "came from {service} at the same times",
    Reason.NEW_TEXT: "have a text that is new since the incident began",
    Reason.PERSON: "were put here by {person}",
}
_ORDER = list(_SENTENCES)


@dataclass(frozen=True, kw_only=True)
class Why:
    """
    A reason for a part of the failures.

    Args:
        sentence: such as "280 of 412 failures called pay.bank.example".
        strength: the weakest of its memberships.
    """

    sentence: str
    strength: str


@dataclass(frozen=True, kw_only=True)
class Affected:
    """The values of the failures by number, most frequent first."""

    services: list[tuple[str, int]]
    senders: list[tuple[str, int]]
    systems: list[tuple[str, int]]
    texts: list[tuple[str, int | None, int]]
    more_texts: int


def explain_memberships(incident: Incident, memberships: Sequence[Membership]) -> list[Why]:
    """Return the reasons of an incident, the most telling one first."""
    total = sum(one.failures for one in memberships)
    by_reason: dict[str, list[Membership]] = {}
    for one in memberships:
        by_reason.setdefault(one.reason, []).append(one)
    ordered = sorted(by_reason, key=lambda reason: _ORDER.index(Reason(reason)))
    return [_explain_reason(incident, reason, by_reason[reason], total) for reason in ordered]


def _explain_reason(incident: Incident, reason: str, members: Sequence[Membership], total: int) -> Why:
    values = {
        "system": incident.external_system or _most_frequent(one.external_system for one in members),
        "sender": incident.key_sender or _most_frequent(one.source_system for one in members),
        "service": _most_frequent(one.service_name for one in members),
        "person": _most_frequent(one.pinned_by for one in members) or "a person",
    }
    failures = sum(one.failures for one in members)
    words = _SENTENCES[Reason(reason)].format_map(values)
    strengths = [strength for strength in reversed(Strength) if strength in {one.strength for one in members}]
    share = f"All {format_number(total)} failures" if failures == total else _share_of(failures, total)
    return Why(sentence=f"{share} {words}", strength=strengths[0] if strengths else "")


def _share_of(failures: int, total: int) -> str:
    return f"{format_number(failures)} of {count_of(total, 'failure')}"


def _most_frequent(values: Iterable[str]) -> str:
    counts = Counter(value for value in values if value)
    return counts.most_common(1)[0][0] if counts else ""


def count_affected(memberships: Sequence[Membership]) -> Affected:
    """Count the failures of an incident by service, sender, system and error text."""
    services: Counter[str] = Counter()
    senders: Counter[str] = Counter()
    systems: Counter[str] = Counter()
    texts: Counter[str] = Counter()
    groups: dict[str, int | None] = {}
    for one in memberships:
        title = title_of_cause(one.cause) or "No error text"
        services[one.service_name] += one.failures
        senders[one.source_system] += one.failures
        systems[one.external_system] += one.failures
        texts[title] += one.failures
        groups.setdefault(title, one.group_id)
    most = texts.most_common(MAX_TEXTS)
    return Affected(
        services=services.most_common(),
        senders=[(name, count) for name, count in senders.most_common() if name],
        systems=[(name, count) for name, count in systems.most_common() if name],
        texts=[(text, groups[text], count) for text, count in most],
        more_texts=len(texts) - len(most),
    )
