"""The settings of the web server, log-in, and the limits for one caller."""

from hubconsole.administration.declared.record import declare_attribute, declare_secret, declare_variable

WEB = (
    declare_secret(
        "DJANGO_SECRET_KEY",
        is_in_file=True,
        meaning="signs sessions and seals; required with `DATABASE_URL`",
        default="created once, kept in the home",
    ),
    declare_secret(
        "DJANGO_SECRET_KEY_FALLBACKS",
        meaning=(
            "previous keys: sessions and [seals](../contributing/decisions/0013-audit-seals.md) signed with"
            " them stay valid"
        ),
    ),
    declare_attribute(
        "DJANGO_ALLOWED_HOSTS",
        "ALLOWED_HOSTS",
        meaning=(
            "host names that are served; with names other than loopback, cookies are secure and HSTS is on"
        ),
    ),
    declare_attribute(
        "DJANGO_DEBUG",
        "DEBUG",
        meaning="never 1 in production",
    ),
    declare_attribute(
        "HUBCONSOLE_IDLE_MINUTES",
        "IDLE_MINUTES",
        meaning="minutes after which an unused [session](sessions.md) ends; 0: only after 12 hours",
    ),
    declare_attribute(
        "HUBCONSOLE_REVEAL_MINUTES",
        "REVEAL_MINUTES",
        meaning=(
            "minutes for which a session [shows values](../contributing/decisions/0020-unmasking.md) after"
            " a user with `view_payload` has given a reason; 0: always, without a reason"
        ),
    ),
    declare_attribute(
        "HUBCONSOLE_SECOND_FACTOR",
        "SECOND_FACTOR",
        meaning=(
            "[a second factor](second_factor.md): `offered`, `required` of administrators, of `everyone`,"
            " or `off`"
        ),
        default="`required` in [production](security.md#protection-in-production), otherwise `offered`",
    ),
    declare_attribute(
        "HUBCONSOLE_PASSKEY_ORIGINS",
        "PASSKEY_ORIGINS",
        meaning=(
            "addresses of the console that may ask for [passkeys](second_factor.md#passkeys): needed for"
            " other ports, such as `https://hub.example.org:8443`, and for patterns of hosts"
        ),
        default="`https://` of each name in `DJANGO_ALLOWED_HOSTS`",
    ),
    declare_attribute(
        "HUBCONSOLE_BREACHED_PASSWORDS",
        "BREACHED_PASSWORDS",
        meaning=(
            "a folder with a copy of the list [Pwned Passwords](https://haveibeenpwned.com/Passwords), as"
            " its downloader writes it: files `00000.txt` to `FFFFF.txt`. New passwords must not be in it"
        ),
    ),
    declare_variable(
        "HUBCONSOLE_OIDC_ISSUER",
        meaning=(
            "the [identity provider](../howto/company_accounts.md) of the company, exactly as it writes its"
            " address"
        ),
        values="address",
    ),
    declare_variable(
        "HUBCONSOLE_OIDC_CLIENT_ID",
        meaning="the id of the console at the provider",
        values="text",
    ),
    declare_secret(
        "HUBCONSOLE_OIDC_CLIENT_SECRET",
        meaning="the secret of the console at the provider",
        values="text",
    ),
    declare_variable(
        "HUBCONSOLE_OIDC_NAME",
        meaning="the name of the provider on the button: *Log in with …*",
        default="the host of the issuer",
        values="text",
    ),
    declare_variable(
        "HUBCONSOLE_OIDC_GROUPS_CLAIM",
        meaning="the claim with the names of groups",
        default="`groups`",
        values="text",
    ),
    declare_variable(
        "HUBCONSOLE_OIDC_SCOPES",
        meaning="the scopes that a log-in asks for",
        default="`openid profile email`",
        values="words with spaces",
    ),
    declare_variable(
        "HUBCONSOLE_OIDC_STRONG_ACR",
        meaning=("values of the claim `acr` of log-ins with a second factor, in addition to the usual ones"),
        values="words with spaces",
    ),
    declare_variable(
        "HUBCONSOLE_OIDC_FILE",
        meaning="more providers: each is a table with these settings in small letters",
        values="path of a TOML file",
    ),
    declare_attribute(
        "HUBCONSOLE_TRUSTED_PROXIES",
        "TRUSTED_PROXIES",
        meaning=(
            "proxies, such as `10.244.0.0/16`, whose `X-Forwarded-For` and `X-Forwarded-Proto` are trusted"
        ),
    ),
    declare_attribute(
        "HUBCONSOLE_REQUEST_SECONDS",
        "REQUEST_SECONDS",
        meaning="a request that takes longer is [ended with 503](security.md#time)",
    ),
    declare_attribute(
        "HUBCONSOLE_API_REQUESTS_PER_MINUTE",
        "API_REQUESTS_PER_MINUTE",
        meaning=(
            "API requests of a token or a session; `create_token --per-minute` sets another limit for all"
            " calls of one token"
        ),
    ),
    declare_attribute(
        "HUBCONSOLE_SERVICE_REQUESTS_PER_MINUTE",
        "SERVICE_REQUESTS_PER_MINUTE",
        meaning=(
            "the calls that services make for each piece of work, counted separately: pull, create and"
            " dispatch CP messages, check documents, send to the store"
        ),
    ),
    declare_attribute(
        "HUBCONSOLE_PAGES_PER_MINUTE",
        "PAGES_PER_MINUTE",
        meaning="pages and parts of pages of a user; before the log-in, of an address",
    ),
)
