"""
Keeps the settings of a person.

They change nothing for others and nothing in the hub, so the audit log has no entries of them.
"""

from dataclasses import asdict, replace

from django.contrib.auth.models import User

from messages_app.access.backends import user_with_rights
from messages_app.access.choices import COMFORTABLE, COMPACT, FIRST_PAGE, Choices, choices_of
from messages_app.access.navigation import menu_entries
from messages_app.core.problems import bad_field
from messages_app.core.statements import Statements

statements = Statements("messages_app.access.person")


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
