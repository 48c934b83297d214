#!/usr/bin/env bash
# A throw-away PostgreSQL cluster on loopback for the tests of internal/history.
#
#   eval "$(.ci/postgres.sh start)"   # installs if missing; exports GPUCOST_TEST_POSTGRES
#   .ci/postgres.sh stop              # stops it and removes its files
#
# PostgreSQL refuses to run as root, so root starts it as postgres or nobody.
set -euo pipefail

log() { echo "postgres.sh: $*" >&2; }

bindir() {
  local dir
  for dir in $(ls -d /usr/lib/postgresql/*/bin 2>/dev/null | sort -rV); do
    [ -x "$dir/initdb" ] && { echo "$dir"; return; }
  done
  dir=$(command -v initdb) && dirname "$dir"
}

install() {
  log "installing"
  apt-get update -qq >&2
  DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends postgresql >&2
}

# as runs a command as a user that PostgreSQL accepts.
as() {
  if [ "$(id -u)" -ne 0 ]; then "$@"; return; fi
  local user=nobody
  id postgres >/dev/null 2>&1 && user=postgres
  (cd / && runuser -u "$user" -- "$@")
}

start() {
  bindir >/dev/null || install
  local bin dir password port
  bin=$(bindir)
  dir=$(as mktemp -d "${TMPDIR:-/tmp}/gpucost-postgres.XXXXXX")
  password=$(od -An -N16 -tx1 /dev/urandom | tr -d ' \n')
  as sh -c "umask 077; printf %s '$password' > '$dir/password'"
  as "$bin/initdb" -D "$dir/data" -U gpucost -E UTF8 --locale=C --auth=scram-sha-256 --pwfile="$dir/password" >"/dev/null"
  for _ in $(seq 20); do
    port=$((20000 + RANDOM % 40000))
    if as "$bin/pg_ctl" -D "$dir/data" -w -t 60 -l "$dir/log" \
      -o "-c listen_addresses=127.0.0.1 -c port=$port -c unix_socket_directories=$dir -c shared_buffers=256MB -c max_wal_size=2GB" start >/dev/null; then
      echo "export GPUCOST_TEST_POSTGRES='postgres://gpucost:$password@127.0.0.1:$port/postgres?sslmode=disable'"
      echo "export GPUCOST_TEST_POSTGRES_DIR='$dir'"
      log "started on 127.0.0.1:$port, files in $dir"
      return
    fi
  done
  cat "$dir/log" >&2
  log "could not start"
  return 1
}

stop() {
  local dir=${GPUCOST_TEST_POSTGRES_DIR:?not started by this script}
  as "$(bindir)/pg_ctl" -D "$dir/data" -m immediate stop >/dev/null || true
  case "$dir" in */gpucost-postgres.*) rm -rf "$dir" ;; esac
}

case "${1:-}" in
start | stop) "$1" ;;
*) log "usage: postgres.sh start|stop"; exit 2 ;;
esac
