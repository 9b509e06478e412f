"""The command line in a process whose clock is wrong, run as a program: `python skewed.py SECONDS COMMAND …`."""

import runpy
import sys
import time

SKEW = float(sys.argv[1])
right = time.time
time.time = lambda: right() + SKEW
sys.argv = ["spyglass", *sys.argv[2:]]
runpy.run_module("spyglass", run_name="__main__", alter_sys=True)
