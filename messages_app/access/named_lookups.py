"""Lists of the admin take the filters that they offer, and no other lookup. Source: reliability S-33."""

from django.db.models import Model
from django.http import HttpRequest

# What the framework's filters add to the name of a field.
_ENDINGS = ("", "__exact", "__id__exact", "__isnull", "__gte", "__lt")


class NamedLookups:
    """
    For an admin page, before the framework's class: lookups are those of `list_filter`.

    Any other lookup in the address of a list would tell columns that the page does not show, and may hold an
    expression that the database refuses.
    """

    def get_object(self, request: HttpRequest, object_id: str, from_field: str | None = None) -> Model | None:
        """Return the row of an address; the database would refuse a key with a NUL, which none has."""
        return None if "\0" in object_id else super().get_object(request, object_id, from_field)

    def lookup_allowed(self, lookup: str, value: str, request: HttpRequest | None = None) -> bool:
        filters = self.list_filter if request is None else self.get_list_filter(request)
        allowed = {f"{name}{ending}" for name in filters for ending in _ENDINGS}
        return lookup in allowed and "\0" not in value
