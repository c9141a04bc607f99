"""The recipes of contrib/integrations, and the positions that all tests of engines ask about."""

import importlib.util
import sys
from pathlib import Path

import cloudpickle

ROOT = Path(__file__).resolve().parents[2]
PLACES = 500


def place(number):
    """The position of a row; every engine computes the same."""
    number %= PLACES
    return number * 7_919 % 180_000 / 1_000 - 90, number * 104_729 % 360_000 / 1_000 - 180


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
