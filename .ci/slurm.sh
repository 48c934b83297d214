#!/usr/bin/env bash
# A throw-away Slurm cluster on loopback for the tests of tools/engines: one node
# that runs jobs, whose eight GPUs are empty files, and 303 that never wake up,
# for sbatch to place large jobs on. It trusts every local user.
#
#   eval "$(.ci/slurm.sh start)"   # installs if missing; exports SLURM_CONF, GPUCOST_TEST_SLURM_DIR
#   .ci/slurm.sh stop              # stops it and removes its files
set -euo pipefail

log() { echo "slurm.sh: $*" >&2; }

install() {
  log "installing"
  apt-get update -qq >&2
  DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends slurm-wlm >&2
}

configure() {
  local dir=$1 port=$2 user
  user=$(id -un)
  mkdir "$dir/state" "$dir/spool"
  touch "$dir"/gpu{0..7}
  cat >"$dir/gres.conf" <<EOF
NodeName=run Name=gpu File=$dir/gpu[0-7]
EOF
  cat >"$dir/slurm.conf" <<EOF
ClusterName=gpucost
SlurmctldHost=localhost(127.0.0.1)
SlurmctldPort=$port
SlurmdPort=$((port + 1))
CommunicationParameters=NoInAddrAny,NoCtldInAddrAny
SlurmUser=$user
SlurmdUser=$user
AuthType=auth/none
CredType=cred/none
MpiDefault=none
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SwitchType=switch/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU_Memory
StateSaveLocation=$dir/state
SlurmdSpoolDir=$dir/spool
SlurmctldPidFile=$dir/slurmctld.pid
SlurmdPidFile=$dir/slurmd.pid
SlurmctldLogFile=$dir/slurmctld.log
SlurmdLogFile=$dir/slurmd.log
SlurmdParameters=config_overrides
SuspendProgram=/bin/true
ResumeProgram=/bin/true
SuspendTime=-1
GresTypes=gpu
NodeName=run NodeHostname=localhost NodeAddr=127.0.0.1 CPUs=128 RealMemory=1000000 Gres=gpu:8
NodeName=eight[1-299] State=CLOUD CPUs=128 RealMemory=1000000 Gres=gpu:8
NodeName=sixteen[1-4] State=CLOUD CPUs=128 RealMemory=1000000 Gres=gpu:16
PartitionName=gpu Nodes=ALL Default=YES MaxTime=INFINITE State=UP
EOF
}

start() {
  command -v slurmctld >/dev/null && command -v slurmd >/dev/null && command -v sbatch >/dev/null || install
  local dir
  dir=$(mktemp -d "${TMPDIR:-/tmp}/gpucost-slurm.XXXXXX")
  configure "$dir" $((20000 + RANDOM % 20000))
  export SLURM_CONF=$dir/slurm.conf
  slurmctld -f "$SLURM_CONF" >&2 && slurmd -N run -f "$SLURM_CONF" >&2 || true
  for _ in $(seq 30); do
    if [ "$(timeout 5 sinfo -h -n run -o %T 2>/dev/null)" = idle ]; then
      echo "export SLURM_CONF='$SLURM_CONF' GPUCOST_TEST_SLURM_DIR='$dir'"
      log "$(sbatch --version) started on loopback, files in $dir"
      return
    fi
    sleep 1
  done
  cat "$dir"/*.log >&2
  log "could not start"
  GPUCOST_TEST_SLURM_DIR=$dir stop
  return 1
}

stop() {
  local dir=${GPUCOST_TEST_SLURM_DIR:?not started by this script} pid
  for pid in "$dir"/slurmd.pid "$dir"/slurmctld.pid; do
    if [ -f "$pid" ]; then kill "$(cat "$pid")" || true; fi
  done
  for _ in $(seq 20); do
    [ -f "$dir/slurmd.pid" ] || [ -f "$dir/slurmctld.pid" ] || break
    sleep 0.5
  done
  case "$dir" in */gpucost-slurm.*) rm -rf "$dir" ;; esac
}

case "${1:-}" in
start | stop) "$1" ;;
*) log "usage: slurm.sh start|stop"; exit 2 ;;
esac
