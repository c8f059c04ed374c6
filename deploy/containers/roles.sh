#!/bin/sh
# Makes the database and a role for each part of the console when the database server starts for the first time.
# Source: docs/howto/deploy.md, "1. Database roles, and TLS".
set -eu
psql --set ON_ERROR_STOP=1 --username postgres \
  --set owner="$OWNER_PASSWORD" --set web="$WEB_PASSWORD" --set worker="$WORKER_PASSWORD" \
  --set spark="$SPARK_PASSWORD" --set erase="$ERASE_PASSWORD" <<'SQL'
CREATE ROLE hubconsole_owner LOGIN PASSWORD :'owner';
CREATE ROLE hubconsole_web LOGIN PASSWORD :'web';
CREATE ROLE hubconsole_worker LOGIN PASSWORD :'worker';
CREATE ROLE hubconsole_spark LOGIN PASSWORD :'spark';
CREATE ROLE hubconsole_erase LOGIN PASSWORD :'erase';
CREATE DATABASE hubconsole OWNER hubconsole_owner;
REVOKE TEMPORARY ON DATABASE hubconsole FROM PUBLIC;
GRANT SET ON PARAMETER session_replication_role TO hubconsole_spark;
SQL
