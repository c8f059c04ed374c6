"""
Passkeys: keys of a device, a browser or a password manager, by which a user proves who they are (WebAuthn).

A challenge is kept by the server, counts once and ends after minutes. An answer counts only in the session,
for the user and for the purpose for which its challenge was made, from a page of the console's own host, and
if the device has verified its user by a PIN or a finger. The library checks answers and signatures; the
statements check what must hold under simultaneous requests.

Source: docs/contributing/spec/promises.md, S-65; https://www.w3.org/TR/webauthn-3/.
"""

import json
import struct
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import timedelta
from enum import StrEnum
from typing import Any, TypeVar

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import QuerySet
from fido2.cose import CoseKey
from fido2.server import Fido2Server
from fido2.utils import websafe_encode
from fido2.webauthn import (
    AttestedCredentialData,
    AuthenticationResponse,
    PublicKeyCredentialDescriptor,
    PublicKeyCredentialRpEntity,
    PublicKeyCredentialType,
    PublicKeyCredentialUserEntity,
    RegistrationResponse,
    ResidentKeyRequirement,
    UserVerificationRequirement,
)

from messages_app.access.refusals import ProofRefused
from messages_app.access.second_factor.locks import lock_factors
from messages_app.access.second_factor.models import Passkey
from messages_app.access.second_factor.relying_party import RelyingParty
from messages_app.access.token_services import digest_key
from messages_app.audit import services as audit
from messages_app.core.statements import Statements

statements = Statements("messages_app.access.second_factor")

MAX_PASSKEYS = 20
# Characters of an answer; those of browsers have about 1 000.
MAX_ANSWER = 20_000
CHALLENGE_LENGTH = timedelta(minutes=5)
# Of WebAuthn.
_MAX_CREDENTIAL_ID = 1023
_REQUIRED = UserVerificationRequirement.REQUIRED
# Raised by the library for a malformed answer, and for one that does not count.
_FAULTS = (
    ValueError,
    TypeError,
    LookupError,
    AttributeError,
    AssertionError,
    NotImplementedError,
    RecursionError,
    OverflowError,
    struct.error,
)

Result = TypeVar("Result")


class Purpose(StrEnum):
    """The use of an answer. One that was made for another use does not count."""

    ADD = "add"
    LOG_IN = "log_in"
    CONFIRM = "confirm"


class PasskeyRefused(ProofRefused):
    """An answer does not count, or a passkey cannot be added."""


@dataclass(frozen=True, kw_only=True)
class Ceremony:
    """
    The circumstances in which an answer counts.

    Args:
        session_key: of the session to which the challenge is given.
    """

    user: User
    party: RelyingParty
    session_key: str | None
    purpose: Purpose

    @property
    def values(self) -> dict[str, object]:
        """The columns of its challenges."""
        return {
            "session": digest_key(self.session_key),
            "user_id": self.user.pk,
            "purpose": self.purpose.value,
        }


def passkeys_of(user: User) -> QuerySet[Passkey]:
    """Return the passkeys of a user, of all hosts, the oldest first."""
    return Passkey.objects.filter(user_id=user.pk).order_by("passkey_id")


def has_passkey_at(user: User, party: RelyingParty | None) -> bool:
    """Whether the user has a passkey that browsers offer to this host."""
    return party is not None and passkeys_of(user).filter(host=party.host).exists()


def begin_adding(ceremony: Ceremony) -> Mapping[str, Any]:
    """Return the options by which a browser creates a passkey. The caller has checked who the user is."""
    user = ceremony.user
    options, _ = _make_server(ceremony).register_begin(
        PublicKeyCredentialUserEntity(
            id=str(user.pk).encode(), name=user.get_username(), display_name=user.get_username()
        ),
        _describe_passkeys(ceremony),
        # Password managers keep only keys that they can find without a name; few security keys have no room.
        resident_key_requirement=ResidentKeyRequirement.PREFERRED,
        user_verification=_REQUIRED,
    )
    return _keep_challenge(ceremony, options)


def begin_proof(ceremony: Ceremony) -> Mapping[str, Any]:
    """Return the options by which a browser asks for one of the user's passkeys of this host."""
    options, _ = _make_server(ceremony).authenticate_begin(
        _describe_passkeys(ceremony), user_verification=_REQUIRED
    )
    return _keep_challenge(ceremony, options)


def add_passkey(ceremony: Ceremony, *, name: str, answer: str, actor: audit.Actor) -> None:
    """
    Store the passkey that a browser has created.

    Raises:
        PasskeyRefused: the answer does not count, the passkey is known, or the user has too many.
    """
    response = _check_answer(lambda: RegistrationResponse.from_dict(_parse_answer(answer)))
    state = _take_challenge(ceremony, response.response.client_data.challenge)
    device = _check_answer(lambda: _make_server(ceremony).register_complete(state, response))
    credential = device.credential_data
    if (
        credential is None
        or credential.public_key.get(3) not in CoseKey.supported_algorithms()
        or not 0 < len(credential.credential_id) <= _MAX_CREDENTIAL_ID
    ):
        raise _refuse_answer()
    values = {
        "user_id": ceremony.user.pk,
        "name": name,
        "host": ceremony.party.host,
        "credential_id": credential.credential_id,
        "credential": bytes(credential),
        "sign_count": device.counter,
        "most": MAX_PASSKEYS,
    }
    with transaction.atomic():
        lock_factors(ceremony.user)  # so that no other tab adds the last possible one as well
        if not statements.count("insert_passkey", values):
            raise PasskeyRefused(
                "passkey_not_added", f"This passkey is already in use, or you have {MAX_PASSKEYS}."
            )
        details = {"name": name, "host": ceremony.party.host}
        audit.record_entry(actor=actor, action="add_passkey", details=details)


def check_passkey(ceremony: Ceremony, answer: str) -> None:
    """
    Check and use up an answer of one of the user's passkeys.

    Raises:
        PasskeyRefused: it does not count.
    """
    response = _check_answer(lambda: AuthenticationResponse.from_dict(_parse_answer(answer)))
    state = _take_challenge(ceremony, response.response.client_data.challenge)
    passkey = (
        passkeys_of(ceremony.user).filter(host=ceremony.party.host, credential_id=response.raw_id).first()
    )
    if passkey is None:
        raise PasskeyRefused("unknown_passkey", "This passkey is not one of yours here.")
    credential = AttestedCredentialData(bytes(passkey.credential))
    _check_answer(lambda: _make_server(ceremony).authenticate_complete(state, [credential], response))
    count = response.response.authenticator_data.counter
    if not statements.count("note_passkey_use", {"passkey_id": passkey.pk, "sign_count": count}):
        raise PasskeyRefused(
            "passkey_counter", "Someone may have copied this passkey. Use another way, and remove it."
        )


def remove_passkey(*, user: User, passkey_id: int, actor: audit.Actor) -> str | None:
    """Remove a passkey of a user. Return its name; None if the user has none with this id."""
    with transaction.atomic():
        row = statements.fetch_row("delete_passkey", {"user_id": user.pk, "passkey_id": passkey_id})
        if row is None:
            return None
        name: str
        name, host = row
        audit.record_entry(actor=actor, action="remove_passkey", details={"name": name, "host": host})
    return name


def forget_old_challenges() -> int:
    """Remove challenges that have ended, and return their number."""
    return statements.count("delete_ended_challenges", {})


def _make_server(ceremony: Ceremony) -> Fido2Server:
    party = ceremony.party
    return Fido2Server(
        PublicKeyCredentialRpEntity(name="Hub Console", id=party.host),
        # By default, the library also accepts pages of subdomains.
        verify_origin=party.origins.__contains__,
    )


def _describe_passkeys(ceremony: Ceremony) -> list[PublicKeyCredentialDescriptor]:
    passkeys = passkeys_of(ceremony.user).filter(host=ceremony.party.host)
    return [
        PublicKeyCredentialDescriptor(type=PublicKeyCredentialType.PUBLIC_KEY, id=bytes(credential_id))
        for credential_id in passkeys.values_list("credential_id", flat=True)
    ]


def _keep_challenge(ceremony: Ceremony, options: Any) -> Mapping[str, Any]:
    values = {"challenge": options.public_key.challenge, "length": CHALLENGE_LENGTH, **ceremony.values}
    statements.count("insert_challenge", values)
    # The library's own objects become plain ones.
    plain: dict[str, Any] = json.loads(json.dumps(dict(options)["publicKey"], default=dict))
    return plain | {"timeout": CHALLENGE_LENGTH // timedelta(milliseconds=1)}


def _take_challenge(ceremony: Ceremony, challenge: bytes) -> dict[str, str]:
    """
    Return the state for the library, and remove the challenge, whatever follows.

    Raises:
        PasskeyRefused: the challenge is unknown, or it has ended.
    """
    row = statements.fetch_row("take_challenge", {"challenge": challenge, **ceremony.values})
    if row is None or not row[0]:
        raise PasskeyRefused("passkey_expired", "This took too long, or was sent twice. Try again.")
    return {"challenge": websafe_encode(challenge), "user_verification": _REQUIRED}


def _parse_answer(text: str) -> dict[str, Any]:
    if len(text) > MAX_ANSWER:
        raise ValueError("An answer is shorter.")
    answer = json.loads(text)
    if not isinstance(answer, dict):
        raise TypeError("An answer is an object.")
    return answer


def _check_answer(check: Callable[[], Result]) -> Result:
    try:
        return check()
    except _FAULTS as error:
        raise _refuse_answer() from error


def _refuse_answer() -> PasskeyRefused:
    return PasskeyRefused("wrong_passkey", "This passkey was not accepted. Try again, or use a code.")
