"""The lock of a user's second factor."""

from django.contrib.auth.models import User


def lock_factors(user: User) -> None:
    """Let no other transaction add a factor of this user or change the codes until this transaction ends."""
    User.objects.select_for_update(no_key=True).get(pk=user.pk)
