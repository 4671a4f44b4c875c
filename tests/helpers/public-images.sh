#!/bin/sh
# The entry point of the stand-ins for public images: the part of theirs that compose.yaml uses.
set -eu
if [ "$1" = postgres ]; then
  shift
  export PGDATA=/var/lib/postgresql/18/docker
  as_postgres='setpriv --reuid postgres --regid postgres --clear-groups'
  mkdir -p "$PGDATA"
  chown -R postgres:postgres /var/lib/postgresql
  if [ ! -e "$PGDATA/PG_VERSION" ]; then
    echo "$POSTGRES_PASSWORD" >/tmp/password
    $as_postgres initdb --username=postgres --pwfile=/tmp/password --auth=scram-sha-256 --encoding=UTF8 --locale=C.UTF-8
    echo 'host all all all scram-sha-256' >>"$PGDATA/pg_hba.conf"
    echo "CREATE DATABASE $POSTGRES_DB" | $as_postgres postgres --single postgres
  fi
  exec $as_postgres postgres -c listen_addresses='*' "$@"
fi
exec "$@"
