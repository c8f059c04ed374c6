"""Roles of groups, for tests."""

from django.contrib.auth.models import Group

from messages_app.access.providers.models import GroupMapping
from tests.messages_app.access.providers.lying_provider import LyingProvider


def map_group(provider: LyingProvider, group: str, role: str) -> GroupMapping:
    role_row = Group.objects.get(name=role)
    return GroupMapping.objects.create(issuer=provider.issuer, group_name=group, role=role_row)
