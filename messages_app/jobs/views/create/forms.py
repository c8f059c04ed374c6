"""
The input of the page of a new job: its form, the parameters of its address, and its confirmation.

Services check the options. The confirmation has the contents of the page before the job starts, signed into
the form, so that the answer can be checked: the set and the number. It expires, and can create only one job.
"""

import threading
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass
from secrets import token_hex
from typing import Any, cast

from django import forms
from django.core import signing
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, QueryDict

from messages_app.access.actors import Caller, actor_of, user_of
from messages_app.access.idempotency import Answer, act_once, fingerprint_request
from messages_app.core.filters.address import moment_of
from messages_app.core.filters.table import name_values
from messages_app.core.parameters import check_names
from messages_app.core.problems import FieldError, Problem, bad_field, bad_input, quote_value
from messages_app.core.reason_form import reason_field
from messages_app.jobs.kinds.registry import kind_specs, spec_of
from messages_app.jobs.kinds.spec import JobRequest
from messages_app.jobs.labels import BETWEEN_DIGITS
from messages_app.jobs.models import Job
from messages_app.jobs.permissions import may_make
from messages_app.jobs.preview.estimates import Estimate
from messages_app.jobs.services.create import create_job
from messages_app.jobs.stores import store_of
from messages_app.jobs.validation import checked_filter, checked_options
from messages_app.shared.job_records import Given, JobFilter, JobOptions

KIND, FROM, REASON = "kind", "from", "reason"


class NewJobForm(forms.Form):
    """Turns text into the options of a kind of job. Users see fields only for options that they may give."""

    def __init__(self, kind: str, *args: Any, user: Caller, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.spec, self.user = spec_of(kind), user
        for name, option in self.spec.options.items():
            if not option.permission or user.has_perm(option.permission):
                self.fields[name] = option.field()
        self.fields[REASON] = reason_field()

    def clean(self) -> dict[str, Any] | None:
        # The page had the field when it was shown, and a job without the option would be a different job.
        for name, option in self.spec.options.items():
            if name not in self.fields and self.data.get(name):
                raise forms.ValidationError(option.refusal)
        return super().clean()

    @property
    def option_fields(self) -> list[forms.BoundField]:
        """Return the visible fields except the reason."""
        return [field for field in self.visible_fields() if field.name != REASON]

    @property
    def refusals(self) -> list[str]:
        """Return why the form lacks fields, each reason once."""
        options = self.spec.options.items()
        return list(dict.fromkeys(option.refusal for name, option in options if name not in self.fields))

    @property
    def may_start(self) -> bool:
        """Whether the user may give all options without which the job would do nothing."""
        return not (self.spec.changes_payloads and self.refusals)

    def options(self) -> JobOptions:
        """Return the options that the user gave. The services check their values."""
        fields = {name: value for name, value in self.cleaned_data.items() if name in self.spec.options}
        values = {name: self.spec.options[name].from_form(value) for name, value in fields.items()}
        names = {name for name, value in values.items() if value not in (None, "", [], {})}
        names |= {name for name in values if self.spec.options[name].part_of in names}
        return cast(JobOptions, {name: value for name, value in values.items() if name in names})

    def options_of_set(self) -> JobOptions:
        """Return the options that change the set."""
        about = {name: value for name, value in self.options().items() if self.spec.options[name].is_about}
        return cast(JobOptions, about)

    def as_request(self, filter: JobFilter) -> JobRequest:
        """Return the job of this form on a filter that was checked."""
        return JobRequest(spec=self.spec, filter=filter, options=self.options(), user=self.user)

    @property
    def is_about_something(self) -> bool:
        """Whether the options that change the set are valid, so that the page can show a preview."""
        return not any(option.is_about and name in self.errors for name, option in self.spec.options.items())

    def find_errors(self) -> list[FieldError]:
        """Return the errors of options that the services find."""
        return checked_options(self.spec.kind, self.options())[1]

    def find_set_errors(self) -> list[FieldError]:
        """Return the errors of options that change the set. Without them, no preview is possible."""
        about = {f"options.{name}" for name, option in self.spec.options.items() if option.is_about}
        return [error for error in self.find_errors() if error.field in about]

    def take_errors(self, errors: Iterable[FieldError]) -> None:
        """Show the errors of services next to their fields."""
        for error in errors:
            name = error.field.removeprefix("options.")
            self.add_error(name if name in self.fields else None, error.message)


class TypedNumberForm(forms.Form):
    """The number of messages, which users type before many of them are changed."""

    typed = forms.CharField(
        max_length=30,
        label="Number of messages",
        widget=forms.TextInput(attrs={"inputmode": "numeric", "autocomplete": "off", "data-not-kept": True}),
    )

    def __init__(self, data: QueryDict | None = None, *, number: int) -> None:
        super().__init__(data, auto_id="%s")
        self.number = number
        self.fields["typed"].error_messages["required"] = self._words

    def clean_typed(self) -> None:
        if BETWEEN_DIGITS.sub("", self.cleaned_data["typed"]) != str(self.number):
            raise forms.ValidationError(self._words)

    @property
    def _words(self) -> str:
        return f"Type {self.number} to confirm."


def default_values(kind: str) -> dict[str, object]:
    """Return the initial values of the form."""
    initial = {name: option.field().initial for name, option in spec_of(kind).options.items()}
    return {name: value for name, value in initial.items() if value is not None}


def values_for_many(kind: str) -> dict[str, object]:
    """Return the values of the form that are suggested for jobs of many messages."""
    options = spec_of(kind).options
    suggested = {name: option.for_many for name, option in options.items() if option.for_many is not None}
    return as_form_values(kind, suggested)


def as_form_values(kind: str, values: Given) -> dict[str, object]:
    """Return stored options as values of the form. Invalid values are returned unchanged."""
    of_kind = spec_of(kind).options
    return {
        name: of_kind[name].to_form(value) if name in of_kind else value for name, value in values.items()
    }


@dataclass(frozen=True, kw_only=True)
class JobAddress:
    """
    Args:
        filter: the filter as a job stores it: by the names of the list's filters, with absolute times.
        values: the options and the reason for the form.
        counted_by: the dry run whose figures are shown, or None.
    """

    kind: str
    filter: JobFilter
    values: Given
    counted_by: Job | None = None


def read_address(request: HttpRequest) -> JobAddress:
    """
    Check and return the parameters of the address.

    Raises:
        Problem: 400, the kind or the filter is invalid.
        Http404: the job to repeat does not exist, or has no filter of its own.
        PermissionDenied: the user may not create such a job.
    """
    if FROM in request.GET:
        check_names(request.GET, FROM)
        return _as_job(request, request.GET[FROM])
    kind = known_kind(request.GET.get(KIND, ""))
    check_right(request, kind, {})
    options = spec_of(kind).options
    names = (*options, REASON)
    texts = {name: request.GET[name] for name in names if name in request.GET}
    # An empty option is refused if it is required, and otherwise ignored.
    about = {name for name, option in options.items() if option.is_about}
    values = {name: value for name, value in texts.items() if value.strip() or name in about}
    return JobAddress(kind=kind, filter=_parse_filter(request, kind), values=values)


def known_kind(kind: str) -> str:
    if kind in kind_specs:
        return kind
    raise bad_field(
        KIND, "invalid_value", f"{KIND} must be one of {', '.join(kind_specs)}, not {quote_value(kind)}."
    )


def check_right(request: HttpRequest, kind: str, options: Given) -> None:
    if not may_make(request.user, kind, options):
        raise PermissionDenied


def kept_filter(request: HttpRequest, kind: str, filter: Given) -> JobFilter:
    """
    Return a filter as a job of this kind stores it.

    Raises:
        Problem: 400 with an entry for each parameter at fault.
    """
    stored, errors = checked_filter(kind, filter, request.user)
    if errors:
        raise bad_input(errors)
    return stored


def _parse_filter(request: HttpRequest, kind: str) -> JobFilter:
    """Parse the address of the list as the list does: times are relative to now."""
    params = request.GET.copy()
    for name in (KIND, REASON, *spec_of(kind).options):
        params.pop(name, None)
    parsed = store_of(kind).read(params, user=request.user, now=moment_of(params))
    return kept_filter(request, kind, name_values(parsed.as_pairs()))


def _as_job(request: HttpRequest, text: str) -> JobAddress:
    job = (
        Job.objects.filter(pk=int(text)).first()
        if text.isascii() and text.isdigit() and len(text) < 19
        else None
    )
    if job is None or job.undo_of is not None or job.retry_of is not None or job.kind not in kind_specs:
        raise Http404("There is no such job.")
    check_right(request, job.kind, job.options)
    return JobAddress(
        kind=job.kind,
        filter=kept_filter(request, job.kind, job.filter),
        values={**job.options, REASON: job.reason if job.dry_run else ""},
        counted_by=job if job.dry_run else None,
    )


# From this number of messages on, the user has to type the number.
TYPED_FROM = 1_000
_MAX_AGE_SECONDS = 15 * 60
_SALT = "new-job"


class InvalidConfirmation(Exception):
    """The form does not have a valid signature of the page's contents."""


@dataclass(frozen=True, kw_only=True)
class Confirmation:
    """
    The contents of the page that the user answers.

    Args:
        about: the options that change the set.
        confirmed: the number of messages that would be changed, as shown; for an estimate, the upper bound.
        has_to_be_typed: the user has to type that number.
        nonce: a value that is the same in all answers to one page.
    """

    kind: str
    filter: JobFilter
    about: JobOptions
    confirmed: int
    has_to_be_typed: bool
    nonce: str

    @property
    def to_type(self) -> int | None:
        """The number that the user has to type, or None."""
        return self.confirmed if self.has_to_be_typed else None

    def seal(self) -> str:
        return signing.dumps(asdict(self), salt=_SALT)

    def number_form(self, data: QueryDict | None = None) -> TypedNumberForm | None:
        """Return the form in which the user types the number; None: they need not."""
        return None if self.to_type is None else TypedNumberForm(data, number=self.to_type)


def new_confirmation(
    *,
    kind: str,
    filter: JobFilter,
    about: JobOptions,
    to_do: Estimate,
) -> Confirmation:
    """Return the record of the page's current contents."""
    return Confirmation(
        kind=kind,
        filter=filter,
        about=about,
        confirmed=to_do.shown_rows,
        has_to_be_typed=to_do.shown_rows >= TYPED_FROM,
        nonce=token_hex(12),
    )


def open_confirmation(text: str) -> tuple[Confirmation, bool]:
    """
    Return the contents of the page, and whether the page has expired.

    Raises:
        InvalidConfirmation: this console did not sign the text.
    """
    try:
        return Confirmation(**signing.loads(text, salt=_SALT, max_age=_MAX_AGE_SECONDS)), False
    except signing.SignatureExpired:
        return Confirmation(**signing.loads(text, salt=_SALT)), True
    except (signing.BadSignature, ValueError, TypeError) as error:
        raise InvalidConfirmation("This form was not created by this console.") from error


_SECONDS_BETWEEN = 0.2
_TIMES = 25


def accept_confirmation(
    request: HttpRequest, confirmation: Confirmation, *, options: JobOptions, reason: str, dry_run: bool
) -> tuple[int, bool]:
    """
    Return the id of the page's job, and whether it was created by an earlier request.

    Raises:
        InvalidJob: a parameter is wrong.
        AlreadyRunning: an archive job is not finished yet.
    """

    def create_once() -> Answer:
        job = create_job(
            kind=confirmation.kind,
            filter=confirmation.filter,
            options=options,
            dry_run=dry_run,
            reason=reason,
            actor=actor_of(request),
            user=request.user,
            confirmed=None if dry_run else confirmation.confirmed,
        )
        return Answer(202, {"job_id": job.pk})

    key = f"{confirmation.nonce}-{'count' if dry_run else 'run'}"
    # The same page is the same request, even if the form was changed.
    sha256 = fingerprint_request("POST", request.path, key)
    answer = _ask_patiently(
        lambda: act_once(user=user_of(request), key=key, request_sha256=sha256, act=create_once)
    )
    return cast(int, answer.body["job_id"]), answer.is_repeat


def _ask_patiently(ask: Callable[[], Answer]) -> Answer:
    """Wait for the first of two simultaneous requests, because the browser shows the answer to the second."""
    for _ in range(_TIMES):
        try:
            return ask()
        except Problem as problem:
            if problem.code != "in_progress":
                raise
            threading.Event().wait(_SECONDS_BETWEEN)
    return ask()
