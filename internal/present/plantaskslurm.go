package present

import (
	"fmt"
	"math"
	"strings"
)

// slurm is a batch script: a minute or more before its end, or when it is to
// make room, the job is told to save, and goes back to the queue.
func (t Task) slurm() []byte {
	x := t.Plan.Chosen
	var b strings.Builder
	b.WriteString("#!/bin/bash\n" + t.comments([]string{
		t.Lang.T("task.keep", t.Lang.T("task.keep.slurm")), t.Lang.T("task.type.slurm", x.GPUName, perNode(x)), t.Lang.T("task.launch", "sbatch task.sh"),
	}))
	for _, s := range t.sbatch() {
		b.WriteString("#SBATCH --" + s + "\n")
	}
	b.WriteString("\n")
	for _, e := range t.environment() {
		b.WriteString("export " + e.key + "=" + shellWord(fmt.Sprint(e.value)) + "\n")
	}
	work := direct(t.Run)
	if x.Instances > 1 {
		b.WriteString(`export MASTER_ADDR="$(scontrol show hostnames "$SLURM_JOB_NODELIST" | head -n 1)" NNODES="$SLURM_JOB_NUM_NODES"` + "\n")
		work = `export NODE_RANK="$SLURM_NODEID"; ` + work
	}
	b.WriteString("\nsrun --cpu-bind=none bash -c " + shellWord(work) + " &\nwork=$!\n" +
		"trap 'kill -USR1 \"$work\"; wait \"$work\"; scontrol requeue \"$SLURM_JOB_ID\"' USR1\n" +
		"wait \"$work\"\n")
	return []byte(b.String())
}

// sbatch are the options of the job. Its time is that of the slow case: Slurm
// fits short jobs in sooner, and what is not done by then goes on afterwards.
// Without a word about processors a job gets one; whole machines are taken
// whole.
func (t Task) sbatch() []string {
	x := t.Plan.Chosen
	hours := t.slowHours()
	if d := t.Answer.Scenario.Deadline.V; d > 0 {
		hours = min(hours, d)
	}
	all := int64(math.Ceil(hours*60)) * 60 // Slurm counts minutes
	out := []string{"job-name=" + t.name()}
	if t.Queue != "" {
		out = append(out, "partition="+t.Queue)
	}
	out = append(out, fmt.Sprintf("nodes=%d", x.Instances), "ntasks-per-node=1", fmt.Sprintf("gpus-per-node=%d", perNode(x)))
	if perNode(x) >= wholeMachine || x.Instances > 1 {
		out = append(out, "exclusive", "mem=0")
	} else {
		out = append(out, fmt.Sprintf("cpus-per-task=%d", cpusPerGPU*perNode(x)))
	}
	return append(out, fmt.Sprintf("time=%d-%02d:%02d:00", all/86400, all/3600%24, all/60%60),
		"requeue", "open-mode=append", fmt.Sprintf("signal=B:USR1@%d", min(urgentSeconds(x), maxSignalSeconds)))
}

const (
	wholeMachine     = 8 // GPUs of the usual machine for training
	cpusPerGPU       = 4 // feeds a GPU, and less than any such machine has
	maxSignalSeconds = 65535
)
