"""
The authentication backend (AUTHENTICATION_BACKENDS): reads a user with all rights by one statement.

Django's own backend needs three, and puts each of them together again for every request.
"""

from typing import Any

from django.contrib.auth.backends import ModelBackend
from django.contrib.auth.models import User
from django.db import DEFAULT_DB_ALIAS

from messages_app.core.statements import Statements

_COLUMNS = [field.attname for field in User._meta.concrete_fields]

statements = Statements("messages_app.access")


class RightsBackend(ModelBackend):
    """
    Django's rules for passwords and rights. A user of a request has the rights from when the user was read.

    Of any other user, Django reads them as always: a worker may not read password hashes.
    """

    def get_user(self, user_id: Any) -> User | None:  # Django's types: any key
        user = user_with_rights(user_id)
        return user if user is not None and self.user_can_authenticate(user) else None


def user_with_rights(user_id: object) -> User | None:
    """Return a user, active or not, who knows their rights without a further statement; None if deleted."""
    row = statements.row("load_user", {"user_id": user_id}, prepare=True)
    if row is None:
        return None
    *values, rights = row
    user = User.from_db(DEFAULT_DB_ALIAS, _COLUMNS, values)
    # Where Django's backend looks for them.
    user._perm_cache = set(rights)  # type: ignore[attr-defined]
    return user
