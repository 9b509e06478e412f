"""`spyglass show RUN --timeline` draws what a journal has, as wide as the terminal, and plainly in a pipe."""

import json
import re
import signal
import subprocess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cli.command import COMMAND, QUESTION, Hanging, environment, spyglass
from runs.course import Course
from spyglass.cli.drawing import BLOCKS, LETTERS, Glyphs, drawn, duration, glyphs_of
from spyglass.kernel.events import LEFT, TAKEN_UP


def course() -> Course:
    """Ten seconds: a plan for five of them, then four pages at once of which one fails, then a writer."""
    course = Course()
    course.mark(TAKEN_UP, 0)
    course.phase("PLANNING", 0, 5)
    course.journal.charge(course.model("planner", 0, 5), 1000, 200, 0.25)
    for number in range(4):
        course.call("fetch", 5 + number / 1000, 7, failed=number == 3, url=f"https://a.example/{number}")
    course.mark(("fetch", "tried again"), 6)
    course.phase("WRITING", 7, 10)
    course.journal.charge(course.model("writer", 7, 9), 2000, 300, 0.5)
    course.mark(LEFT, 10)
    return course


def lines(course: Course, width: int = 100, glyphs: Glyphs = BLOCKS) -> list[str]:
    return [line.plain.rstrip() for line in drawn(course.timeline(), width, glyphs)]


READS = """
                 0         5 s           time  calls  failed  again     cost  tokens
                 ┬─────────┬─────────┬
Phases
  planning       ━━━━━━━━━━━            5.0 s
  writing                      ━━━━━━━  3.0 s
Calls
  model planner  ▂▂▂▂▂▂▂▂▂▂▂            5.0 s      1                 $0.2500   1,200
  fetch                    ▅▅▅▅×        2.0 s      4       1      1
  model writer                 ▂▂▂▂▂    2.0 s      1                 $0.5000   2,300
  ▂▃▄ one, two, three at once, █ 7 or more; × one failed

Critical path
  model planner     5.0 s   50%
  fetch             2.0 s   20%
  model writer      2.0 s   20%
  own work          1.0 s   10%
Its longest parts
  from   0.0 s    5.0 s  model planner m
  from   5.0 s    2.0 s  fetch https://a.example/0
  from   7.0 s    2.0 s  model writer m
  from   9.0 s    1.0 s  own work in writing
"""


def test_a_timeline_reads_like_this() -> None:
    assert lines(course(), 84) == READS.strip("\n").splitlines()


def test_a_wider_one_also_says_how_many_were_under_way_at_most() -> None:
    head, *rows = lines(course(), 110)
    assert head.endswith("tokens  at once")
    assert [row.split()[-1] for row in rows if row.startswith(("  fetch", "  model"))][:3] == ["1", "4", "1"]


def test_where_the_run_was_left_alone_stands_a_sign_and_no_bar() -> None:
    twice = course()
    twice.mark(TAKEN_UP, 5000)
    twice.model("writer", 5001, 5009)
    twice.mark(LEFT, 5010)
    drawing = lines(twice, 100)
    cuts = {line.index("┊") for line in drawing if "┊" in line and "not running" not in line}
    assert len(cuts) == 1, "one column, in every row"
    assert any("┊ not running" in line for line in drawing)
    before, after = next(line for line in drawing if line.startswith("  fetch"))[17:].split("┊")
    assert before.rstrip().endswith("×")
    assert not after.split()[0].startswith(tuple(BLOCKS.bars))


@pytest.mark.parametrize("width", [40, 60, 80, 100, 160, 300])
def test_the_bars_take_the_width_that_there_is(width: int) -> None:
    drawing = lines(course(), width)
    rows = drawing[: drawing.index("Critical path")]
    assert max(map(len, rows)) <= max(width, 70)
    assert width < 100 or max(map(len, rows)) > width - 4


def test_a_terminal_without_blocks_gets_figures() -> None:
    assert glyphs_of("ascii") is LETTERS
    assert glyphs_of("utf-8") is BLOCKS
    drawing = "\n".join(lines(course(), glyphs=glyphs_of("latin-1")))
    assert drawing.isascii()
    assert "444" in drawing


@given(st.lists(st.tuples(st.floats(0, 1e5), st.floats(0, 1e5)), max_size=8), st.integers(1, 200))
def test_whatever_happened_it_can_be_drawn(calls: list[tuple[float, float]], width: int) -> None:
    course = Course()
    course.mark(TAKEN_UP, 0)
    for began, ended in calls:
        course.model("writer", began, ended)
    assert lines(course, width)


@pytest.mark.parametrize(
    ("seconds", "shown"),
    [(0, "0.0 s"), (0.042, "0.04 s"), (12.34, "12.3 s"), (99.97, "1m40s"), (185, "3m05s"), (3723, "1h02m")],
)
def test_a_duration_reads_as_a_person_says_it(seconds: float, shown: str) -> None:
    assert duration(seconds) == shown


def test_the_command_draws_a_finished_run_without_a_colour_in_a_pipe(tmp_path: Path, files: Path) -> None:
    assert spyglass(tmp_path, "report", QUESTION, "--files", files).returncode == 0
    done = spyglass(tmp_path, "show", "last", "--timeline")
    assert done.returncode == 0, done.stderr
    assert "\x1b" not in done.stdout
    assert "  local retrieval" in done.stdout
    assert "Critical path" in done.stdout
    assert "Sessions:" not in done.stdout
    record = json.loads(spyglass(tmp_path, "show", "last", "--timeline", "--json").stdout)
    assert [one["how"] for one in record["timeline"]["sessions"]] == ["ended"]
    assert record["timeline"]["seconds"] == pytest.approx(record["ended"]["seconds"], abs=30)
    assert "timeline" not in json.loads(spyglass(tmp_path, "show", "last", "--json").stdout)


@pytest.mark.kill
def test_a_run_that_was_killed_and_resumed_has_two_sessions(
    tmp_path: Path, files: Path, hanging: type[Hanging]
) -> None:
    config = tmp_path / "model.toml"
    config.write_text(f'provider = "openai"\nmodel = "m"\nbase_url = "{hanging.url}"\nmodels.attempts = 1\n')
    with subprocess.Popen(
        [*COMMAND, "report", QUESTION, "--files", files, "--config", config, "--quiet"],
        cwd=tmp_path,
        env=environment(tmp_path),
    ) as process:
        assert hanging.called.wait(60)
        process.send_signal(signal.SIGKILL)
    broken = spyglass(tmp_path, "show", "last", "--timeline")
    assert "(broken off)" in broken.stdout
    hanging.ended.set()
    assert spyglass(tmp_path, "resume", "last", "--quiet").returncode in (0, 3)
    done = spyglass(tmp_path, "show", "last", "--timeline").stdout
    assert re.search(r"Sessions: .*\(broken off\); .* later, .*\(ended\)", done), done
    assert "┊" in done
