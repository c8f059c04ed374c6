"""
Keeps the settings and pins of a person.

They change nothing for others and nothing in the hub, so the audit log has no entries of them.
"""

from collections.abc import Collection
from dataclasses import asdict, replace

from django.contrib.auth.models import User
from psycopg.rows import TupleRow

from messages_app.access.backends import user_with_rights
from messages_app.access.choices import COMFORTABLE, COMPACT, FIRST_PAGE, Choices, choices_of
from messages_app.access.navigation import menu_entries
from messages_app.access.places import MAX_PLACES, Place, read_place
from messages_app.core.problems import bad_field
from messages_app.core.statements import Statements

statements = Statements("messages_app.access.person")


class CannotPin(Exception):
    """The person has MAX_PLACES pins."""


class AccountGone(Exception):
    """The account was deleted or deactivated."""


def keep_choices(*, user: User, choices: Choices) -> None:
    """
    Store the settings of `user`. The form has checked them.

    Raises:
        AccountGone: nothing was stored.
    """
    if not statements.count("keep_choices", {"user_id": user.pk} | asdict(choices)):
        raise AccountGone


def keep_density(*, user: User, density: str) -> None:
    """
    Store the height of rows of `user`.

    Raises:
        Problem: 400, there is no such height.
        AccountGone: nothing was stored.
    """
    if density not in {COMFORTABLE, COMPACT}:
        raise bad_field("density", "invalid_value", "density must be comfortable or compact.")
    keep_choices(user=user, choices=replace(choices_of(user), density=density))


def start_page_of(user_id: object) -> str:
    """Return the address of the page after login; the first page if the user may no longer open the other."""
    user = user_with_rights(user_id)
    if user is None:
        return FIRST_PAGE
    address = choices_of(user).start_page
    return address if address in {entry.url for entry in menu_entries(user)} else FIRST_PAGE


def pin_place(*, user: User, address: str, missing: Collection[str] = ()) -> None:
    """
    Pin the page of an object for `user`. A second click changes nothing.

    Args:
        missing: addresses of pinned objects that no longer exist; their pins are removed.

    Raises:
        CannotPin: nothing was stored.
        Problem: 400, it is not the page of an object.
    """
    place = _check_place(address)
    values = asdict(choices_of(user)) | {"user_id": user.pk, "address": place.address, "most": MAX_PLACES}
    row = statements.fetch_row("pin_place", values | {"missing": list(missing)})
    _show_pins(user, row)
    if place.address not in choices_of(user).pins:
        raise CannotPin


def unpin_place(*, user: User, address: str) -> None:
    """
    Remove a pin of `user`. A second click changes nothing.

    Raises:
        Problem: 400, it is not the page of an object.
    """
    place = _check_place(address)
    _show_pins(user, statements.fetch_row("unpin_place", {"user_id": user.pk, "address": place.address}))


def _check_place(address: str) -> Place:
    place = read_place(address)
    if place is None:
        raise bad_field(
            "address", "invalid_value", "address must be that of an object, such as /messages/1/."
        )
    return place


def _show_pins(user: User, row: TupleRow | None) -> None:
    """Give a user of a request the stored pins. Without a row, another request may have stored them."""
    if row is None:
        current = user_with_rights(user.pk)
        pins = () if current is None else choices_of(current).pins
    else:
        [pins] = row
    user.choices = replace(choices_of(user), pins=pins)  # type: ignore[attr-defined]  # as in backends.py
