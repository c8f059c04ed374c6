"""
The authentication backend (AUTHENTICATION_BACKENDS): reads a user with all rights by one statement.

Django's own backend needs three, and puts each of them together again for every request.
"""

from typing import Any

from django.contrib.auth.backends import ModelBackend
from django.contrib.auth.models import User
from django.db import DEFAULT_DB_ALIAS, models

from messages_app.core.statements import Statements

_COLUMNS = [field.attname for field in User._meta.concrete_fields]

statements = Statements("messages_app.access")


class RightsBackend(ModelBackend):
    """Django's rules for passwords and rights; the rights are those of the moment when the user was read."""

    def get_user(self, user_id: Any) -> User | None:  # Django's types: any key
        user = user_with_rights(user_id)
        return user if user is not None and self.user_can_authenticate(user) else None

    # Django's types name every base class of a user here.
    def get_all_permissions(self, user_obj: Any, obj: models.Model | None = None) -> set[str]:
        """Return the rights of a user as "app_label.codename"; none for single objects, like Django."""
        if not user_obj.is_active or user_obj.is_anonymous or obj is not None:
            return set()
        if not hasattr(user_obj, "_perm_cache"):
            user = user_with_rights(user_obj.pk)
            user_obj._perm_cache = set() if user is None else user._perm_cache  # type: ignore[attr-defined]
        rights: set[str] = user_obj._perm_cache
        return rights


def user_with_rights(user_id: object) -> User | None:
    """Return a user, active or not, who knows their rights without a further statement; None if deleted."""
    row = statements.row("load_user", {"user_id": user_id})
    if row is None:
        return None
    *values, rights = row
    user = User.from_db(DEFAULT_DB_ALIAS, _COLUMNS, values)
    # Where Django's backend keeps them as well.
    user._perm_cache = set(rights)  # type: ignore[attr-defined]
    return user
