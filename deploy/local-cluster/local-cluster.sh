#!/usr/bin/env bash
# A whole deployment on this machine: PostgreSQL on two nodes of Patroni, of which one is the synchronous standby, etcd,
# HAProxy before both the database and the API, and three processes of the service.
#
#   local-cluster.sh start [DIR]            starts it, and says where it answers; DIR is made if need be
#   local-cluster.sh stop DIR               stops it; the data stays
#   local-cluster.sh start|stop DIR NAME    one part of it: etcd, patroni-a, patroni-b, haproxy, svc-1, svc-2, svc-3
#
# Ports count up from BASE_PORT (7400). As root, everything runs as RUN_AS (postgres). The service is that of this folder,
# or of SVC_ROOT. Logs and process ids are in DIR.
set -euo pipefail
umask 077

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
command=${1:-}
directory=${2:-}
part=${3:-}
base=${BASE_PORT:-7400}
user=${RUN_AS:-postgres}
patience=120

etcd_port=$base etcd_peer_port=$((base + 1))
postgres_ports=([0]=$((base + 10)) [1]=$((base + 11)))
patroni_ports=([0]=$((base + 20)) [1]=$((base + 21)))
primary_port=$((base + 30)) replica_port=$((base + 31)) api_port=$((base + 40))
service_port() { echo $((base + 50 + $1)); }

fail() {
  echo "local-cluster: $*" >&2
  exit 1
}
case $command in start | stop) ;; *) fail "start or stop, not '$command'" ;; esac
if [ "$command" = start ] && [ -z "$directory" ]; then directory=$(mktemp -d -t svc-cluster-XXXXXX); fi
if [ "$command" = stop ] && [ ! -d "$directory/pid" ]; then fail "there is no cluster in ${directory:-no folder}"; fi
PATH=$(ls -d /usr/lib/postgresql/*/bin 2>/dev/null | sort -V | tail -1):$PATH:/usr/sbin
for program in patroni etcd haproxy psql postgres; do
  command -v "$program" >/dev/null || fail "$program is missing: run deploy/local-cluster/install.sh"
done

# Becomes the program, so that the id of the shell is that of the program.
become() {
  if [ "$(id -u)" -ne 0 ]; then exec "$@"; fi
  exec setpriv --reuid="$user" --regid="$(id -g "$user")" --clear-groups -- "$@"
}
# Whether the process of a part runs: ids are used again, so its start is compared too.
started_at() { awk '{ sub(/.*\) /, ""); print $20 }' "/proc/$1/stat" 2>/dev/null || true; }
running() {
  local pid start
  read -r pid start 2>/dev/null <"$directory/pid/$1" || return 1
  [ -n "$start" ] && [ "$(started_at "$pid")" = "$start" ]
}
until_true() {
  local what=$1 end=$((SECONDS + patience))
  shift
  until "$@" >/dev/null 2>&1; do
    [ $SECONDS -lt $end ] || fail "$what takes longer than $patience s: see $directory/log"
    sleep 0.1
  done
}
# Runs in the background what the arguments say, as a part with this name.
launch() {
  local name=$1
  shift
  if running "$name"; then return; fi
  (become "$@") >>"$directory/log/$name.log" 2>&1 </dev/null &
  echo "$! $(started_at $!)" >"$directory/pid/$name"
  disown
}
# Asks a part to stop and waits for it; children of Patroni and HAProxy end with them.
halt() {
  local name=$1 pid _
  if running "$name"; then
    read -r pid _ <"$directory/pid/$name"
    kill -TERM "$pid"
    until_true "the end of $name" not_running "$name"
  fi
  rm -f "$directory/pid/$name"
}
not_running() { ! running "$1"; }
# In shells of their own, because a refused connection ends the shell.
answers() (exec 3<>"/dev/tcp/127.0.0.1/$1")
http() (
  exec 3<>"/dev/tcp/127.0.0.1/$1"
  printf 'GET %s HTTP/1.0\r\n\r\n' "$2" >&3
  read -r _ status _ <&3
  [ "$status" = 200 ]
)

password() {
  local file="$directory/secret/$1"
  # The names of files are those of roles; base64 without what a URL would need to escape.
  [ -s "$file" ] || head -c 24 /dev/urandom | base64 | tr '+/' '-_' >"$file"
  cat "$file"
}
url() { echo "postgresql://svc:$(password svc)@127.0.0.1:$1/svc"; }
as_superuser() { PGPASSWORD=$(password postgres) psql -qAt -v ON_ERROR_STOP=1 -h 127.0.0.1 -p "$primary_port" -U postgres "$@"; }

write_patroni() {
  local name=$1 index=$2
  cat >"$directory/patroni-$name.yml" <<YAML
scope: svc
name: $name
restapi: { listen: "127.0.0.1:${patroni_ports[$index]}", connect_address: "127.0.0.1:${patroni_ports[$index]}" }
etcd3: { hosts: "127.0.0.1:$etcd_port" }
bootstrap:
  dcs:
    # A node that is lost with its Patroni is replaced after ttl; a PostgreSQL that crashes, at once.
    ttl: 20
    loop_wait: 1
    retry_timeout: 3
    primary_start_timeout: 0
    # Only a standby that has every acknowledged commit becomes primary.
    synchronous_mode: true
    postgresql:
      use_pg_rewind: true
      parameters: { max_connections: 100, shared_buffers: 64MB, hot_standby_feedback: "on", synchronous_commit: "on" }
  initdb: [{ encoding: UTF8 }, { locale: C }, data-checksums]
postgresql:
  listen: "127.0.0.1:${postgres_ports[$index]}"
  connect_address: "127.0.0.1:${postgres_ports[$index]}"
  data_dir: "$directory/data-$name"
  bin_dir: "$(dirname "$(command -v postgres)")"
  pgpass: "$directory/secret/pgpass-$name"
  authentication:
    superuser: { username: postgres, password: "$(password postgres)" }
    replication: { username: replicator, password: "$(password replicator)" }
  parameters: { unix_socket_directories: "" }
  basebackup: [{ checkpoint: fast }]
  pg_hba:
    - host replication replicator 127.0.0.1/32 scram-sha-256
    - host all all 127.0.0.1/32 scram-sha-256
YAML
}

write_haproxy() {
  cat >"$directory/haproxy.cfg" <<CFG
global
  maxconn 4096
defaults
  timeout connect 1s
  # A server that refuses a connection is the wrong one: whoever connects tries again, instead of waiting here for a second
  # before each repetition, and past the moment when the right one is known.
  retries 0
  timeout client 1h
  timeout server 1h
  timeout check 2s
  default-server inter 200ms fastinter 100ms fall 2 rise 1

# Whichever node is the primary, as Patroni says; sessions of one that no longer is are cut.
listen primary
  mode tcp
  bind 127.0.0.1:$primary_port
  option httpchk OPTIONS /primary
  server a 127.0.0.1:${postgres_ports[0]} check port ${patroni_ports[0]} on-marked-down shutdown-sessions
  server b 127.0.0.1:${postgres_ports[1]} check port ${patroni_ports[1]} on-marked-down shutdown-sessions

listen replica
  mode tcp
  bind 127.0.0.1:$replica_port
  option httpchk OPTIONS /replica
  server a 127.0.0.1:${postgres_ports[0]} check port ${patroni_ports[0]} on-marked-down shutdown-sessions
  server b 127.0.0.1:${postgres_ports[1]} check port ${patroni_ports[1]} on-marked-down shutdown-sessions

listen api
  mode http
  bind 127.0.0.1:$api_port
  option httpchk GET /readyz
  option http-keep-alive
  # A process that does not accept the connection has not seen the request: another one can have it.
  option redispatch 1
  retries 3
  retry-on conn-failure
  # What HAProxy says while no process is ready has the form of the service's own answers.
  http-error status 503 content-type application/json string '{"code":"unavailable","message":"no server is ready; try again"}' hdr retry-after 1
  # Together shorter than DRAIN_SECONDS.
  default-server inter 200ms fall 2 rise 1
$(for n in 1 2 3; do echo "  server svc-$n 127.0.0.1:$(service_port $n) check"; done)
CFG
}

start_part() {
  local name=$1
  case $name in
    etcd)
      launch etcd etcd --name local --data-dir "$directory/etcd" --logger zap --log-level error \
        --listen-client-urls "http://127.0.0.1:$etcd_port" --advertise-client-urls "http://127.0.0.1:$etcd_port" \
        --listen-peer-urls "http://127.0.0.1:$etcd_peer_port" \
        --initial-advertise-peer-urls "http://127.0.0.1:$etcd_peer_port" \
        --initial-cluster "local=http://127.0.0.1:$etcd_peer_port"
      until_true etcd http "$etcd_port" /health
      ;;
    patroni-*)
      launch "$name" patroni "$directory/$name.yml"
      ;;
    haproxy)
      launch haproxy haproxy -db -f "$directory/haproxy.cfg"
      until_true haproxy answers "$primary_port"
      ;;
    svc-[123])
      launch "$name" env DATABASE_URL="$(url "$primary_port")" DATABASE_REPLICA_URL="$(url "$replica_port")" \
        PORT="$(service_port "${name#svc-}")" DRAIN_SECONDS="${DRAIN_SECONDS:-2}" TRUST_PROXY=127.0.0.1/32 \
        node "${SVC_ROOT:-$root}/bin/svc.mjs" serve --no-demo
      until_true "$name" http "$(service_port "${name#svc-}")" /readyz
      ;;
    *) fail "there is no part $name" ;;
  esac
}

start_all() {
  [ -f "${SVC_ROOT:-$root}/dist/build.json" ] || fail 'the service is not built: run npm run build'
  mkdir -p "$directory"/{log,pid,secret}
  chmod 700 "$directory" "$directory/secret"
  for role in postgres replicator svc; do password "$role" >/dev/null; done
  write_patroni a 0
  write_patroni b 1
  write_haproxy
  if [ "$(id -u)" -eq 0 ]; then chown -R "$user" "$directory"; fi
  start_part etcd
  start_part patroni-a
  until_true 'the first node' http "${patroni_ports[0]}" /health
  start_part patroni-b
  start_part haproxy
  until_true 'the primary' as_superuser -d postgres -c 'SELECT'
  # pg_read_all_stats lets the service see that a standby follows a new primary.
  until_true 'the role of the service' as_superuser -d postgres -c "DO \$\$ BEGIN
    CREATE ROLE svc LOGIN PASSWORD '$(password svc)' IN ROLE pg_read_all_stats;
  EXCEPTION WHEN duplicate_object THEN NULL; END \$\$"
  until_true 'the database' has_database
  until_true 'the synchronous standby' has_standby
  for n in 1 2 3; do start_part "svc-$n"; done
  until_true 'the API' http "$api_port" /readyz
  cat <<TEXT
The API is at http://127.0.0.1:$api_port, its processes at $(for n in 1 2 3; do printf '%s ' "$(service_port $n)"; done)
The primary: $(url "$primary_port")
The standby: $(url "$replica_port")
Stop it with: $0 stop $directory
TEXT
}
has_database() {
  [ "$(as_superuser -d postgres -c "SELECT count(*) FROM pg_database WHERE datname = 'svc'")" = 1 ] ||
    as_superuser -d postgres -c 'CREATE DATABASE svc OWNER svc'
}
has_standby() { [ "$(as_superuser -d postgres -c "SELECT count(*) FROM pg_stat_replication WHERE sync_state = 'sync'")" = 1 ]; }

if [ "$command" = start ]; then
  if [ -n "$part" ]; then start_part "$part"; else start_all; fi
else
  if [ -n "$part" ]; then
    halt "$part"
  else
    for each in svc-1 svc-2 svc-3 haproxy patroni-b patroni-a etcd; do halt "$each"; done
  fi
fi
