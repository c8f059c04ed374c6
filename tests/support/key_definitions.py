"""Definitions of business keys with a given id, which the API has in common with those of sources."""

from messages_app.business_keys.models import KeyDefinition


def define_key(definition_id: int) -> None:
    """Create the definition with this id. The sequence of ids continues after it."""
    newest = 0
    while newest < definition_id:
        newest = _create_definition().pk
    if not KeyDefinition.objects.filter(pk=definition_id).exists():
        _create_definition(definition_id=definition_id)


def _create_definition(**columns: int) -> KeyDefinition:
    name = f"n{KeyDefinition.objects.count()}"
    return KeyDefinition.objects.create(
        service_name="s", operation_name="o", name=name, path="//a", **columns
    )
