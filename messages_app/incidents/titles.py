"""The title of an incident: the system, sender or service of its failures, and the most frequent cause."""

from collections import Counter

from messages_app.incidents.gathering.pools import find_family
from messages_app.incidents.gathering.records import Cluster, Failures
from messages_app.incidents.models import MAX_TITLE
from messages_app.shared.error_slots import SLOT
from messages_app.shared.error_titles import title_of_cause

# Of the failures with a text, for the title to have its details.
MIN_SHARE_OF_CAUSE = 0.8
_NO_TEXT = "Failures without an error text"


def make_title(cluster: Cluster, failures: Failures) -> str:
    """
    Return the title of a cluster, such as "pay.bank.example: Connection refused".

    A cause that names the system is the whole title: "Connect to pay.bank.example failed".
    """
    causes: Counter[str] = Counter()
    for member in cluster.members:
        minutes = failures.get(member.cell, {})
        causes[member.cell.text] += sum(
            count for minute, count in minutes.items() if member.has_minute(minute)
        )
    cause = title_of_cause(_name_common_cause(causes)) if causes else ""
    services = cluster.services
    place = cluster.key.system or cluster.key.sender
    if not place:
        place = services[0] if len(services) == 1 else f"{len(services)} services"
    names_system = bool(cluster.key.system) and cluster.key.system.casefold() in cause.casefold()
    title = cause if names_system else f"{place}: {cause or _NO_TEXT}"
    return title if len(title) <= MAX_TITLE else f"{title[: MAX_TITLE - 1].rstrip()}…"


def _name_common_cause(causes: Counter[str]) -> str:
    """Return the most frequent cause, with "…" for the words in which many causes of its family differ."""
    cause, count = causes.most_common(1)[0]
    family, words = find_family(cause), cause.split()
    others = {one: number for one, number in causes.items() if find_family(one) == family}
    if count >= MIN_SHARE_OF_CAUSE * sum(others.values()):
        return cause
    alike = [one.split() for one in others if len(one.split()) == len(words)]
    return " ".join(same[0] if len(set(same)) == 1 else SLOT for same in zip(*alike, strict=True))
