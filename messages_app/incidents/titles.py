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
# The sender of messages that the hub itself made: its name does not say where they failed.
_HUB = "hub"
# Causes of the console's own stores that continue the name of their place as a sentence.
_SENTENCES = {"Too old to retry: ": "waited too long: ", "The service ": ""}


def make_title(cluster: Cluster, failures: Failures) -> str:
    """
    Return the title of a cluster, such as "pay.bank.example: Connection refused".

    A cause that names the system is the whole title: "Connect to pay.bank.example failed". Causes of the
    console's own stores are a sentence: "order waited too long: There is no customer … yet".
    """
    causes: Counter[str] = Counter()
    for member in cluster.members:
        minutes = failures.get(member.cell, {})
        causes[member.cell.text] += sum(
            count for minute, count in minutes.items() if member.has_minute(minute)
        )
    cause = title_of_cause(_name_common_cause(causes)) if causes else ""
    names_system = bool(cluster.key.system) and cluster.key.system.casefold() in cause.casefold()
    title = cause if names_system else _join_words(_name_place(cluster), cause)
    return title if len(title) <= MAX_TITLE else f"{title[: MAX_TITLE - 1].rstrip()}…"


def _name_place(cluster: Cluster) -> str:
    system, sender, services = cluster.key.system, cluster.key.sender, cluster.services
    if system or sender.casefold() not in ("", _HUB):
        return system or sender
    return services[0] if len(services) == 1 else f"{len(services)} services"


def _join_words(place: str, cause: str) -> str:
    for beginning, words in _SENTENCES.items():
        if cause.startswith(beginning):
            return f"{place} {words}{cause.removeprefix(beginning)}"
    return f"{place}: {cause or _NO_TEXT}"


def _name_common_cause(causes: Counter[str]) -> str:
    """Return the most frequent cause, with "…" for the words in which many causes of its family differ."""
    cause, count = causes.most_common(1)[0]
    family, words = find_family(cause), cause.split()
    others = {one: number for one, number in causes.items() if find_family(one) == family}
    if count >= MIN_SHARE_OF_CAUSE * sum(others.values()):
        return cause
    alike = [one.split() for one in others if len(one.split()) == len(words)]
    return " ".join(same[0] if len(set(same)) == 1 else SLOT for same in zip(*alike, strict=True))
