"""What a caller of the API may do: nothing but what the view declares and a role gives."""

from typing import TYPE_CHECKING

from rest_framework.permissions import BasePermission
from rest_framework.request import Request

if TYPE_CHECKING:  # the framework's views import this module by the settings
    from rest_framework.views import APIView

_READING = {"HEAD": "GET", "OPTIONS": "GET"}


class HasRight(BasePermission):
    """
    Asks for the right that the view's `rights` name for the method; a method without one is nobody's.

    Rights are those of messages_app/access/roles.py; reading needs one too. Source: reliability S-19 to S-21.
    """

    def has_permission(self, request: Request, view: "APIView") -> bool:
        if not request.user.is_authenticated:
            return False
        method = _READING.get(request.method, request.method)
        if method not in view.allowed_methods:
            return True  # answered 405 by the view, whoever asks
        right = view.rights.get(method)
        return right is not None and request.user.has_perm(right)


class IsLoggedIn(BasePermission):
    """For what holds no data of the hub: the description of the API."""

    def has_permission(self, request: Request, view: "APIView") -> bool:
        return request.user.is_authenticated
