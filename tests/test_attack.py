"""The attacks that SECURITY.md tells of, in a small form."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent


@pytest.mark.browser
@pytest.mark.slow
def test_a_sample_of_every_attack_comes_to_nothing() -> None:
    done = subprocess.run(
        [sys.executable, ROOT / "bench" / "attack.py", "--small", "--strict"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
        timeout=600,
    )
    assert done.returncode == 0, f"{done.stdout}\n{done.stderr}"
    assert "not measured" not in done.stdout
    assert len(re.findall(r" ok$", done.stdout, re.MULTILINE)) == 10
