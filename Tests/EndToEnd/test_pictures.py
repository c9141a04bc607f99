"""The pictures of the documentation are what the programs show."""

import subprocess

import harness
import pytest

SCRIPT = harness.ROOT / "contrib/docs/make-pictures"


@pytest.mark.slow
def test_the_stored_pictures_are_what_the_programs_show():
    run = subprocess.run([SCRIPT, "--check"], capture_output=True, text=True, timeout=120, check=False)
    assert run.returncode == 0, run.stderr


def test_the_moving_picture_stands_still_where_motion_is_not_wanted():
    drawn = (harness.ROOT / "contrib/docs/browser-list.svg").read_text()
    assert len(drawn.encode()) <= 60 * 1024
    assert "prefers-reduced-motion" in drawn
    assert "<script" not in drawn
    # Without animations the last frame alone is seen.
    last = [rule for rule in drawn.split("@keyframes")[1:] if "opacity:1;animation" in rule]
    assert len(last) == 1
    assert "München" in drawn
    assert "Munich, DE" in drawn
