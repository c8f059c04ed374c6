"""The title of an incident names what its failures have in common."""

import pytest

from messages_app.incidents.gathering.records import Cell, Cluster, Key, Member, Reason, Strength
from messages_app.incidents.titles import make_title
from messages_app.shared.error_titles import describe_cause


def title_of(counts: dict[str, int], key: Key | None = None, services: tuple[str, ...] = ("billing",)) -> str:
    """Return the title of failures of some services with these causes."""
    cells = {
        Cell(service, "create", "WEB", "", "E1", text): count
        for text, count in counts.items()
        for service in services
    }
    members = [Member(cell, 5, 5, Reason.SERVICE, Strength.HIGH) for cell in cells]
    cluster = Cluster(key=key or Key(service="billing"), members=members)
    return make_title(cluster, {cell: {5: count} for cell, count in cells.items()})


def test_has_the_service_and_the_most_frequent_cause():
    assert title_of({"Offer has no price": 5, "Read timed out": 1}) == "billing: Offer has no price"


def test_has_no_word_in_which_many_causes_differ():
    causes = {f'There is no customer ["C-1004{n}"] yet': 3 for n in range(4)}
    assert title_of(causes) == "billing: There is no customer … yet"


def test_keeps_a_word_that_nearly_all_failures_have():
    causes = {"There is no customer KLM yet": 9, "There is no customer OPQ yet": 1}
    assert title_of(causes) == "billing: There is no customer KLM yet"


def test_names_the_system_before_the_service():
    assert title_of({"Read timed out": 5}, Key(system="pay.example")) == "pay.example: Read timed out"


def test_is_only_the_cause_if_it_names_the_system():
    pay = Key(system="pay.example")
    assert title_of({"Connect to Pay.example failed": 5}, pay) == "Connect to Pay.example failed"
    assert title_of({"Billing of order 4 failed": 5}) == "billing: Billing of order 4 failed"


def test_of_failures_without_a_text_says_so():
    assert title_of({"": 5}) == "billing: Failures without an error text"


# Error texts as the console's stores write them, with the sender and the services of their failures.
WITHOUT_A_SYSTEM = [
    (
        "Too old to retry: There is no customer [C-10042] yet.",
        "hub",
        ("invoice", "order", "payment"),
        "3 services waited too long: There is no customer yet",
    ),
    (
        "Too old to retry: There is no order [2] yet.",
        "hub",
        ("order",),
        "order waited too long: There is no order yet",
    ),
    (
        "Too old to retry: There is no customer [C-10042] yet.",
        "WEB",
        ("order",),
        "WEB waited too long: There is no customer yet",
    ),
    ("", "HUB", ("order",), "order: Failures without an error text"),
    ("Offer has no price", "hub", ("order",), "order: Offer has no price"),
    ("Offer has no price", "Hubert", ("order",), "Hubert: Offer has no price"),
    (
        "The service holds messages and has stopped polling",
        "",
        ("index:8046",),
        "index:8046 holds messages and has stopped polling",
    ),
]


@pytest.mark.parametrize(("text", "sender", "services", "title"), WITHOUT_A_SYSTEM)
def test_is_in_words_without_an_external_system(text, sender, services, title):
    assert title_of({describe_cause(text): 5}, Key(sender=sender), services) == title
