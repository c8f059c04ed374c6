#!/bin/sh
# The entry of the official image of PostgreSQL, as far as compose.yaml uses it, for Debian's packages.
set -eu
export PATH=/usr/lib/postgresql/15/bin:/usr/sbin:/usr/bin:/sbin:/bin PGDATA=/var/lib/postgresql/data
mkdir -p "$PGDATA" /run/postgresql; chown postgres: /var/lib/postgresql "$PGDATA" /run/postgresql
if [ ! -s "$PGDATA/PG_VERSION" ]; then
  runuser -u postgres -- initdb --auth-host=scram-sha-256 --auth-local=trust --encoding=UTF8 --locale=C.UTF-8 >/dev/null
  echo "host all all all scram-sha-256" >> "$PGDATA/pg_hba.conf"
  runuser -u postgres -- pg_ctl -w -o "-c listen_addresses=''" start >/dev/null
  for each in /docker-entrypoint-initdb.d/*.sh; do runuser -u postgres -- "$each"; done
  runuser -u postgres -- pg_ctl -w stop >/dev/null
fi
exec runuser -u postgres -- postgres -c listen_addresses='*'
