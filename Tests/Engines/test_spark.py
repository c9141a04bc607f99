"""`cities.sql` in Apache Spark on a standalone cluster: a master, two workers, and one of them killed in the middle."""

import os
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path

import cities
import pyspark
import pytest
from harness import until
from pyspark.sql import SparkSession, functions
from places import PLACES

ROWS, PARTITIONS = 1_000_000, 40
# Spark hands over 10,000 rows at once, of which each is asked in requests of 4,000.
REQUESTS = PARTITIONS * 8
# Each of two workers first reads the table of all cities, a thousand at a time.
TABLES = 2 * (234_908 // 1_000 + 2)
LOOPBACK = "127.0.0.1"
OPENED = [f"--add-opens=java.base/{name}=ALL-UNNAMED" for name in
          ("java.nio", "sun.nio.ch", "java.lang", "java.util", "java.net", "java.util.concurrent", "java.lang.invoke")]


def free_port():
    with socket.socket() as listener:
        listener.bind((LOOPBACK, 0))
        return listener.getsockname()[1]


def accepts(port):
    with socket.socket() as probe:
        return probe.connect_ex((LOOPBACK, port)) == 0


class Cluster:
    """Daemons of Spark as processes of their own, each with the processes that it starts."""

    def __init__(self, folder):
        self.folder, self.home = folder, Path(pyspark.__file__).parent
        self.environment = os.environ | {
            "SPARK_HOME": str(self.home), "SPARK_SCALA_VERSION": "2.13", "SPARK_LOCAL_IP": LOOPBACK,
            "PYSPARK_PYTHON": sys.executable, "PYSPARK_DRIVER_PYTHON": sys.executable}
        os.environ.update(self.environment)
        self.port = free_port()
        self.processes = {}
        self.start("master", "master.Master", "--host", LOOPBACK, "--port", self.port, "--webui-port", 0)
        until(lambda: accepts(self.port), seconds=60, what="the master listening")
        for name in ("first", "second"):
            self.start(name, "worker.Worker", "--host", LOOPBACK, "--webui-port", 0, "--cores", 1, "--memory", "1g",
                       "--work-dir", folder / name, f"spark://{LOOPBACK}:{self.port}")

    def start(self, name, kind, *words):
        with (self.folder / f"{name}.log").open("wb") as log:
            self.processes[name] = subprocess.Popen(
                ["java", "-Xmx256m", *OPENED, "-cp", self.home / "jars" / "*", f"org.apache.spark.deploy.{kind}",
                 *map(str, words)],
                stdin=subprocess.DEVNULL, stdout=log, stderr=log, env=self.environment, start_new_session=True)

    def kill(self, name):
        """Kills a daemon with the executors that it has started, as a node that fails."""
        os.killpg(self.processes[name].pid, signal.SIGKILL)
        self.processes[name].wait()

    def close(self):
        for name, process in self.processes.items():
            if process.poll() is None:
                self.kill(name)

    def session(self):
        builder = SparkSession.builder.master(f"spark://{LOOPBACK}:{self.port}").appName("cities")
        for key, value in {
                "spark.driver.host": LOOPBACK, "spark.driver.bindAddress": LOOPBACK, "spark.driver.memory": "512m",
                "spark.executor.memory": "600m", "spark.executor.cores": "1", "spark.cores.max": "2",
                "spark.ui.enabled": "false", "spark.ui.showConsoleProgress": "false", "spark.network.timeout": "60s",
                "spark.sql.warehouse.dir": self.folder / "warehouse",
                "spark.local.dir": self.folder / "scratch"}.items():
            builder = builder.config(key, str(value))
        return builder.getOrCreate()


@pytest.fixture(scope="module")
def cluster(own_server, tmp_path_factory):
    if shutil.which("java") is None:
        pytest.fail("java is missing: run contrib/dependencies engines")
    made = Cluster(tmp_path_factory.mktemp("cluster"))
    yield made
    made.close()


@pytest.fixture(scope="module")
def spark(cluster):
    session = cluster.session()
    executors = session.sparkContext._jsc.sc().statusTracker()
    session.sparkContext.setLogLevel("ERROR")
    # The driver counts as one.
    until(lambda: len(executors.getExecutorInfos()) == 3, seconds=90, what="two executors")
    yield session
    session.stop()


def located(spark, private):
    """Rows with cities, of the positions that the plain loop has."""
    number = functions.col("id") % PLACES
    points = spark.range(0, ROWS, 1, PARTITIONS).select(
        (number * 7_919 % 180_000 / 1_000 - 90).alias("lat"), (number * 104_729 % 360_000 / 1_000 - 180).alias("lon"))
    cities.sql.register(spark, private=private)
    points.createOrReplaceTempView("points")
    return spark.sql("SELECT city_locate(lat, lon) AS city FROM points")


def totals(frame):
    return tuple(frame.agg(functions.count("*"), functions.sum("city.id"), functions.sum("city.metres")).first())


class Requests:
    """Counts the requests of others since it was made."""

    def __init__(self, server):
        self.server, self.own = server, 0
        self.before = self.count()

    def count(self):
        with self.server.wire() as wire:
            self.own += 1
            return wire.call("status")["requests"] - self.own

    def since(self):
        return self.count() - self.before


def test_the_sums_are_those_of_a_plain_loop_also_if_a_worker_is_killed(cluster, spark, own_server, sums):
    expected = (ROWS, *sums(ROWS))
    begin = time.monotonic()
    assert totals(located(spark, private=True)) == expected
    whole = time.monotonic() - begin
    frame = located(spark, private=False)
    counted, killed = Requests(own_server), []

    def kill_in_the_middle():
        until(lambda: counted.since() > TABLES + REQUESTS // 3, seconds=120, what="a third of the work")
        cluster.kill("second")
        killed.append(counted.since())

    thread = threading.Thread(target=kill_in_the_middle)
    thread.start()
    begin = time.monotonic()
    # The server of the node counts the requests.
    assert totals(frame) == expected
    thread.join()
    again = time.monotonic() - begin
    assert killed and killed[0] < TABLES + REQUESTS, "the worker was killed after the work"
    executors = spark.sparkContext._jsc.sc().statusTracker().getExecutorInfos()
    assert len(executors) == 2, "the killed worker's executor is still there"
    print(f"\n{ROWS} rows in {whole:.1f} s with two workers, in {again:.1f} s with one killed after {killed[0]} of "
          f"{TABLES + REQUESTS} requests")


def test_names_are_matched_and_the_table_has_all_cities(spark):
    cities.sql.register(spark)
    towns = spark.createDataFrame([(0, "Reval"), (1, None), (2, "Wien, AT"), (3, "zzzzqqqq")], "row INT, town STRING")
    towns.createOrReplaceTempView("towns")
    matched = spark.sql("SELECT city_match(town) AS city FROM towns ORDER BY row").collect()
    assert [city and (city["name"], city["country"], city["class"]) for city, in matched] == [
        ("Tallinn", "EE", "sure"), None, ("Vienna", "AT", "sure"), None]
    joined = spark.sql("SELECT cities.region FROM cities JOIN towns ON cities.id = city_match(town).id ORDER BY row")
    assert [region for region, in joined.collect()] == ["Harjumaa", "Vienna"]
    assert spark.sql("SELECT count(*), max(population) > 20000000 FROM cities").first() == (234_908, True)
