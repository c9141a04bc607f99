"""What the tests of large engines share: a server on the prebuilt index, the recipes, and what a plain loop says."""

import importlib.util
import os
import sys
from pathlib import Path

import cloudpickle
import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "Tests" / "EndToEnd"), str(ROOT / "contrib" / "integrations" / "python")]

import cities  # noqa: E402
import harness  # noqa: E402

PLACES = 500


@pytest.fixture(scope="session")
def own_server(tmp_path_factory):
    """The server of this node, which the environment of all processes names."""
    if not (harness.BIN / "citiesd").exists() or not harness.PREBUILT.exists():
        pytest.exit("the programs are missing: run contrib/build first", returncode=1)
    server = harness.Server(tmp_path_factory.mktemp("node"))
    os.environ["CITIES_SOCKET"] = str(server.socket)
    # Workers import the package too.
    os.environ["PYTHONPATH"] = str(ROOT / "contrib" / "integrations" / "python")
    yield server.start()
    server.stop()


def place(number):
    """The position of a row; every engine computes the same."""
    number %= PLACES
    return number * 7_919 % 180_000 / 1_000 - 90, number * 104_729 % 360_000 / 1_000 - 180


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


def recipe(engine):
    """The module of an engine's recipe."""
    path = ROOT / "contrib" / "integrations" / engine / "locate.py"
    spec = importlib.util.spec_from_file_location(f"{engine}_recipe", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    # Workers cannot import it: its functions are sent whole.
    sys.modules[spec.name] = module
    cloudpickle.register_pickle_by_value(module)
    return module
