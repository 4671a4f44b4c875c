# shellcheck shell=bash
# Passwords come from the environment, else from the machine's file; for a new database they are generated; sourced.

secrets_file=/etc/catalog/secrets.env

secret_in_file() {
  if [[ -f $secrets_file ]]; then sed -n "s/^$1=//p" "$secrets_file" | tail -n 1; fi
}

# A password is part of PostgreSQL's URL and of Redis' configuration, where no character may need quotes.
require_plain() {
  [[ ${!1} =~ ^[A-Za-z0-9._~-]{16,}$ ]] ||
    fail "$1 must have 16 or more characters of A-Z a-z 0-9 . _ ~ -: generate one with openssl rand -hex 24"
}

# missing_secret NAME: prints what to do
missing_secret() {
  if [[ $rule == in-use ]]; then
    echo "clients of the database use this password, and a new one would lock them out. Copy it from another node's file, or put a new one before this command ($1=...) and rotate it (scripts/runbook/rotate-a-secret.md)"
  else
    echo "copy that file from the database's node"
  fi
}

# use_secrets may-generate|in-use|must-exist NAME…: exports them, and writes only those of this role to the file
use_secrets() {
  local rule=$1 name text='# Passwords of this node, written by scripts/provision/node.sh.'
  shift
  for name in "$@"; do
    [[ -n ${!name:-} ]] || printf -v "$name" '%s' "$(secret_in_file "$name")"
    if [[ -z ${!name} ]]; then
      [[ $rule == may-generate ]] ||
        fail "$name is in neither the environment nor $secrets_file: $(missing_secret "$name")"
      printf -v "$name" '%s' "$(od -An -N24 -tx1 /dev/urandom | tr -d ' \n')"
    fi
    require_plain "$name"
    export "${name?}"
    text+=$'\n'"$name=${!name}"
  done
  if (($# > 0)); then ensure_file "$secrets_file" 600 root:root "$text"; fi
}

# Whether workers, replicas or a loader may use the passwords of this database. A cluster with our settings that does not
# answer counts as used.
passwords_in_use() {
  if database_answers; then
    [[ $(as_postgres psql -X -At -d postgres -c "SELECT 1 FROM pg_roles WHERE rolname = 'catalog_api'") == 1 ]]
  else
    compgen -G '/etc/postgresql/*/main/conf.d/catalog.conf' >/dev/null
  fi
}

role_secrets() {
  local rule=may-generate
  case $role in
    db | all)
      # A replica has all of them too: otherwise it would generate new ones once it is the primary, and lock the workers out.
      if [[ -n $replica_of ]]; then rule=must-exist; elif passwords_in_use; then rule=in-use; fi
      use_secrets "$rule" API_PASSWORD LOADER_PASSWORD REPLICA_PASSWORD REDIS_PASSWORD
      ;;
    cache) use_secrets must-exist REDIS_PASSWORD ;;
    app) if [[ -n $cache ]]; then use_secrets must-exist API_PASSWORD REDIS_PASSWORD; else use_secrets must-exist API_PASSWORD; fi ;;
    lb) ;;
  esac
}
