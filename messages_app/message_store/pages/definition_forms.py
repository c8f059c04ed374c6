"""The form of a source definition: names, keys and schema as people write them."""

import json
from collections.abc import Mapping

from django import forms

from messages_app.message_store.models import MAX_NAME, SourceDefinition
from messages_app.message_store.services import Definition, InvalidInput
from messages_app.web.reasons import reason_field

_MAX_SCHEMA = 200_000
_CODE = {"autocomplete": "off", "spellcheck": "false"}


class _Objects(forms.JSONField):
    """A JSON object in a field of some lines."""

    def __init__(self, *, rows: int, **options: object) -> None:
        widget = forms.Textarea(attrs={"rows": rows, "class": "code", **_CODE})
        super().__init__(required=False, widget=widget, **options)

    def prepare_value(self, value: object) -> object:
        return written(value) if isinstance(value, dict) else value

    def clean(self, value: str) -> Mapping[str, object]:
        if len(value or "") > _MAX_SCHEMA:
            raise forms.ValidationError(f"At most {_MAX_SCHEMA} characters.")
        found = super().clean(value)
        if found is None:
            return {}
        if not isinstance(found, dict):
            raise forms.ValidationError('A JSON object, as in {"field": "..."}.')
        return found


class DefinitionForm(forms.Form):
    """What may be changed of a definition; services check what the values mean."""

    key_fields = forms.CharField(
        label="Key fields",
        help_text="With commas, in the order in which they make the key.",
        widget=forms.TextInput(attrs=_CODE),
    )
    references = _Objects(
        rows=3,
        label="References",
        help_text='Field: the entity whose record it names, as in {"customer": "customer"}.',
    )
    children = _Objects(
        rows=3,
        label="Children",
        help_text='Field: the entity of the records in it, as in {"lines": "order_line"}.',
    )
    json_schema = _Objects(rows=12, label="JSON Schema of one record")
    reader = forms.CharField(
        required=False,
        max_length=100,
        label="Reader",
        help_text="The name that it is registered by; empty: the data are an array of objects.",
        widget=forms.TextInput(attrs={"list": "readers", **_CODE}),
    )
    processor = forms.CharField(
        required=False,
        max_length=100,
        label="Processor",
        help_text="Runs after the records are written; empty for none. cp_queue:RENDITION names its queues.",
        widget=forms.TextInput(attrs={"list": "processors", **_CODE}),
    )
    reason = reason_field()

    def definition(self, *, system: str, entity: str) -> Definition:
        """Return what services take."""
        values = {name: self.cleaned_data[name] for name in _KEPT}
        names = [name.strip() for name in self.cleaned_data["key_fields"].split(",")]
        return Definition(system=system, entity=entity, key_fields=[name for name in names if name], **values)

    def take(self, refusal: InvalidInput) -> None:
        """Put what services refuse beside its field."""
        self.add_error(refusal.field if refusal.field in self.fields else None, str(refusal))


class NewDefinitionForm(DefinitionForm):
    """A new definition, which also says whose it is."""

    system = forms.CharField(
        max_length=MAX_NAME,
        label="System",
        help_text="As its messages name it; * for those that name none.",
        widget=forms.TextInput(attrs=_CODE),
    )
    entity = forms.CharField(max_length=MAX_NAME, label="Entity", widget=forms.TextInput(attrs=_CODE))
    field_order = ("system", "entity")


_KEPT = ("references", "children", "json_schema", "reader", "processor")


def values_of(definition: SourceDefinition) -> dict[str, object]:
    """Return a definition as its form is filled with it."""
    names = ", ".join(definition.key_fields)
    return {"key_fields": names, **{name: getattr(definition, name) or None for name in _KEPT}}


def written(value: Mapping[str, object]) -> str:
    """Return an object as JSON over several lines."""
    return json.dumps(value, indent=2, ensure_ascii=False)
