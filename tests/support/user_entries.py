"""Whole audit rows of users, as a page or a call of the API writes them."""

from django.http import HttpResponse

from tests.support.audit_entries import by_system


def by_user(user: object, action: str, *, of: HttpResponse, **columns: object) -> dict[str, object]:
    """
    Return the whole row of an action of a user; columns that are not named are empty.

    Args:
        of: the answer to the request that did it.
    """
    request_id = of.headers["X-Request-ID"]
    assert len(request_id) == 36
    author = {"actor": user.get_username(), "actor_id": user.pk, "address": "127.0.0.1"}
    return by_system(action) | author | {"request_id": request_id} | columns
