"""The settings of servers and files."""

import os

from django.db import connection

from hubconsole.administration.declared.record import (
    Declared,
    declare_address,
    declare_attribute,
    declare_variable,
)
from hubconsole.environment import MASKED, mask_address


def read_database_address() -> str:
    """Return the address of the database in use, without secrets."""
    if address := os.environ.get("DATABASE_URL"):
        return mask_address(address)
    server = connection.settings_dict
    host, port, name = server["HOST"], server["PORT"], server["NAME"]
    if str(host).startswith("/"):  # the folder of a socket
        return f"postgresql:///{name}?host={host}&port={port}"
    return f"postgresql://{MASKED}@{host}:{port}/{name}"


SERVERS = (
    Declared(
        name="DATABASE_URL",
        read=read_database_address,
        is_in_file=True,
        meaning=(
            "the database, PostgreSQL 15 or newer; parameters such as `?sslmode=verify-full` also apply to"
            " the tasks of jobs; several servers with commas: [failover](../howto/database_failover.md);"
            " not a [pooler or a standby](../howto/attach.md#poolers-and-standbys)"
        ),
        default="an embedded PostgreSQL",
    ),
    declare_address(
        "HUBCONSOLE_SPARK_DATABASE_URL",
        meaning=(
            "the same database, for the tasks of jobs: [a separate"
            " role](../howto/deploy.md#1-database-roles-and-tls); `doctor` checks it"
        ),
        default="`DATABASE_URL`",
    ),
    declare_address(
        "HUBCONSOLE_OWNER_DATABASE_URL",
        meaning=(
            "the same database under the owner of a hub's tables, for the indexes and archive tables of"
            " [`attach`](../howto/attach.md) and `detach` only; do not set it for services"
        ),
        default="`DATABASE_URL`",
    ),
    declare_attribute(
        "HUBCONSOLE_DATABASE_ROLES",
        "DATABASE_ROLES",
        meaning=(
            "`one`: in [production](security.md#protection-in-production), one role may do the work of all"
            " parts; `doctor` fails otherwise"
        ),
    ),
    declare_attribute(
        "HUBCONSOLE_WITHOUT_TLS",
        "WITHOUT_TLS",
        meaning=(
            "connections to other machines that may be without TLS in"
            " [production](security.md#protection-in-production)"
        ),
    ),
    declare_address(
        "CELERY_BROKER_URL",
        "CELERY_BROKER_URL",
        meaning="Redis, Valkey or RabbitMQ",
        default="an embedded Valkey",
    ),
    declare_address(
        "SPARK_REMOTE",
        "SPARK_REMOTE",
        meaning="a Spark Connect server",
        default="an embedded server",
    ),
    declare_attribute(
        "SPARK_MASTER",
        "SPARK_MASTER",
        meaning="master of the embedded server",
        default="`local[*,4]`, with two slots more than cores; a failed task has four attempts",
    ),
    declare_attribute(
        "HUBCONSOLE_HOME",
        "HUBCONSOLE_HOME",
        meaning="embedded servers, exports, archive, logs",
        default=("`var` of a clone, otherwise `~/.local/share/hubconsole` ([install](../howto/install.md))"),
    ),
    declare_address(
        "HUBCONSOLE_ARCHIVE_URI",
        "HUBCONSOLE_ARCHIVE_URI",
        meaning=(
            "the Parquet archive: a path, a [bucket](../howto/object_store.md) as `s3://bucket/prefix`, or"
            " another address that Arrow can write"
        ),
        default="`archive` in `HUBCONSOLE_HOME`",
    ),
    declare_address(
        "HUBCONSOLE_ARCHIVE_FORMER_URI",
        "ARCHIVE_FORMER_URI",
        meaning=(
            "the address from which [`move_archive`](../howto/object_store.md#move-an-archive) moves the"
            " archive"
        ),
    ),
    declare_address(
        "HUBCONSOLE_EXPORT_URI",
        "EXPORT_URI",
        meaning=(
            "the files of exports: a path that executors and the console share, or a"
            " [bucket](../howto/object_store.md)"
        ),
        default="`exports` in `HUBCONSOLE_HOME`",
    ),
    declare_address(
        "HUBCONSOLE_S3_ENDPOINT",
        "S3_ENDPOINT",
        meaning="address of an S3 store",
        default="Amazon's",
    ),
    declare_attribute(
        "HUBCONSOLE_S3_ENCRYPTION",
        "S3_ENCRYPTION",
        meaning="encryption of new files: `bucket` is the setting of the bucket; `aws:kms` needs a key",
    ),
    declare_attribute(
        "HUBCONSOLE_S3_KMS_KEY",
        "S3_KMS_KEY",
        meaning="the key for `aws:kms`",
    ),
    declare_attribute(
        "HUBCONSOLE_ERASED_LIST",
        "ERASED_LIST",
        meaning="the list of [erased rows](../howto/erase_a_subject.md), for restored backups",
        default="`erased.jsonl` in `HUBCONSOLE_HOME`",
    ),
    declare_attribute(
        "HUBCONSOLE_ARCHIVED_TABLES",
        "ARCHIVED_TABLES",
        meaning="[the tables](archive.md#archived-tables) of an archive job",
    ),
    Declared(
        name="HUBCONSOLE_UMASK",
        read=lambda: os.environ.get("HUBCONSOLE_UMASK") or "077",
        meaning=(
            "[modes of all files](security.md#files-and-other-users-of-the-machine) that the console"
            " writes; another value, such as `027`, must give other users no access"
        ),
    ),
    Declared(
        name="HUBCONSOLE_LOG_FORMAT",
        read=lambda: os.environ.get("HUBCONSOLE_LOG_FORMAT") or "text",
        meaning=(
            "`json`: one object a line, with `time`, `level`, `logger`, `process`, `message`, `exception`,"
            " and with [telemetry](../howto/opentelemetry.md) `trace_id` and `span_id`"
        ),
    ),
    declare_variable(
        "HUBCONSOLE_PULSE_FILE",
        meaning=(
            "a file whose time is renewed every few seconds by a worker that is connected to the broker,"
            " and by beat: for [probes](../howto/kubernetes.md#probes)"
        ),
        values="path",
    ),
    declare_address(
        "OTEL_EXPORTER_OTLP_ENDPOINT",
        meaning=(
            "address of a collector, for [traces and metrics](../howto/opentelemetry.md) by OTLP over HTTP;"
            " needs the extra `otel`"
        ),
        values="address",
    ),
    declare_address(
        "HUBCONSOLE_AUDIT_STREAM",
        meaning=(
            "the receiver of [each entry of the audit log](../howto/stream_the_audit_log.md):"
            " `syslog+tls://host:port`, `syslog+tcp://`, `syslog+udp://` or `https://`"
        ),
    ),
)
