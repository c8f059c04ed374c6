"""The orders that the list offers, as links: only those that an index serves."""

from dataclasses import dataclass

from messages_app.messages.listing.form import FilterForm, Link
from messages_app.messages.queries import ORDERS

_WORDS = {
    "-msg_id": "Newest id first",
    "msg_id": "Oldest id first",
    "-receive_timestamp": "Newest received first",
    "receive_timestamp": "Oldest received first",
}


@dataclass(frozen=True, kw_only=True)
class Offered:
    """
    What the page says about its order.

    Args:
        links: every order there is.
        words: the one in force.
        received: how the column of receipt is sorted, as aria-sort has it.
        turned: the link that sorts by receipt, or turns that order round.
    """

    links: list[Link]
    words: str
    received: str
    turned: str


def orders_offered(ordering: str, form: FilterForm) -> Offered:
    """Return the orders, with the name of the one in force."""
    turned = "receive_timestamp" if ordering == "-receive_timestamp" else "-receive_timestamp"
    received = {"receive_timestamp": "ascending", "-receive_timestamp": "descending"}.get(ordering, "none")
    links = [
        Link(text=_WORDS[order.name], query=form.query(ordering=order.name), is_on=order.name == ordering)
        for order in ORDERS
    ]
    return Offered(links=links, words=_WORDS[ordering], received=received, turned=form.query(ordering=turned))
