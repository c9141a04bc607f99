"""What the tests of large engines share: a server on the prebuilt index, and what a plain loop says."""

import os
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "Tests" / "EndToEnd"), str(ROOT / "contrib" / "integrations" / "python")]

import cities  # noqa: E402
import harness  # noqa: E402
from places import PLACES, place  # noqa: E402


@pytest.fixture(scope="session")
def own_server(tmp_path_factory):
    """The server of this node, which the environment of all processes names."""
    if not (harness.BIN / "citiesd").exists() or not harness.PREBUILT.exists():
        pytest.exit("the programs are missing: run contrib/build first", returncode=1)
    server = harness.Server(tmp_path_factory.mktemp("node"))
    os.environ["CITIES_SOCKET"] = str(server.socket)
    # Workers import the package too.
    os.environ["PYTHONPATH"] = str(ROOT / "contrib" / "integrations" / "python")
    # They start private servers, too.
    os.environ["PATH"] = f"{harness.BIN}:{os.environ['PATH']}"
    yield server.start()
    server.stop()


@pytest.fixture(scope="session")
def sums(own_server):
    """What a loop of one question per place says: the sums of ids and of metres for a number of rows."""
    with cities.connect(str(own_server.socket)) as client:
        found = [client.city_near(place(number), limit=1)["rows"][0] for number in range(PLACES)]

    def of(rows):
        assert rows % PLACES == 0
        times = rows // PLACES
        return times * sum(row["city"]["id"] for row in found), times * sum(row["distance"] for row in found)

    return of
