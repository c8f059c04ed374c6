"""The console's files, secret key and database, and the hub that it belongs to."""

import os
from pathlib import Path

from hubconsole import log_lines
from hubconsole.environment import (  # noqa: F401
    HUB_FAILED_REST_SECONDS,
    HUB_POLL_SECONDS,
    HUB_POSTPONED_REST_SECONDS,
    file_mask,
    hub_sign,
    kept_secret_key,
    one_of,
    read_database,
    read_flag,
    read_names,
    read_text,
    some_of,
    stop_start,
)
from hubconsole.installation import COMMAND_LINE, RESOURCES, START_COMMAND, find_default_home  # noqa: F401
from hubconsole.telemetry import refusal_of_telemetry
from messages_app.audit.stream.addresses import NAME as _STREAM
from messages_app.audit.stream.addresses import InvalidAddress, read_receiver
from messages_app.core.embedded_servers import database_url

# Set before any file is written, so that other users of the machine cannot access the console's files.
os.umask(file_mask("HUBCONSOLE_UMASK"))

BASE_DIR = RESOURCES
try:
    HUBCONSOLE_HOME = Path(read_text("HUBCONSOLE_HOME", values="folder") or find_default_home()).resolve()
except RuntimeError:
    stop_start("This user has no home folder: set HUBCONSOLE_HOME to a folder for the data.")
HUBCONSOLE_ARCHIVE_URI = read_text("HUBCONSOLE_ARCHIVE_URI", values="path or address") or str(
    HUBCONSOLE_HOME / "archive"
)
if "://" not in HUBCONSOLE_ARCHIVE_URI:
    HUBCONSOLE_ARCHIVE_URI = str(Path(HUBCONSOLE_ARCHIVE_URI).resolve())
# The address from which `move_archive` moves the archive; until then its files are read from there.
ARCHIVE_FORMER_URI = read_text("HUBCONSOLE_ARCHIVE_FORMER_URI", values="path or address")
if ARCHIVE_FORMER_URI and "://" not in ARCHIVE_FORMER_URI:
    ARCHIVE_FORMER_URI = str(Path(ARCHIVE_FORMER_URI).resolve())
# The address of export files; empty: the folder `exports` of HUBCONSOLE_HOME.
EXPORT_URI = read_text("HUBCONSOLE_EXPORT_URI", values="path or `s3://bucket/prefix`")
if EXPORT_URI and "://" not in EXPORT_URI:
    EXPORT_URI = str(Path(EXPORT_URI).resolve())
if "://" in EXPORT_URI and not EXPORT_URI.startswith("s3://"):
    stop_start("HUBCONSOLE_EXPORT_URI must be a path or a bucket, s3://bucket/prefix.")
# An S3 store that is not Amazon's, and its encryption of new files. Credentials come from where AWS's own
# tools find them.
S3_ENDPOINT = read_text("HUBCONSOLE_S3_ENDPOINT", values="address").rstrip("/")
S3_ENCRYPTION = one_of("HUBCONSOLE_S3_ENCRYPTION", ("bucket", "AES256", "aws:kms"))
S3_KMS_KEY = read_text("HUBCONSOLE_S3_KMS_KEY", values="id of a key")
# The list of erased rows. After a backup is restored, they are erased from it again.
ERASED_LIST = Path(
    read_text("HUBCONSOLE_ERASED_LIST", values="path") or HUBCONSOLE_HOME / "erased.jsonl"
).resolve()
# The hub's tables that are archived. An older hub lacks some of them; "table.key" adds another one.
ARCHIVED_TABLES = read_names("HUBCONSOLE_ARCHIVED_TABLES", "message,external_call,request,response,funnel")

DEBUG = read_flag("DJANGO_DEBUG")
ALLOWED_HOSTS = read_names("DJANGO_ALLOWED_HOSTS", "localhost,127.0.0.1,[::1]")
# `up` serves on loopback over http; any other server is behind TLS and gets secure cookies and HSTS.
IS_LOOPBACK = set(ALLOWED_HOSTS) <= {"localhost", "127.0.0.1", "[::1]"}
# Others reach the console. Each protection is on then, unless its own setting turns it off
# (hubconsole/checks/hardening.py).
IS_PRODUCTION = not DEBUG and not IS_LOOPBACK
# Connections to other hosts that may be without TLS.
WITHOUT_TLS = some_of(
    "HUBCONSOLE_WITHOUT_TLS", ("database", "broker", "spark", "mail", "audit", "store", "telemetry")
)
DATABASE_ROLES = one_of("HUBCONSOLE_DATABASE_ROLES", ("separate", "one"))

# "web" (gunicorn) gets short timeouts on its database sessions; commands and workers set their own.
PROCESS = os.environ.get("HUBCONSOLE_PROCESS")
IS_WEB = PROCESS == "web"

DATABASE_URL = read_text("DATABASE_URL", values="address")
SECRET_KEY = read_text("DJANGO_SECRET_KEY", values="text of 50 characters or more")
if not SECRET_KEY and DATABASE_URL:
    stop_start("DJANGO_SECRET_KEY is required when DATABASE_URL is set.")
# Previous keys, which are still accepted for verification.
SECRET_KEY_FALLBACKS = read_names("DJANGO_SECRET_KEY_FALLBACKS")
if 0 < len(SECRET_KEY) < 50:  # Source: docs/contributing/spec/promises.md, S-4
    stop_start(
        f"DJANGO_SECRET_KEY has {len(SECRET_KEY)} characters; it must have at least 50 random characters."
    )
try:
    SECRET_KEY = SECRET_KEY or kept_secret_key(HUBCONSOLE_HOME)
except OSError as error:
    stop_start(f"HUBCONSOLE_HOME {HUBCONSOLE_HOME} cannot be used: {error.strerror}.")

_database = read_database("DATABASE_URL", DATABASE_URL or database_url(HUBCONSOLE_HOME))
# Address at which Spark reaches that database: under a role of its own, or as the console does.
SPARK_DATABASE = None
if _address := read_text("HUBCONSOLE_SPARK_DATABASE_URL", values="address"):
    SPARK_DATABASE = read_database("HUBCONSOLE_SPARK_DATABASE_URL", _address)
    if SPARK_DATABASE["NAME"] != _database["NAME"]:
        stop_start("HUBCONSOLE_SPARK_DATABASE_URL must name the same database as DATABASE_URL.")
# Address of the owner of a hub's tables: only `attach` and `detach` use it, for indexes.
OWNER_DATABASE_URL = read_text("HUBCONSOLE_OWNER_DATABASE_URL", values="address")
if OWNER_DATABASE_URL:
    _owners = read_database("HUBCONSOLE_OWNER_DATABASE_URL", OWNER_DATABASE_URL)
    if _owners["NAME"] != _database["NAME"]:
        stop_start("HUBCONSOLE_OWNER_DATABASE_URL must name the same database as DATABASE_URL.")
_options = _database["OPTIONS"]
# The parameters of the address, such as sslmode, before the console's own are added: tasks of Spark use them.
DATABASE_PARAMETERS = dict(_options)
_options["application_name"] = f"hubconsole-{PROCESS or 'command'}"
_options.setdefault("connect_timeout", 5)
# Prepares statements for which messages_app/core/statements.py asks this, at their first use. Django's own
# cursors prepare none.
_options.setdefault("prepare_threshold", 0)
# A stock server would spend up to half a second on compiling a plan that looks expensive.
_options["options"] = f"-c jit=off {_options.get('options', '')}"
if IS_WEB:
    # Pages do not wait long for the hub's locks or scans: after this the answer is 503
    # (docs/contributing/spec/design.md, R-9).
    _options["options"] += (
        " -c statement_timeout=5000 -c lock_timeout=2000 -c idle_in_transaction_session_timeout=15000"
    )
    _options["pool"] = {"min_size": 1, "max_size": 8, "timeout": 5}
    _database["CONN_HEALTH_CHECKS"] = True
DATABASES = {"default": _database}
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

# Distinguishes several consoles. Source: docs/howto/several_hubs.md.
HUB_COLOURS = ("grey", "red", "amber", "green", "blue", "violet")
HUBCONSOLE_HUB_NAME, HUBCONSOLE_HUB_COLOUR = hub_sign(
    "HUBCONSOLE_HUB_NAME", "HUBCONSOLE_HUB_COLOUR", HUB_COLOURS
)

# Empty: the rules of the attached hub, or those of CleverBus.
HUB_RULES = one_of("HUB_RULES", ("cleverbus", "openhub"))
if not os.environ.get("HUB_RULES"):
    HUB_RULES = ""

LANGUAGE_CODE = "en-gb"
FORMAT_MODULE_PATH = "hubconsole.formats"
USE_I18N = False
USE_TZ = True
TIME_ZONE = "UTC"
# Empty: that of the attached hub, or UTC.
HUB_TIME_ZONE = read_text("HUB_TIME_ZONE", values="name of a time zone")

if _why := refusal_of_telemetry():
    stop_start(_why)

# Where each entry of the audit log is sent to; None: nowhere.
try:
    AUDIT_STREAM = read_receiver(read_text(_STREAM, values="address"))
except InvalidAddress as _fault:
    stop_start(str(_fault))

LOGGING = log_lines.make_configuration()
