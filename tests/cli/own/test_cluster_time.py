"""Ages, as commands reckon them where the cluster's time isn't the machine's."""

import re
import subprocess
import sys

from tests.cli.own.conftest import ROOT

AGED = (
    (("get", "events", "--field-selector=involvedObject.name=one"), r"^(\S+) +Normal +Scheduled"),
    (("get", "pods", "--server-print=false"), r"^one +(\S+)"),
    (("events", "--for=pod/one"), r"^(\S+) +Normal +Scheduled"),
    (("describe", "pod", "one"), r"^  Normal +Scheduled +(\S+)"),
    (("describe", "node", "node-1"), r"default +one +.* (\S+)$"),
)
"""What shows the age of the pod, or of the moment at which it was scheduled, and where."""


def test_ages_are_reckoned_by_the_clusters_clock(svcsim, home):
    svcsim("up", "--nodes", "1", "--ephemeral", "--clock", "paused")
    svcsim("clock", "step", "1h")
    svcsim("run", "one", "--image=nginx")
    svcsim("wait", "pod/one", "--for=condition=PodScheduled")
    svcsim("clock", "step", "90s")
    for words, age in AGED:
        told = svcsim(*words)[1]
        assert re.findall(age, told, re.MULTILINE) in (["90s"], ["89s"]), told
    watching = [sys.executable, "-m", "svcsim", "events", "--watch", "--for=pod/one", "--no-headers"]
    with subprocess.Popen(watching, cwd=ROOT, stdout=subprocess.PIPE, text=True) as watch:
        assert re.match("89s|9.s", watch.stdout.readline())
        svcsim("clock", "step", "1h")  # before the watch asks for the time again
        svcsim("delete", "pod", "one", "--wait=false")
        told = iter(watch.stdout.readline, "")
        killing = next(line for line in told if "Killing" in line)
        assert re.match("[0-9]+s ", killing)
        watch.terminate()
