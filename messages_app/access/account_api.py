"""The index of the API, the caller, and the audit log."""

from collections.abc import Iterable, Iterator, Sequence

from django.conf import settings
from django.urls import URLPattern, URLResolver
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from messages_app.access import roles
from messages_app.access.actors import Caller
from messages_app.access.api import ApiView
from messages_app.access.models import ApiToken
from messages_app.access.permissions import IsLoggedIn, reach_of
from messages_app.access.reads import Listing
from messages_app.access.roles import ROLES
from messages_app.audit import selectors
from messages_app.audit.models import AuditEntry
from messages_app.audit.selectors import COLUMNS, ENTRIES
from messages_app.core.api_schema import READING, CodeField, describe_answers
from messages_app.core.representation import represent_value
from messages_app.core.serializers import RowSerializer


class RootSerializer(serializers.Serializer[object]):
    version = serializers.CharField()
    hub = serializers.CharField(allow_blank=True, help_text="HUBCONSOLE_HUB_NAME; empty if not set.")
    addresses = serializers.DictField(
        child=serializers.URLField(), help_text=("By their path below this address.")
    )


class RootView(ApiView):
    """The index. `addresses` are the paths below it that accept GET and need no id."""

    permission_classes = [IsLoggedIn]
    addresses: Sequence[str] = ()

    @extend_schema(
        operation_id="root_retrieve",
        tags=["index"],  # its path names no resource
        responses=describe_answers(200, RootSerializer, READING),
    )
    def get(self, request: Request) -> Response:
        """List the entry points of the API."""
        addresses = {path: request.build_absolute_uri(path) for path in self.addresses}
        return Response({"version": "1", "hub": settings.HUBCONSOLE_HUB_NAME, "addresses": addresses})


def addresses_of(patterns: Iterable[URLPattern | URLResolver], *, below: str = "") -> Iterator[str]:
    """Yield the paths that accept GET and need no id. Each begins with `below`."""
    for each in patterns:
        if isinstance(each, URLResolver):
            yield from addresses_of(each.url_patterns, below=f"{below}{each.pattern}")
        elif not each.pattern.converters and _has_get_method(each):
            yield f"{below}{each.pattern}"


def _has_get_method(pattern: URLPattern) -> bool:
    view = getattr(pattern.callback, "view_class", None)
    return view is None or hasattr(view, "get")


# The caller and its permissions. Source: docs/contributing/spec/interfaces.md, "Further calls".
_EVERY_RIGHT = sorted(frozenset().union(*ROLES.values()))


class MeSerializer(serializers.Serializer[object]):
    user = serializers.CharField()
    roles = serializers.ListField(child=serializers.CharField(), help_text="Groups of the user.")
    scopes = serializers.ListField(
        child=serializers.CharField(),
        allow_null=True,
        help_text="Scopes of the token; null: no scopes, all permissions of the user.",
    )
    token_name = serializers.CharField(allow_null=True, help_text="null for a session.")
    expires_at = serializers.DateTimeField(
        allow_null=True, help_text=("Expiry of the token; null for a session.")
    )
    permissions = serializers.ListField(
        child=serializers.CharField(),
        help_text="Permissions of the caller now, including permissions that scopes limit to certain names.",
    )


class MeView(ApiView):
    permission_classes = [IsLoggedIn]

    @extend_schema(operation_id="me_retrieve", responses=describe_answers(200, MeSerializer, READING))
    def get(self, request: Request) -> Response:
        """Show the caller and its permissions."""
        token = request.auth if isinstance(request.auth, ApiToken) else None
        body = {
            "user": request.user.get_username(),
            "roles": sorted(request.user.groups.values_list("name", flat=True)),
            "scopes": token and token.scopes,
            "token_name": token and token.name,
            "expires_at": token and token.expires_at,
            "permissions": permissions_of(request.user),
        }
        return Response(represent_value(MeSerializer, body))


def permissions_of(user: Caller) -> list[str]:
    """Return the short names of the permissions that a caller has, for all names or only for some."""
    held = [right for right in _EVERY_RIGHT if user.has_perm(right) or reach_of(user, right)]
    return [right.split(".")[1] for right in held]


# The audit log: every action, allowed or refused, with user, time and reason.
#
# Source: docs/contributing/spec/interfaces.md, "Further calls".
class AuditEntrySerializer(RowSerializer):
    outcome = CodeField("AuditOutcome", AuditEntry.Outcome.values, read_only=True)
    details = serializers.DictField(read_only=True, help_text="Further details, depending on the action.")

    class Meta:
        model = AuditEntry
        fields = COLUMNS


CALLS = [
    Listing(
        "audit/",
        selectors.entry_page,
        name="Audit List",
        right=roles.CAN_VIEW_AUDIT,
        answer=AuditEntrySerializer,
        filters=ENTRIES,
        operation_id="audit_list",
        description=(
            "List entries, newest first.\n\nA page may have fewer entries than `page_size`, or none, and"
            " still have a `next`: with several filters, each request searches a part of the log."
        ),
    ),
]
