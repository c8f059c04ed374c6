"""The forms of users."""

from collections.abc import Collection
from typing import Any

from django import forms
from django.contrib.auth.models import User
from django.http import QueryDict

from messages_app.access.backends import has_provider_account
from messages_app.access.users.grants import all_grants, grants_of, why_not_given
from messages_app.access.users.services import ChangeRefused, Profile, read_version
from messages_app.core.edit_versions import VersionedForm
from messages_app.core.reason_form import reason_field


def _text_field(column: str, label: str, **attributes: str) -> forms.Field:
    """Return the field of a column, as long as the column."""
    field: forms.Field = forms.fields_for_model(User, [column])[column]
    field.label, field.help_text = label, ""
    field.widget.attrs |= {"autocomplete": "off", **attributes}
    return field


# The fields that an identity provider fills, again at each log-in.
_OF_PROVIDER = {"first_name", "last_name", "email"}


class UserForm(VersionedForm):
    """
    The names, the email address and the roles of a user.

    Only what the manager may give or take can be chosen; everything else stays as it is.
    """

    username = _text_field("username", "Username", autocapitalize="none", spellcheck="false")
    first_name = _text_field("first_name", "First name")
    last_name = _text_field("last_name", "Last name")
    email = _text_field("email", "Email address")
    grants = forms.MultipleChoiceField(
        label="Roles",
        required=False,
        widget=forms.CheckboxSelectMultiple,
        error_messages={"invalid_choice": "There is no role %(value)s."},
    )
    reason = reason_field()

    def __init__(
        self,
        data: QueryDict | None = None,
        *,
        manager: User,
        user: User | None = None,
        is_fixed: bool = False,
    ) -> None:
        """
        Args:
            manager: as read with their rights (backends.py).
            is_fixed: whether the page only shows the values.
        """
        held = grants_of(user) if user else []
        super().__init__(data, initial=_initial_values(user, held))
        available = all_grants(user)
        self.given = [grant for key, grant in available.items() if key in held]
        self.has_provider = user is not None and has_provider_account(user)
        offered = [
            grant
            for grant in available.values()
            if not why_not_given(manager, grant) and not (self.has_provider and grant.group_id is not None)
        ]
        self._fixed = [grant.key for grant in self.given if grant not in offered]
        self.has_program_role = any(grant.is_for_programs for grant in self.given)
        self.fields["grants"].choices = [(grant.key, grant) for grant in offered]  # type: ignore[attr-defined]
        for name, field in self.fields.items():
            field.disabled = is_fixed or (self.has_provider and name in _OF_PROVIDER)

    def clean_username(self) -> str:
        """Check the rules of the column, which forms of models check otherwise."""
        username: str = self.cleaned_data["username"]
        User._meta.get_field("username").run_validators(username)
        return username

    @property
    def profile(self) -> Profile:
        values = self.cleaned_data
        return Profile(
            username=values["username"],
            first_name=values["first_name"],
            last_name=values["last_name"],
            email=values["email"],
        )

    @property
    def grant_keys(self) -> list[str]:
        """The keys of the roles that the user will have."""
        return [*self.cleaned_data["grants"], *self._fixed]

    def take_refusal(self, refusal: ChangeRefused) -> None:
        """Show a refusal of the service at its field."""
        self.add_error(refusal.field or None, str(refusal))


def _initial_values(user: User | None, held: Collection[str]) -> dict[str, Any]:
    if user is None:
        return {"grants": ["support"]}
    columns = ("username", "first_name", "last_name", "email")
    values = {name: getattr(user, name) for name in columns}
    return {**values, "grants": list(held), "version": read_version(user)}


class SearchForm(forms.Form):
    """A part of a name."""

    q = forms.CharField(
        required=False,
        max_length=150,
        label="Name or email address",
        widget=forms.TextInput(
            attrs={
                "type": "search",
                "placeholder": "Name or email address",
                "autocomplete": "off",
                "spellcheck": "false",
            }
        ),
    )
