#!/usr/bin/env bash
# A Citus cluster on this machine, of PostgreSQL's own tools alone, to rehearse what docs/scaling.md says: nodes that
# identify themselves by passwords, standbys, a fail-over, and a restore of all nodes to one moment.
#
#   citus-cluster.sh start DIR [WORKERS]     a coordinator and workers (2), each with an archive of its log; DIR is made
#   citus-cluster.sh stop DIR                stops all nodes; the data stays
#   citus-cluster.sh database DIR NAME       a database of the role svc on every node, with the extension and its nodes
#   citus-cluster.sh add DIR NAME            one more worker, which the databases named take in
#   citus-cluster.sh standby DIR NODE        a standby of a node
#   citus-cluster.sh fail-over DIR NODE NAME...  kills a node; its standby takes its place in the databases named
#   citus-cluster.sh backup DIR              a base backup of every node
#   citus-cluster.sh restore DIR POINT       stops all nodes, and starts their backups, as they were at a restore point
#
# Nodes are n0, the coordinator, n1, n2 and so on; ports count up from BASE_PORT (7600), those of standbys 50 above. As
# root, everything runs as RUN_AS (postgres).
set -euo pipefail
umask 077

command=${1:-}
directory=${2:-}
base=${BASE_PORT:-7600}
user=${RUN_AS:-postgres}
host=127.0.0.1
standby_ports=50

fail() {
  echo "citus-cluster: $*" >&2
  exit 1
}
case $command in
start | stop | database | add | standby | fail-over | backup | restore) ;;
*) fail "start, stop, database, add, standby, fail-over, backup or restore, not '$command'" ;;
esac
[ -n "$directory" ] || fail 'name a folder'
[ "$command" = start ] || [ -f "$directory/pgpass" ] || fail "there is no cluster in $directory"
PATH=$(ls -d /usr/lib/postgresql/*/bin 2>/dev/null | sort -V | tail -1):$PATH
for program in psql pg_ctl pg_basebackup; do command -v "$program" >/dev/null || fail "$program is missing"; done
[ -f "$(pg_config --pkglibdir)/citus.so" ] || fail 'the extension citus is missing'

# The servers find in the file of PGPASSFILE by which passwords they reach each other.
as() {
  local by=()
  if [ "$(id -u)" -eq 0 ]; then by=(setpriv --reuid="$user" --regid="$(id -g "$user")" --clear-groups --); fi
  (cd / && "${by[@]}" env HOME="$directory" PGPASSFILE="$directory/pgpass" "$@")
}
sql() {
  local node=$1 database=$2
  shift 2
  as psql -qXAt -v ON_ERROR_STOP=1 -h $host -p "$(port_of "$node")" -U postgres -d "$database" "$@"
}
port_of() { sed -n "s/^port = '\{0,1\}\([0-9]*\).*/\1/p" "$directory/$1/postgresql.auto.conf" | tail -1; }
# Whoever is not a standby, or was one: n1-standby may have taken the place of n1.
nodes() { for each in "$directory"/n[0-9]*/; do [ -f "$each/standby.signal" ] || basename "$each"; done; }
postgres_of() { as pg_ctl -s -w -D "$directory/$1" -l "$directory/$1.log" "${@:2}"; }

create_node() {
  local node=$1
  as initdb -D "$directory/$node" -A scram-sha-256 -U postgres --pwfile="$directory/password" -E UTF8 --locale=C >/dev/null
  as mkdir -p "$directory/archive/$node"
  as tee -a "$directory/$node/postgresql.auto.conf" >/dev/null <<CONF
port = $((base + ${node#n}))
listen_addresses = '$host'
unix_socket_directories = ''
shared_preload_libraries = 'citus'
wal_level = logical
max_connections = 200
max_prepared_transactions = 200
max_worker_processes = 32
shared_buffers = 32MB
archive_mode = on
archive_command = 'cp %p $directory/archive/$node/%f'
citus.enable_statistics_collection = off
CONF
  postgres_of "$node" start
  # Newer minor versions copy rows of a shard only by a plugin that is named here.
  if [ "$(sql "$node" postgres -c "SELECT count(*) FROM pg_settings WHERE name = 'output_plugin_libraries'")" = 1 ]; then
    sql "$node" postgres -c "ALTER SYSTEM SET output_plugin_libraries = 'pgoutput', 'test_decoding', 'citus'" \
      -c 'SELECT pg_reload_conf()' >/dev/null
  fi
  sql "$node" postgres -c "CREATE ROLE svc LOGIN PASSWORD '$(cat "$directory/password")'"
}

start() {
  local workers=${1:-2} n
  mkdir -p "$directory"
  if [ ! -f "$directory/pgpass" ]; then
    head -c 24 /dev/urandom | base64 | tr '+/' '-_' >"$directory/password"
    echo "*:*:*:*:$(cat "$directory/password")" >"$directory/pgpass"
  fi
  if [ "$(id -u)" -eq 0 ]; then chown "$user" "$directory" "$directory"/p*; fi
  for ((n = 0; n <= workers; n++)); do [ -d "$directory/n$n" ] || create_node "n$n"; done
  for n in $(nodes); do postgres_of "$n" status >/dev/null || postgres_of "$n" start; done
}

stop() {
  local each
  for each in "$directory"/n[0-9]*/postmaster.pid; do
    if [ -f "$each" ]; then postgres_of "$(basename "$(dirname "$each")")" -m fast stop; fi
  done
}

create_database() {
  local node=$1 name=$2
  sql "$node" postgres -c "CREATE DATABASE \"$name\" OWNER svc TEMPLATE template0"
  sql "$node" "$name" -c 'CREATE EXTENSION citus'
}

database() {
  local name=$1 node
  for node in $(nodes); do create_database "$node" "$name"; done
  sql n0 "$name" -c "SELECT citus_set_coordinator_host('$host', $(port_of n0))" >/dev/null
  for node in $(nodes); do [ "$node" = n0 ] || add_to "$node" "$name"; done
  echo "postgresql://svc:$(cat "$directory/password")@$host:$(port_of n0)/$name"
}
add_to() { sql n0 "$2" -c "SELECT citus_add_node('$host', $(port_of "$1"))" >/dev/null; }

add() {
  local node name
  node=n$(nodes | wc -l)
  create_node "$node"
  for name in "$@"; do
    create_database "$node" "$name"
    add_to "$node" "$name"
  done
}

standby() {
  local node=$1 copy=$1-standby
  as pg_basebackup -R -c fast -h $host -p "$(port_of "$node")" -U postgres -D "$directory/$copy"
  echo "port = $(($(port_of "$node") + standby_ports))" | as tee -a "$directory/$copy/postgresql.auto.conf" >/dev/null
  postgres_of "$copy" start
}

fail_over() {
  local node=$1 name port
  shift
  port=$(port_of "$node")
  postgres_of "$node" -m immediate stop
  as mv "$directory/$node" "$directory/lost-$node"
  postgres_of "$node-standby" promote
  for name in "$@"; do
    sql n0 "$name" -c "SELECT citus_update_node(nodeid, '$host', $(port_of "$node-standby"), true, 1000)
                         FROM pg_dist_node WHERE nodeport = $port" >/dev/null
  done
}

backup() {
  local node
  as mkdir -p "$directory/backup"
  for node in $(nodes); do
    as pg_basebackup -c fast -X none -h $host -p "$(port_of "$node")" -U postgres -D "$directory/backup/$node"
  done
}

restore() {
  local point=$1 node
  [ -d "$directory/backup" ] || fail 'there is no backup'
  stop
  for node in $(nodes); do
    as rm -rf "${directory:?}/$node"
    as cp -r "$directory/backup/$node" "$directory/$node"
    as tee -a "$directory/$node/postgresql.auto.conf" >/dev/null <<CONF
restore_command = 'cp $directory/archive/${node%-standby}/%f %p'
recovery_target_name = '$point'
recovery_target_action = 'promote'
CONF
    as touch "$directory/$node/recovery.signal"
    postgres_of "$node" start
  done
}

shift 2
case $command in
fail-over) fail_over "$@" ;;
*) "$command" "$@" ;;
esac
