"""The declaration of identity providers: its defaults, and a line that names each fault."""

import pytest

from messages_app.access.provider_settings import InvalidProvider, Provider, read_providers

ONE = {
    "HUBCONSOLE_OIDC_ISSUER": "https://id.bank.example/realms/staff",
    "HUBCONSOLE_OIDC_CLIENT_ID": "hub",
    "HUBCONSOLE_OIDC_CLIENT_SECRET": "s3cret",
}
TABLE = """
[partner]
issuer = "https://id.partner.example"
client_id = "hub"
client_secret = "s3cret"
strong_acr = ["gold", "silver"]
"""


def test_no_variable_declares_none():
    assert read_providers({"HUBCONSOLE_OIDC_ISSUER": " ", "PATH": "/bin"}) == {}


def test_variables_declare_one():
    provider = read_providers(ONE | {"HUBCONSOLE_OIDC_STRONG_ACR": "gold silver"})["oidc"]
    assert provider == Provider(
        key="oidc",
        name="id.bank.example",
        issuer="https://id.bank.example/realms/staff",
        client_id="hub",
        client_secret="s3cret",
        groups_claim="groups",
        scopes="openid profile email",
        strong_acr=("gold", "silver"),
    )
    assert "s3cret" not in repr(provider)


def test_a_file_declares_more(tmp_path):
    file = tmp_path / "providers.toml"
    file.write_text(TABLE)
    providers = read_providers(ONE | {"HUBCONSOLE_OIDC_FILE": str(file)})
    assert list(providers) == ["oidc", "partner"]
    assert providers["partner"].strong_acr == ("gold", "silver")


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"HUBCONSOLE_OIDC_ISSUER": ""}, "HUBCONSOLE_OIDC_ISSUER is missing"),
        ({"HUBCONSOLE_OIDC_CLIENT_SECRET": ""}, "HUBCONSOLE_OIDC_CLIENT_SECRET is missing"),
        ({"HUBCONSOLE_OIDC_COLOUR": "red"}, "HUBCONSOLE_OIDC_COLOUR is not a setting of a provider"),
        (
            {"HUBCONSOLE_OIDC_ISSUER": "http://id.bank.example"},
            "HUBCONSOLE_OIDC_ISSUER must be an https address",
        ),
        ({"HUBCONSOLE_OIDC_ISSUER": "id.bank.example"}, "_ISSUER must be an https address"),
        ({"HUBCONSOLE_OIDC_ISSUER": "https://a?b=c"}, "_ISSUER must be an https address"),
        ({"HUBCONSOLE_OIDC_ISSUER": "https://[a"}, "_ISSUER must be an https address"),
        ({"HUBCONSOLE_OIDC_NAME": "a\nb"}, "HUBCONSOLE_OIDC_NAME must be a printable text"),
        ({"HUBCONSOLE_OIDC_SCOPES": "profile"}, "HUBCONSOLE_OIDC_SCOPES must include openid"),
        ({"HUBCONSOLE_OIDC_FILE": "/not/there.toml"}, "HUBCONSOLE_OIDC_FILE cannot be read: /not/there.toml"),
    ],
    ids=str,
)
def test_a_fault_is_named(change, words):
    with pytest.raises(InvalidProvider) as error:
        read_providers(ONE | change)
    assert words in str(error.value)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("x = 1", "x must be a table of a provider"),
        ("[x", "HUBCONSOLE_OIDC_FILE cannot be read"),
        ("[Big]\n", "[Big] must have small letters, digits and hyphens"),
        (TABLE.replace("partner]", "oidc]"), "[oidc] is also the provider of HUBCONSOLE_OIDC_ISSUER"),
        (TABLE.replace('"hub"', "7"), "[partner] client_id must be a printable text"),
        (TABLE.replace('["gold", "silver"]', "[7]"), "[partner] strong_acr must be a list of texts"),
        ("[partner]\n", "[partner] issuer is missing"),
    ],
    ids=str,
)
def test_a_fault_of_a_file_is_named(tmp_path, text, words):
    file = tmp_path / "providers.toml"
    file.write_text(text)
    with pytest.raises(InvalidProvider) as error:
        read_providers(ONE | {"HUBCONSOLE_OIDC_FILE": str(file)})
    assert words in str(error.value)


def test_an_issuer_on_this_machine_needs_no_tls():
    issuer = "http://127.0.0.1:9411"
    assert read_providers(ONE | {"HUBCONSOLE_OIDC_ISSUER": issuer})["oidc"].issuer == issuer
