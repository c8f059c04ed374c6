"""Which users others than superusers may change. Without this, a right over users would be every right."""

from django.contrib.auth.models import User

from messages_app.access.second_factor.devices import is_administrator

# What decides what a user may do: only a superuser sets it.
POWERS = ("is_staff", "is_superuser", "groups", "user_permissions")


def may_manage(manager: User, user: User) -> bool:
    """
    Whether `manager`, who has Django's right to change or delete users, may do so with this one.

    Only superusers may change superusers, staff, and users who may make tokens: a password that is set for a
    user opens all that this user may do.
    """
    return manager.is_superuser or not is_administrator(user)
