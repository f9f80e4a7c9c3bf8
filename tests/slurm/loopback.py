"""Slurm on this machine alone: a controller and two nodes on the loopback, in a folder of their own. Needs root."""

import os
import pathlib
import signal
import subprocess
import time

CONFIGURATION = """
ClusterName=loopback
SlurmctldHost=localhost(127.0.0.1)
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket={folder}/munge/socket
CryptoType=crypto/munge
SlurmctldPort=26817
SlurmdPort=26818
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.%n.pid
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool.%n
SlurmctldLogFile={folder}/log/slurmctld.log
SlurmdLogFile={folder}/log/slurmd.%n.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
MpiDefault=none
CommunicationParameters=NoCtldInAddrAny,NoInAddrAny
SwitchType=switch/none
SchedulerType=sched/backfill
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
ReturnToService=2
KillWait=5
MinJobAge=3600
NodeName=n[1-2] NodeHostname=localhost NodeAddr=127.0.0.1 Port=[26821-26822] CPUs=1 RealMemory=1000 State=UNKNOWN
PartitionName=main Nodes=ALL Default=YES MaxTime=INFINITE State=UP OverSubscribe=NO
"""


def wait_for(what, condition, seconds):
    """Until the condition gives something, which is returned."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        result = condition()
        if result:
            return result
        time.sleep(0.1)
    raise RuntimeError(f"{what}: waited {seconds} s in vain")


class Slurm:
    """Started on entry; on exit all that it started is ended, whatever happened."""

    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        self.environment = {**os.environ, "SLURM_CONF": str(self.folder / "slurm.conf")}

    def run(self, *words, **options):
        """The output of a program that must not fail."""
        done = subprocess.run(words, env=self.environment, capture_output=True, text=True, **options)
        if done.returncode != 0:
            raise RuntimeError(f"{' '.join(words)} ended with {done.returncode}: {done.stdout}{done.stderr}")
        return done.stdout

    def __enter__(self):
        try:
            self.start()
        except BaseException:
            self.__exit__()
            raise
        return self

    def start(self):
        for name in ("state", "spool.n1", "spool.n2", "log", "munge"):
            (self.folder / name).mkdir(mode=0o700)
        (self.folder / "slurm.conf").write_text(CONFIGURATION.format(folder=self.folder))
        munge = self.folder / "munge"
        (munge / "key").write_bytes(os.urandom(1024))
        (munge / "key").chmod(0o400)
        self.run("munged", f"--key-file={munge}/key", f"--socket={munge}/socket", f"--pid-file={munge}/pid",
                 f"--log-file={munge}/log", f"--seed-file={munge}/seed", "--force")
        self.run("slurmctld", "-c")
        for node in ("n1", "n2"):
            self.start_node(node)
        wait_for("the nodes", lambda: self.run("sinfo", "-h", "-o", "%D %T").strip() == "2 idle", 120)

    def start_node(self, node):
        self.run("slurmd", "-N", node)

    def pid(self, file):
        return int((self.folder / file).read_text())

    def processes(self):
        """Of this folder's Slurm: daemons, jobs and what these started, as number, program and environment."""
        found = []
        for entry in pathlib.Path("/proc").iterdir():
            if not entry.name.isdigit() or int(entry.name) == os.getpid():
                continue
            try:
                program = os.readlink(entry / "exe")
                pairs = (entry / "environ").read_bytes().split(b"\0")
            except OSError:
                continue  # it has ended
            variables = dict(pair.decode(errors="replace").split("=", 1) for pair in pairs if b"=" in pair)
            if variables.get("SLURM_CONF") == self.environment["SLURM_CONF"]:
                found.append((int(entry.name), pathlib.Path(program).name, variables))
        return found

    def job(self, number):
        """What Slurm says of a job, or of one task of an array (12_3)."""
        words = self.run("scontrol", "show", "job", "--oneliner", str(number)).split()
        return dict(word.split("=", 1) for word in words if "=" in word)

    def __exit__(self, *_):
        for file in ("slurmd.n1.pid", "slurmd.n2.pid", "slurmctld.pid", "munge/pid"):
            try:
                os.kill(self.pid(file), signal.SIGTERM)
            except (OSError, ValueError):
                pass  # it was never started, or has ended
        for number in (signal.SIGTERM, signal.SIGKILL):
            for pid, *_ in self.processes():
                try:
                    os.kill(pid, number)
                except OSError:
                    pass
            for _ in range(100):
                if not self.processes():
                    return
                time.sleep(0.1)
