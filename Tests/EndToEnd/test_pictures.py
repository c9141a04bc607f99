"""The pictures of the documentation are what the programs show."""

import re
import subprocess

import harness
import pytest

SCRIPT = harness.ROOT / "contrib/docs/make-pictures"


@pytest.mark.slow
def test_the_stored_pictures_are_what_the_programs_show():
    run = subprocess.run([SCRIPT, "--check"], capture_output=True, text=True, timeout=120, check=False)
    assert run.returncode == 0, run.stderr


def test_screens_keep_their_columns_where_nobody_knows_the_length_of_texts():
    for name in "browser-list", "show", "error", "country", "table":
        drawn = (harness.ROOT / f"contrib/docs/{name}.svg").read_text()
        assert "textLength" not in drawn and re.search(r'<text[^>]* x="\d+ \d+ \d+', drawn), name


def test_the_moving_picture_stands_still_where_motion_is_not_wanted():
    drawn = (harness.ROOT / "contrib/docs/browser-list.svg").read_text()
    assert len(drawn.encode()) <= 200 * 1024
    assert "prefers-reduced-motion" in drawn
    assert "<script" not in drawn
    # Without animations the last frame alone is seen.
    groups = re.findall(r"\.f(\d+)-(\d+)\{opacity:([01]);animation", drawn)
    ends = [int(end) for _, end, _ in groups]
    assert len(groups) > 2 and all((shown == "1") == (int(end) == max(ends)) for _, end, shown in groups)
    assert "München" in drawn
    assert "Munich, DE" in drawn
