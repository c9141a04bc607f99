"""Spark on nodes that have Java, Python with the libraries that Spark asks for, and the wheel, but no server."""

import re
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest
from harness import until
from places import PLACES, ROOT

ROWS, PARTITIONS = 200_000, 8
REQUIREMENTS = Path(__file__).with_name("requirements.txt")
# What mapInArrow needs on a node, with what these need themselves; the wheel brings cbor2.
LIBRARIES = ("pyspark", "pandas", "pyarrow")
# The script of a job: executors are processes of their own.
JOB = f"""
import cities
if __name__ == "__main__":
    from pyspark.sql import SparkSession, functions
    spark = (
        SparkSession.builder.master("local-cluster[2,1,1024]").appName("cities")
        .config("spark.driver.host", "127.0.0.1").config("spark.driver.bindAddress", "127.0.0.1")
        .config("spark.driver.memory", "512m").config("spark.executor.memory", "700m")
        .config("spark.ui.enabled", "false").config("spark.ui.showConsoleProgress", "false").getOrCreate())
    number = functions.col("id") % {PLACES}
    points = spark.range(0, {ROWS}, 1, {PARTITIONS}).select(
        (number * 7_919 % 180_000 / 1_000 - 90).alias("lat"), (number * 104_729 % 360_000 / 1_000 - 180).alias("lon"))
    points.createOrReplaceTempView("points")
    cities.sql.register(spark)
    found = spark.sql("SELECT city_locate(lat, lon) AS city FROM points")
    print(*found.agg(functions.count("*"), functions.sum("city.id"), functions.sum("city.metres")).first())
    print(cities.__file__, *cities.socket_paths())
    spark.stop()
"""


@pytest.fixture(scope="module")
def node(tmp_path_factory):
    """A folder with the virtual environment of a node, in which pip has installed the wheel."""
    wheels = sorted((ROOT / ".build-out" / "packages").glob("*.whl"))
    if not wheels:
        pytest.fail("there is no wheel: run contrib/package --wheel first")
    folder = tmp_path_factory.mktemp("node")
    versions = re.findall(r"^(\S+==\S+(?: ;[^\\\n]*)?)", REQUIREMENTS.read_text(), re.MULTILINE)
    (folder / "versions.txt").write_text("".join(f"{line}\n" for line in versions))
    subprocess.run([sys.executable, "-m", "venv", folder / "venv"], check=True)
    pip = [folder / "venv" / "bin" / "python", "-m", "pip", "install", "--quiet"]
    subprocess.run([*pip, "--constraint", folder / "versions.txt", *LIBRARIES, wheels[-1]], check=True)
    return folder


def servers(folder):
    """The programs of the wheel that run."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            program = (process / "exe").readlink()
        except OSError:
            continue
        if program.is_relative_to(folder) and program.name == "citiesd":
            found.append(process.name)
    return found


def test_the_wheel_is_all_that_a_node_needs(node, sums):
    (node / "job.py").write_text(JOB)
    [home] = (node / "venv").glob("lib/python3*/site-packages/pyspark")
    variables = {
        "PATH": "/usr/bin:/bin", "HOME": str(node), "XDG_RUNTIME_DIR": str(node), "SPARK_HOME": str(home),
        "SPARK_SCALA_VERSION": "2.13", "SPARK_LOCAL_IP": "127.0.0.1",
        "PYSPARK_PYTHON": str(node / "venv" / "bin" / "python")}
    assert shutil.which("java", path=variables["PATH"]), "java is missing: run contrib/dependencies engines"
    begin = time.monotonic()
    done = subprocess.run([variables["PYSPARK_PYTHON"], "job.py"], cwd=node, env=variables, capture_output=True,
        text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr[-3_000:]
    totals, place = done.stdout.splitlines()
    assert tuple(map(int, totals.split())) == (ROWS, *sums(ROWS))
    assert place.startswith(str(node / "venv"))
    until(lambda: not servers(node), seconds=30, what="the end of private servers")
    print(f"\n{ROWS} rows with the wheel alone in {time.monotonic() - begin:.1f} s, Spark's start included")
