"""Engines that are general stores, loaded with the names of the shipped list: SQLite's full-text index, and redis.

Both get the keys of find_oracle.py, which fold case, accents and punctuation, and its order by population, title and
whole name, so that they lack nothing that a developer could build on them in a day.
"""

import math
import shutil
import socket
import sqlite3
from collections import defaultdict

import measuring  # noqa: F401  knows the folder of the next ones
from engines import ROWS, Engine, ServedEngine
from find_oracle import allowed_edits, edits, fold
from packages import library_path, root

CANDIDATES = 100
# A whole name counts ten times the people; a name that is not the title's a tenth, and a hundredth as a prefix.
WHOLE = 1
ALTERNATE, ALTERNATE_PREFIX = 1, 2


def name_rows(cities):
    """(key, city, score of a prefix, score of the whole name), the best prefix first."""
    scores = {}
    for city in cities:
        weight = math.log10(max(city.get("population", 0), 1))
        for name in city.get("alternatenames", []):
            if key := fold(name):
                scores[key, city["_id"]] = weight - ALTERNATE_PREFIX, weight + WHOLE - ALTERNATE
        if key := fold(city["name"]):
            scores[key, city["_id"]] = weight, weight + WHOLE
    return sorted(((*entry, *both) for entry, both in scores.items()), key=lambda row: (-row[2], row[:2]))


def best(scored):
    """The cities of (city, score), each once, best first."""
    most = {}
    for city, score in scored:
        most[city] = max(score, most.get(city, score))
    return sorted(most, key=most.__getitem__, reverse=True)[:ROWS]


def alike(query, candidates):
    """The cities of (key, city, score) whose key is the query but for typing errors."""
    distances = [(city, score, key, edits(query, key, 2)) for key, city, score in candidates]
    return best((city, score - count) for city, score, key, count in distances if count <= allowed_edits(query, key))


class SQLiteEngine(Engine):
    name = "SQLite FTS5"
    setup = (
        "a table of the folded names of `cities`, in its order, an index of whole names, and FTS5 unicode61 with "
        "prefix indexes 1 to 5, memory-mapped; if nothing is found, the 100 best rows of FTS5 trigram by bm25, sorted "
        "by edit distance")

    def prepare(self, cities):
        self.files[0].unlink(missing_ok=True)
        base = sqlite3.connect(self.files[0])
        base.executescript("pragma journal_mode = off; pragma synchronous = off; pragma page_size = 8192;")
        base.execute("create table name (id integer primary key, key text, city integer, score real, whole real)")
        base.executemany("insert into name values (?, ?, ?, ?, ?)",
                         ((at, *row) for at, row in enumerate(name_rows(cities()), 1)))
        base.execute("create index by_key on name (key, whole desc, city)")
        for table, options in (("words", "tokenize = 'unicode61', prefix = '1 2 3 4 5'"),
                               ("grams", "tokenize = 'trigram', detail = none")):
            base.execute(
                f"create virtual table {table} using fts5 (key, content = 'name', content_rowid = 'id', {options})")
            base.execute(f"insert into {table} ({table}) values ('rebuild')")
            base.execute(f"insert into {table} ({table}) values ('optimize')")
        base.commit()
        base.execute("analyze")
        base.close()

    def open(self):
        self.base = sqlite3.connect(f"file:{self.files[0]}?mode=ro", uri=True)
        self.base.execute("pragma mmap_size = 1000000000")

    def find(self, query):
        key = fold(query)
        if not key:
            return []
        whole = self.base.execute("select city, whole from name where key = ? order by whole desc limit ?", (key, ROWS))
        # Rows are numbered in order of their score: the index yields the best ones first.
        longer = self.base.execute(
            "select city, score from words join name on name.id = words.rowid where words match ? "
            "order by words.rowid limit ?", (f'"{key}" *', 4 * ROWS))
        return best([*whole, *longer]) or self.misspelt(key)

    def misspelt(self, key):
        grams = " OR ".join(f'"{key[at:at + 3]}"' for at in range(len(key) - 2))
        if not grams:
            return []
        return alike(key, self.base.execute(
            "select name.key, city, score from grams join name on name.id = grams.rowid where grams match ? "
            "order by grams.rank limit ?", (grams, CANDIDATES)))

    @property
    def files(self):
        return [self.folder / "names.db"]


class Redis:
    """A connection to redis that does no more than it must."""

    def __init__(self, path):
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.connect(str(path))
        self.file = self.socket.makefile("rb", 1 << 16)

    def call(self, *commands):
        """The replies to commands in one write."""
        self.socket.sendall(b"".join(measuring.redis_command(*command) for command in commands))
        return [self.read() for _ in commands]

    def read(self):
        line = self.file.readline()
        match line[:1]:
            case b"*":
                return [self.read() for _ in range(max(int(line[1:]), 0))]
            case b"$":
                return None if line[1:2] == b"-" else self.file.read(int(line[1:]) + 2)[:-2]
            case b"-":
                raise OSError(line.decode().strip())
        return line[1:].strip()


class RedisEngine(ServedEngine):
    name = "redis"
    setup = (
        "a sorted set of the folded names of `cities` for ZRANGEBYLEX, and for each prefix of more than 100 names a "
        "sorted set of its ten best cities, both queried in one write; if nothing is found, RediSearch's FT.SUGGET "
        "FUZZY, sorted by edit distance")
    BATCH = 5_000

    def prepare(self, cities):
        rows = name_rows(cities())
        self.files[0].unlink(missing_ok=True)
        self.serve()
        for commands in self.commands(rows):
            self.redis.call(*commands)
        self.redis.call(("SAVE",))
        self.close()

    def commands(self, rows):
        """What loads the data, in batches."""
        longer, named = defaultdict(int), set()
        for key, *_ in rows:
            for length in range(1, len(key) + 1):
                longer[key[:length]] += 1
        ready = {prefix: {} for prefix, count in longer.items() if count > CANDIDATES}
        batch = []
        for key, city, score, whole in rows:
            batch.append(("ZADD", "names", "0", f"{key}\t{city}\t{score:.3f}\t{whole:.3f}"))
            for length in range(1, len(key) + 1):
                if (cities := ready.get(key[:length])) is None:
                    break
                value = whole if length == len(key) else score
                cities[city] = max(value, cities.get(city, value))
            if key not in named:
                named.add(key)
                batch.append(("FT.SUGADD", "typed", key, f"{10 ** (score + ALTERNATE_PREFIX):.0f}", "PAYLOAD",
                              f"{city}\t{score:.3f}"))
            if len(batch) >= self.BATCH:
                yield batch
                batch = []
        for prefix, cities in ready.items():
            top = sorted(cities.items(), key=lambda pair: -pair[1])[:ROWS]
            batch.append(("ZADD", f"top:{prefix}",
                *(str(word) for city, score in top for word in (f"{score:.3f}", city))))
        yield batch

    def open(self):
        self.serve()
        self.redis.call(("ZCARD", "names"))

    def serve(self):
        path, below = self.folder / "redis.sock", root(self.folder.parent)
        path.unlink(missing_ok=True)
        # Where it is installed, the package of the program itself is not fetched.
        server = shutil.which("redis-server") or below / "usr/bin/redis-server"
        self.start(server, "--port", "0", "--unixsocket", path, "--dir", self.folder, "--save", "",
                   "--loadmodule", below / "usr/lib/redis/modules/redisearch.so",
                   LD_LIBRARY_PATH=library_path(self.folder.parent))
        self.redis = self.connected(lambda: self.loaded(path))

    @staticmethod
    def loaded(path):
        """A connection once the snapshot is in memory; until then every command is refused."""
        redis = Redis(path)
        redis.call(("PING",))
        return redis

    def find(self, query):
        key = fold(query)
        if not key:
            return []
        top, names = self.redis.call(
            ("ZREVRANGE", f"top:{key}", "0", str(ROWS - 1)),
            ("ZRANGEBYLEX", "names", b"[" + key.encode(), b"[" + key.encode() + b"\xff", "LIMIT", "0", str(CANDIDATES)))
        if top:
            return [int(city) for city in top]
        rows = [name.decode().split("\t") for name in names]
        return best((int(city), float(whole if name == key else score)) for name, city, score, whole in rows) or (
            self.misspelt(key))

    def misspelt(self, key):
        (found,) = self.redis.call(("FT.SUGGET", "typed", key, "FUZZY", "MAX", str(CANDIDATES), "WITHPAYLOADS"))
        pairs = [(name.decode(), payload.decode().split("\t")) for name, payload in zip(found[::2], found[1::2])]
        return alike(key, [(name, int(city), float(score)) for name, (city, score) in pairs])

    @property
    def files(self):
        return [self.folder / "dump.rdb"]
