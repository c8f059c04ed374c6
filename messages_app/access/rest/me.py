"""Who the caller is, and what it may. Source: spec/interfaces.md 10."""

from django.contrib.auth.models import AbstractBaseUser
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from messages_app.access.api import ApiView
from messages_app.access.models import ApiToken
from messages_app.access.permissions import IsLoggedIn, reach_of
from messages_app.access.roles import ROLES
from messages_app.web.api_schema import READING, answers

_EVERY_RIGHT = sorted(frozenset().union(*ROLES.values()))


class MeSerializer(serializers.Serializer):
    user = serializers.CharField()
    roles = serializers.ListField(child=serializers.CharField(), help_text="Groups of the user.")
    scopes = serializers.ListField(
        child=serializers.CharField(),
        allow_null=True,
        help_text="Of the token; null: it has none and may all that its user may.",
    )
    token_name = serializers.CharField(allow_null=True, help_text="null: a session.")
    expires_at = serializers.DateTimeField(allow_null=True, help_text="Of the token; null: a session.")
    permissions = serializers.ListField(
        child=serializers.CharField(),
        help_text="What the caller may now. One that scopes give for some names alone is among them.",
    )


class MeView(ApiView):
    permission_classes = [IsLoggedIn]

    @extend_schema(operation_id="me_retrieve", responses=answers(200, MeSerializer, READING))
    def get(self, request: Request) -> Response:
        """Say who the caller is, and what it may."""
        token = request.auth if isinstance(request.auth, ApiToken) else None
        body = {
            "user": request.user.get_username(),
            "roles": sorted(request.user.groups.values_list("name", flat=True)),
            "scopes": token and token.scopes,
            "token_name": token and token.name,
            "expires_at": token and token.expires_at,
            "permissions": permissions_of(request.user),
        }
        return Response(MeSerializer(body).data)


def permissions_of(user: AbstractBaseUser) -> list[str]:
    """Return the short names of the rights that a caller has, everywhere or for some names."""
    held = [right for right in _EVERY_RIGHT if user.has_perm(right) or reach_of(user, right)]
    return [right.split(".")[1] for right in held]
