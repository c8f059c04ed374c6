"""The catalogue of error codes: reads, and the changes of administrators."""

import re
from collections.abc import Mapping

from django.db import IntegrityError, transaction
from django.db.models import Sum

from messages_app.audit import services as audit
from messages_app.core.edit_versions import check_version, version_of
from messages_app.core.problems import bad_field
from messages_app.messages.failures.models import ErrorCode, FailureGroup

SUBJECT_KIND = "error_code"
MAX_ACTION = 2000
MAX_DESCRIPTION = 200
_CODE = re.compile(r"[A-Za-z0-9_-]{1,5}")
_RESERVED = "new"  # its page would have the address of the form of a new code


class CodeNotFound(Exception):
    """The catalogue has no such code."""


class CodeConflict(Exception):
    """The code cannot be changed like this; the text is a sentence."""


def list_codes() -> list[tuple[ErrorCode, int]]:
    """Return the catalogue by code, each with the failures that groups of failures have counted."""
    counted = FailureGroup.objects.values_list("failed_error_code").annotate(Sum("failures"))
    counts = dict(counted.order_by())
    return [(code, counts.get(code.code, 0)) for code in ErrorCode.objects.order_by("code")]


def add_code(*, code: str, description: str, action: str, actor: audit.Actor, reason: str) -> ErrorCode:
    """
    Add a code.

    Raises:
        Problem: 400, with the invalid field.
        CodeConflict: the catalogue has the code.
    """
    if not _CODE.fullmatch(code):
        raise bad_field("code", "invalid_value", "Enter 1 to 5 letters, digits, hyphens or underscores.")
    if code == _RESERVED:
        raise bad_field("code", "invalid_value", f"{code} is reserved for the console. Choose another code.")
    _check_texts(description, action)
    try:
        with transaction.atomic():
            added = ErrorCode.objects.create(code=code, description=description, action=action)
            _record_change("create_error_code", actor, code, reason, {"after": _texts_of(added)})
    except IntegrityError as error:
        raise CodeConflict(f"The catalogue has {code} already.") from error
    return added


def read_version(code: ErrorCode) -> str:
    """Return the version of a code, for `change_code`."""
    return version_of(code, ("description", "action"))


def change_code(
    *,
    code: str,
    description: str,
    action: str,
    actor: audit.Actor,
    reason: str,
    version: str | None = None,
) -> None:
    """
    Change the texts of a code.

    Args:
        version: of the code that the caller has seen; None: it is not compared.

    Raises:
        Problem: 400, with the invalid field.
        CodeNotFound: the catalogue has no such code.
        EditConflict: it has another version.
    """
    _check_texts(description, action)
    with transaction.atomic():
        before = ErrorCode.objects.select_for_update().filter(pk=code).first()
        if before is None:
            raise CodeNotFound(f"The catalogue has no code {code}.")
        check_version(version, read_version(before))
        ErrorCode.objects.filter(pk=code).update(description=description, action=action)
        after = {"description": description, "action": action}
        details = {"before": _texts_of(before), "after": after}
        _record_change("change_error_code", actor, code, reason, details)


def delete_code(*, code: str, actor: audit.Actor, reason: str) -> None:
    """
    Delete a code that an administrator has added. Messages keep it.

    Raises:
        CodeNotFound: the catalogue has no such code.
        CodeConflict: it is one of the hub's own.
    """
    with transaction.atomic():
        before = ErrorCode.objects.select_for_update().filter(pk=code).first()
        if before is None:
            raise CodeNotFound(f"The catalogue has no code {code}.")
        deleted, _ = ErrorCode.objects.filter(pk=code, is_own=False).delete()
        if not deleted:
            raise CodeConflict(f"{code} is one of the hub's own codes, which cannot be deleted.")
        _record_change("delete_error_code", actor, code, reason, {"before": _texts_of(before)})


def _check_texts(description: str, action: str) -> None:
    if not 1 <= len(description) <= MAX_DESCRIPTION:
        raise bad_field("description", "invalid_value", f"Enter 1 to {MAX_DESCRIPTION} characters.")
    if len(action) > MAX_ACTION:
        raise bad_field("action", "too_long", f"At most {MAX_ACTION} characters.")


def _texts_of(code: ErrorCode) -> Mapping[str, str]:
    return {"description": code.description, "action": code.action}


def _record_change(
    action: str, actor: audit.Actor, code: str, reason: str, details: Mapping[str, object]
) -> None:
    audit.record_entry(
        actor=actor,
        action=action,
        subject_kind=SUBJECT_KIND,
        subject=code,
        reason=reason,
        details={"code": code, **details},
    )
