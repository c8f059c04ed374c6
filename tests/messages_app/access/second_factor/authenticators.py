"""A device with one passkey: it answers as a browser does, and can answer wrongly."""

import json
import secrets
from collections.abc import Mapping
from hashlib import sha256
from typing import Any

from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.hashes import SHA256
from fido2.cose import ES256
from fido2.utils import websafe_decode, websafe_encode
from fido2.webauthn import Aaguid, AttestationObject, AttestedCredentialData, AuthenticatorData

ORIGIN = "https://hub.example.org"
_FLAGS = AuthenticatorData.FLAG
VERIFIED = _FLAGS.UP | _FLAGS.UV
NOT_VERIFIED = _FLAGS.UP


class Authenticator:
    """
    A device with a key.

    Attributes:
        count: of its uses; 0: it does not count.
    """

    def __init__(self, *, count: int = 0) -> None:
        self.key = ec.generate_private_key(ec.SECP256R1())
        self.credential_id = secrets.token_bytes(32)
        self.count = count

    @property
    def credential(self) -> AttestedCredentialData:
        public_key = ES256.from_cryptography_key(self.key.public_key())
        return AttestedCredentialData.create(Aaguid.NONE, self.credential_id, public_key)

    def create(
        self, options: Mapping[str, Any], *, origin: str = ORIGIN, flags: int = VERIFIED, host: str = ""
    ) -> str:
        """Return the answer of `navigator.credentials.create`."""
        data = self._make_data(host or options["rp"]["id"], flags | _FLAGS.AT, bytes(self.credential))
        attestation = AttestationObject.create("none", data, {})
        parts = {"attestationObject": websafe_encode(attestation)}
        return self._write_answer("webauthn.create", options, origin, parts)

    def prove(
        self, options: Mapping[str, Any], *, origin: str = ORIGIN, flags: int = VERIFIED, host: str = ""
    ) -> str:
        """Return the answer of `navigator.credentials.get`."""
        if self.count:
            self.count += 1
        data = self._make_data(host or options["rpId"], flags)
        client = _write_client_data("webauthn.get", options, origin)
        signature = self.key.sign(data + sha256(client).digest(), ec.ECDSA(SHA256()))
        parts = {"authenticatorData": websafe_encode(data), "signature": websafe_encode(signature)}
        return self._write_answer("webauthn.get", options, origin, parts)

    def _make_data(self, host: str, flags: int, credential: bytes = b"") -> AuthenticatorData:
        return AuthenticatorData.create(sha256(host.encode()).digest(), flags, self.count, credential)

    def _write_answer(
        self, kind: str, options: Mapping[str, Any], origin: str, parts: Mapping[str, str]
    ) -> str:
        key_id = websafe_encode(self.credential_id)
        client = websafe_encode(_write_client_data(kind, options, origin))
        response = {"clientDataJSON": client, **parts}
        return json.dumps({"id": key_id, "rawId": key_id, "type": "public-key", "response": response})


def change_part(answer: str, name: str, change: Any) -> str:
    """Return an answer with one of its parts changed by a function of its bytes."""
    parsed = json.loads(answer)
    parsed["response"][name] = websafe_encode(change(websafe_decode(parsed["response"][name])))
    return json.dumps(parsed)


def _write_client_data(kind: str, options: Mapping[str, Any], origin: str) -> bytes:
    client = {"type": kind, "challenge": options["challenge"], "origin": origin, "crossOrigin": False}
    return json.dumps(client).encode()
