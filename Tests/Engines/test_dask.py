"""The lines for Dask in scale.md, with partitions in several processes."""

import re

import cities
import dask
import dask.dataframe
import harness
import pandas
import pytest
from places import ROOT, place

ROWS, PARTITIONS = 100_000, 8
PAGE = (ROOT / "contrib" / "docs" / "scale.md").read_text()
(LINES,) = (block for block in re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL) if "map_partitions" in block)


def located(frame):
    """What the lines make of a frame."""
    names = {"cities": cities, "frame": frame}
    exec(LINES, names)
    return names["found"]


@pytest.fixture
def frame():
    places = [place(row) for row in range(ROWS)]
    columns = pandas.DataFrame({"lat": [lat for lat, _ in places], "lon": [lon for _, lon in places]})
    return dask.dataframe.from_pandas(columns, npartitions=PARTITIONS)


def test_the_sums_are_those_of_a_plain_loop(sums, frame):
    found = located(frame)
    with dask.config.set(scheduler="processes", num_workers=2):
        city, metres, rows = dask.compute(found.city.astype("int64").sum(), found.metres.astype("int64").sum(),
            found.shape[0])
    assert (rows, int(city), int(metres)) == (ROWS, *sums(ROWS))
    assert list(found.columns) == ["lat", "lon", "city", "metres"]


def test_a_worker_with_another_list_fails_its_task(sums, frame, tmp_path, monkeypatch):
    planned = located(frame)
    source = harness.write_list(tmp_path / "list.json", [harness.record(1, "Albany", "US")])
    assert harness.build_index(source, tmp_path / "cities.index").returncode == 0
    monkeypatch.setenv("CITIES_STATE", str(tmp_path))
    with dask.config.set(scheduler="processes", num_workers=2), pytest.raises(cities.GenerationChanged):
        planned.compute()
