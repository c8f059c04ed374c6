"""The web server of the pages and the API, log-in, and the limits for one caller."""

from hashlib import sha256

from hubconsole import drf
from hubconsole.environment import (
    minutes_or_off,
    one_of,
    read_networks,
    read_origins,
    read_range_files,
    whole_number,
)
from hubconsole.settings.deployment import (
    BASE_DIR,
    HUBCONSOLE_HOME,
    HUBCONSOLE_HUB_NAME,
    IS_LOOPBACK,
    IS_PRODUCTION,
)
from hubconsole.settings.stores import STORES
from messages_app.core.stores import stores_of

# Addresses and networks of proxies in front of the console, separated by commas. Their headers determine the
# caller's address.
TRUSTED_PROXIES = read_networks("HUBCONSOLE_TRUSTED_PROXIES")
# API requests a minute of a token or session, and the higher limit of services, which call it for each item.
API_REQUESTS_PER_MINUTE = whole_number("HUBCONSOLE_API_REQUESTS_PER_MINUTE", default=6000)
SERVICE_REQUESTS_PER_MINUTE = whole_number("HUBCONSOLE_SERVICE_REQUESTS_PER_MINUTE", default=120_000)
# Pages and parts of pages that a user may open in a minute; before log-in, per address.
PAGES_PER_MINUTE = whole_number("HUBCONSOLE_PAGES_PER_MINUTE", default=600)

# A longer request is ended and answered with 503.
REQUEST_SECONDS = whole_number("HUBCONSOLE_REQUEST_SECONDS", default=20)

INSTALLED_APPS = [
    "hubconsole.apps.HubConsoleAdminConfig",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "rest_framework",
    "drf_spectacular",
    "drf_spectacular_sidecar",
    "django_celery_beat",
    "django_otp",
    "django_otp.plugins.otp_totp",
    "messages_app",
    "django_htmx",  # Only its static files: htmx.
]

MIDDLEWARE = [
    "hubconsole.probes.ProbeMiddleware",
    "messages_app.core.middleware.ProxyMiddleware",
    "messages_app.core.middleware.RequestIdMiddleware",
    "messages_app.core.middleware.HeadersMiddleware",
    "messages_app.core.compression.AnswerGzipMiddleware",
    "messages_app.access.rate_limits.RateLimitMiddleware",
    "messages_app.core.addresses.TlsMiddleware",
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "messages_app.core.request_times.RequestTimesMiddleware",
    "messages_app.core.time_budget.RequestLimitMiddleware",
    "messages_app.core.middleware.ProblemMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "messages_app.access.sessions.store.VisitMiddleware",
    "messages_app.core.addresses.SlashMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "messages_app.access.unmasking_views.ReadingMiddleware",
    "messages_app.access.rate_limits.PageLimitMiddleware",
    "messages_app.access.second_factor.pending_login.SecondFactorMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
]

ROOT_URLCONF = "hubconsole.urls"
WSGI_APPLICATION = "hubconsole.wsgi.application"

TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "OPTIONS": {
            "loaders": [
                (
                    "django.template.loaders.cached.Loader",
                    ["hubconsole.template_loader.Loader", "django.template.loaders.app_directories.Loader"],
                )
            ],
            "builtins": [
                "messages_app.templatetags.charts",
                "messages_app.templatetags.components",
                "messages_app.templatetags.tables",
                "messages_app.templatetags.terms",
            ],
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
            ],
        },
    },
]

# One statement for a user and all rights.
AUTHENTICATION_BACKENDS = ["messages_app.access.backends.RightsBackend"]
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": "django.contrib.auth.password_validation.MinimumLengthValidator", "OPTIONS": {"min_length": 12}},
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
    {"NAME": "django.contrib.auth.password_validation.UserAttributeSimilarityValidator"},
    {"NAME": "messages_app.access.passwords.NoWordOfHere"},
    {"NAME": "messages_app.access.breached_passwords.NotBreached"},
]
# A folder with the company's copy of a list of breached passwords.
BREACHED_PASSWORDS = read_range_files("HUBCONSOLE_BREACHED_PASSWORDS")
# Whether users log in with a second factor; "required" and "everyone": administrators or all users cannot do
# anything without one.
SECOND_FACTOR = one_of(
    "HUBCONSOLE_SECOND_FACTOR",
    ("offered", "required", "everyone", "off"),
    default="required" if IS_PRODUCTION else "offered",
)
# Scheme, host and port of the pages that may ask for passkeys; empty: https of each name in ALLOWED_HOSTS.
PASSKEY_ORIGINS = read_origins("HUBCONSOLE_PASSKEY_ORIGINS")
OTP_TOTP_ISSUER = "Hub Console"
# Wrong codes count like wrong passwords, in access/throttling.py.
OTP_TOTP_THROTTLE_FACTOR = 0
# The time in which a link to set a password can be used.
PASSWORD_RESET_TIMEOUT = 3 * 24 * 3600
LOGIN_URL = "login"
LOGIN_REDIRECT_URL = "/"

STATIC_URL = "static/"
STATIC_ROOT = HUBCONSOLE_HOME / "static"
STATICFILES_DIRS = [BASE_DIR / "static"]
STATICFILES_FINDERS = [
    "hubconsole.frame_styles.FrameStyles",
    "django.contrib.staticfiles.finders.FileSystemFinder",
    "django.contrib.staticfiles.finders.AppDirectoriesFinder",
]
WHITENOISE_USE_FINDERS = True

# Behind TLS no other host of the domain can set them (docs/contributing/spec/promises.md, S-13).
_COOKIES = "" if IS_LOOPBACK else "__Host-"
# A browser sends the cookies of a host to all its ports, so consoles on one host need different names.
_OF_HUB = f"_{sha256(HUBCONSOLE_HUB_NAME.encode()).hexdigest()[:8]}" if HUBCONSOLE_HUB_NAME else ""
SESSION_COOKIE_NAME = f"{_COOKIES}sessionid{_OF_HUB}"
CSRF_COOKIE_NAME = f"{_COOKIES}csrftoken{_OF_HUB}"
DEVICE_COOKIE_NAME = f"{_COOKIES}hubconsole_device{_OF_HUB}"  # From access/throttling.py.
MESSAGE_STORAGE = "django.contrib.messages.storage.session.SessionStorage"  # Not a cookie of its own.
SESSION_COOKIE_HTTPONLY = True
SESSION_ENGINE = "messages_app.access.sessions.store"
SESSION_COOKIE_AGE = 12 * 3600  # Seconds from the beginning of the session, however much it is used.
# An unused session ends after this many minutes; 0: only after its 12 hours.
IDLE_MINUTES = minutes_or_off("HUBCONSOLE_IDLE_MINUTES", 15, least=3, most=720)
SESSION_IDLE_AGE = IDLE_MINUTES * 60 or SESSION_COOKIE_AGE
# Duration for which a session shows masked values and payloads after its user gave a reason; 0: always,
# without a reason.
REVEAL_MINUTES = minutes_or_off("HUBCONSOLE_REVEAL_MINUTES", 15, least=1, most=720)
SESSION_COOKIE_SAMESITE = "Lax"
CSRF_COOKIE_HTTPONLY = True
SESSION_COOKIE_SECURE = not IS_LOOPBACK
CSRF_COOKIE_SECURE = not IS_LOOPBACK
SECURE_SSL_REDIRECT = not IS_LOOPBACK
SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")
SECURE_HSTS_SECONDS = 0 if IS_LOOPBACK else 365 * 24 * 3600
SECURE_HSTS_INCLUDE_SUBDOMAINS = not IS_LOOPBACK
SECURE_HSTS_PRELOAD = not IS_LOOPBACK
SECURE_CONTENT_TYPE_NOSNIFF = True
SECURE_REFERRER_POLICY = "same-origin"
X_FRAME_OPTIONS = "DENY"
DATA_UPLOAD_MAX_MEMORY_SIZE = 2_621_440  # Bytes; larger bodies are answered with 413.
# Form fields: 500 selected messages, and the other fields. Query strings have fewer.
DATA_UPLOAD_MAX_NUMBER_FIELDS = 600
CSRF_FAILURE_VIEW = "messages_app.core.error_handlers.csrf_failure"

REST_FRAMEWORK = drf.FRAMEWORK
SPECTACULAR_SETTINGS = drf.describe_api(stores_of(STORES))
