"""
The console as a client of an identity provider: OpenID Connect with an authorization code, PKCE and a nonce.

Authlib speaks the protocol and checks signature, audience, times and nonce of a token. Also checked here: the
issuer that the provider and its answer name must be the declared one.

Source: docs/howto/company_accounts.md, "Checks at a log-in".
"""

import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import requests
from authlib.integrations.base_client.errors import MismatchingStateError, OAuthError
from authlib.integrations.django_client import DjangoIntegration, DjangoOAuth2App
from django.http import HttpRequest
from joserfc.errors import JoseError
from joserfc.jwk import KeySet

from messages_app.access.provider_settings import Provider
from messages_app.access.providers.identities import Identity, LogInRefused, read_identity

SECONDS_OF_CALL = 5.0
# The time after which the provider's description and keys are read again, even without a log-in.
_SECONDS_OF_METADATA = 3600
_MAX_OPEN_LOG_INS = 5
_LEEWAY = 60  # seconds between the clocks
# Only those with a key of the provider: a secret that both know would let the console sign, too.
SIGNING_ALGORITHMS = (
    *("RS256", "RS384", "RS512"),
    *("PS256", "PS384", "PS512"),
    *("ES256", "ES384", "ES512"),
    "EdDSA",
)
_ENDPOINTS = ("authorization_endpoint", "token_endpoint", "jwks_uri")


class ProviderAway(Exception):
    """The provider does not answer, or not as a provider does; the text says which call failed."""


@dataclass(frozen=True, kw_only=True)
class Purpose:
    """
    The reason for which a user goes to the provider.

    Args:
        next_page: an address of the console to return to; empty: the start page.
        confirms: the user of the session logs in again, to confirm a change.
    """

    next_page: str = ""
    confirms: bool = False


def begin_at_provider(request: HttpRequest, provider: Provider, *, callback: str, purpose: Purpose) -> str:
    """
    Return the address at the provider where the user logs in. The session keeps what the answer must have.

    Args:
        callback: the absolute address to which the provider sends the user back.

    Raises:
        ProviderAway: its description of itself cannot be read.
    """
    # Asked even if it is known: a user who is sent to a provider that is away sees only the browser's error.
    app = open_client(provider, asks_again=True)
    more = {"prompt": "login", "max_age": "0"} if purpose.confirms else {}
    with _name_faults(provider):
        values = app.create_authorization_url(callback, **more)
    _drop_oldest(request, provider)
    app.save_authorize_data(
        request,
        redirect_uri=callback,
        next_page=purpose.next_page,
        confirms=purpose.confirms,
        begun_at=time.time(),
        **values,
    )
    return str(values["url"])


def finish_at_provider(request: HttpRequest, provider: Provider) -> tuple[Identity, Purpose]:
    """
    Return who has logged in, from the request with which the provider has sent the user back.

    Raises:
        ProviderAway: it does not answer.
        LogInRefused: the answer is not one to this session, or its token is not valid.
    """
    app = open_client(provider)
    begun = app.framework.get_state_data(request.session, request.GET.get("state", ""))
    if begun is None:
        raise LogInRefused(
            "wrong_state", "This log-in was not begun in this browser, or it began more than an hour ago."
        )
    with _name_faults(provider):
        _check_answer(request, app, provider)
        token = app.authorize_access_token(
            request,
            leeway=_LEEWAY,
            claims_options={
                "iss": {"essential": True, "values": [provider.issuer]},
                "aud": {"essential": True, "values": [provider.client_id]},
            },
        )
        claims = dict(token.get("userinfo") or {})
        if not claims:
            raise LogInRefused("no_token", f"{provider} sent no ID token.")
        identity = read_identity(provider, claims, _read_profile(app, provider, token, claims))
    purpose = Purpose(next_page=begun["next_page"], confirms=begun["confirms"])
    if purpose.confirms and identity.authenticated_at < begun["begun_at"] - _LEEWAY:
        raise LogInRefused("not_confirmed", f"{provider} did not ask you to log in again.")
    return identity, purpose


def log_out_address(provider: Provider, *, return_to: str) -> str:
    """
    Return the address at the provider where the user logs out there, too; empty if it offers none.

    Raises:
        ProviderAway: its description of itself cannot be read.
    """
    app = open_client(provider)
    with _name_faults(provider):
        if "end_session_endpoint" not in app.load_server_metadata():
            return ""
        # Without the user's token, which the session would have to keep: the provider may ask the user.
        address = app.create_logout_url(post_logout_redirect_uri=return_to, client_id=provider.client_id)
    return str(address["url"])


def check_provider(provider: Provider) -> None:
    """
    Read the provider's description of itself.

    Raises:
        ProviderAway: it cannot be read, or is that of another issuer.
    """
    with _name_faults(provider):
        open_client(provider, asks_again=True).load_server_metadata()


def open_client(provider: Provider, *, asks_again: bool = False) -> DjangoOAuth2App:
    """
    Return Authlib's client of a provider, with what it knows of the provider.

    Args:
        asks_again: also if it knows the provider already.
    """
    client = _clients.get(provider)
    if client is None or asks_again or client.is_old():
        client = _clients[provider] = _make_client(provider)
    return client


def provider_keys(provider: Provider, *, forces: bool = False) -> KeySet:
    """
    Return the provider's keys.

    Args:
        forces: read them again, because a token has an unknown one.

    Raises:
        ProviderAway: they cannot be read.
    """
    app = open_client(provider)
    with _name_faults(provider):
        return KeySet.import_key_set(app.fetch_jwk_set(force=forces))


class _CheckedClient(DjangoOAuth2App):  # type: ignore[misc]  # Authlib has no types
    """Authlib's client, which also checks what the provider says of itself."""

    def is_old(self) -> bool:
        age = time.time() - self.server_metadata.get("_loaded_at", time.time())
        return bool(age > _SECONDS_OF_METADATA)

    def load_server_metadata(self) -> dict[str, Any]:
        metadata: dict[str, Any] = super().load_server_metadata()
        fault = _fault_of_metadata(metadata, str(self.issuer))
        if fault:
            self.server_metadata.clear()  # It is read again at the next attempt.
            raise ValueError(fault)
        metadata["id_token_signing_alg_values_supported"] = list(SIGNING_ALGORITHMS)
        return metadata


_clients: dict[Provider, _CheckedClient] = {}


def _fault_of_metadata(metadata: Mapping[str, Any], issuer: str) -> str:
    if metadata.get("issuer") != issuer:
        return f"it calls itself {str(metadata.get('issuer'))[:200]!r}, not {issuer!r}"
    missing = [name for name in _ENDPOINTS if not isinstance(metadata.get(name), str)]
    return f"its description has no {missing[0]}" if missing else ""


def _make_client(provider: Provider) -> _CheckedClient:
    """Return a client that reads the metadata at its first use."""
    app = _CheckedClient(
        DjangoIntegration(provider.key),
        provider.key,
        client_id=provider.client_id,
        client_secret=provider.client_secret,
        server_metadata_url=f"{provider.issuer.rstrip('/')}/.well-known/openid-configuration",
        client_kwargs={
            "scope": provider.scopes,
            "code_challenge_method": "S256",
            "default_timeout": SECONDS_OF_CALL,
        },
    )
    app.issuer = provider.issuer
    return app


def _drop_oldest(request: HttpRequest, provider: Provider) -> None:
    """Make room for one more unfinished log-in of a session."""
    prefix = f"_state_{provider.key}_"
    unfinished = [key for key in dict(request.session) if key.startswith(prefix)]
    for key in sorted(unfinished, key=lambda each: request.session[each]["exp"])[: 1 - _MAX_OPEN_LOG_INS]:
        del request.session[key]


def _check_answer(request: HttpRequest, app: DjangoOAuth2App, provider: Provider) -> None:
    """Refuse an answer of another provider (RFC 9207), and one that is an error."""
    metadata = app.load_server_metadata()
    must_have = bool(metadata.get("authorization_response_iss_parameter_supported"))
    if request.GET.get("iss", provider.issuer if not must_have else "") != provider.issuer:
        raise LogInRefused("wrong_issuer", f"The answer does not come from {provider}.")
    if code := request.GET.get("error", ""):
        app.framework.clear_state_data(request.session, request.GET.get("state", ""))
        if code == "access_denied":
            raise LogInRefused("provider_refused", f"{provider} did not let you in, or you cancelled.")
        raise LogInRefused("provider_refused", f"{provider} refused the log-in: {_clean_text(code)}.")


def _read_profile(
    app: DjangoOAuth2App, provider: Provider, token: Mapping[str, Any], claims: Mapping[str, Any]
) -> Mapping[str, Any]:
    """Return the claims of the user that the provider gives only on request; empty if the token has all."""
    has_all = provider.groups_claim in claims and {"preferred_username", "email"} & set(claims)
    if has_all or "userinfo_endpoint" not in app.load_server_metadata():
        return {}
    profile = dict(app.userinfo(token=token))
    if profile.get("sub") != claims["sub"]:
        raise LogInRefused("wrong_subject", f"{provider} described another user than the one of the token.")
    return profile


@contextmanager
def _name_faults(provider: Provider) -> Iterator[None]:
    """Turn errors of a call to the provider into those of this module."""
    try:
        yield
    except MismatchingStateError as error:
        raise LogInRefused("wrong_state", "This log-in was already finished. Begin again.") from error
    except OAuthError as error:
        raise LogInRefused(
            "provider_refused", f"{provider} refused the log-in: {_clean_text(str(error.error))}."
        ) from error
    except JoseError as error:
        raise LogInRefused(
            "invalid_token", f"The token of {provider} is not valid: {_clean_text(error.error)}."
        ) from error
    except requests.Timeout as error:
        raise ProviderAway(f"{provider} did not answer within {SECONDS_OF_CALL:g} s.") from error
    except requests.RequestException as error:
        raise ProviderAway(f"{provider} cannot be reached: {_reason_of(error)}.") from error
    except (ValueError, RuntimeError, KeyError, TypeError) as error:
        raise ProviderAway(f"The answer of {provider} cannot be read: {_clean_text(str(error))}.") from error


def _reason_of(error: requests.RequestException) -> str:
    if error.response is not None:
        return f"it answered {error.response.status_code}"
    return "no connection" if isinstance(error, requests.ConnectionError) else type(error).__name__


def _clean_text(text: str) -> str:
    return "".join(filter(str.isprintable, text))[:200].rstrip(".")
