"""The client: a method for every message of the protocol, pages, and bulk work."""

from __future__ import annotations

import numbers
from array import array
from collections import deque
from collections.abc import Mapping
from datetime import datetime, timezone
from decimal import Decimal
from typing import TYPE_CHECKING, Any, Iterable, Iterator, Sequence, cast

from . import __version__
from ._bulk import BATCH, NAME_BYTES, NAMES, PATIENCE, Answers, Batch, BulkConnection, Floats, Located, Matched, Texts
from ._connection import Request
from ._private import server_program
from ._wire import TIMEOUT, ProtocolError, ServerError, existing_socket, socket_paths, to_typed_array

if TYPE_CHECKING:
    from . import types as t

    Place = t.Place | int | str | tuple[float, float]


def connect(path: str | None = None, timeout: float = TIMEOUT, *, private: bool | None = None) -> Client:
    """Connects to `path`, or to the first existing socket; if that refuses, no other socket is tried.

    If there is no socket, and neither `path` nor CITIES_SOCKET names one, the client starts a private server, which
    answers from stored data and exits with the client. `private=False` never starts one; `private=True` always does,
    and ignores all sockets. FileNotFoundError says what is missing, a server or the program to start.

    `timeout` is the number of seconds without any answer after which a call raises TimeoutError.
    """
    if path and private:
        raise ValueError("private=True cannot be combined with a path")
    found = None if private else path or existing_socket()
    if found is None and private is not False:
        return Client(server_program(socket_paths()[0]), timeout, is_private=True)
    return Client(found or socket_paths()[0], timeout)


class Client(BulkConnection):
    """A client of one server. A call is one round trip; `pipeline` sends many requests without waiting for each reply.

    Methods with the name of a message (`city.near` is `city_near`) take its parameters, of which those that are None
    are left out, and return its result; they raise ServerError. Python's own words have an underscore: `with_`, `in_`,
    `from_`. Protocol/README.md says what everything means. Threads may share a client.

    A place is its id, any of its names, a pair of degrees (north, east), or a map with `id`, `title`, `query` or
    `at`.
    """

    def __enter__(self) -> Client:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # --- Any message ---

    def call(self, method: str, /, **params: Any) -> Any:
        """Sends one request and returns its result; raises ServerError.

        All methods are idempotent, so if the connection breaks, the client reconnects once and
        repeats the request.
        """
        (outcome,) = self.pipeline([(method, params)])
        if isinstance(outcome, ServerError):
            raise outcome
        return outcome

    def _given(self, method: str, /, **params: Any) -> Any:
        """Sends a request with the parameters that are not None."""
        return self.call(method, **{k.rstrip("_"): v for k, v in params.items() if v is not None})

    def pipeline(self, requests: Sequence[tuple[str, dict[str, Any]]]) -> list[Any]:
        """Sends all requests without waiting for answers; returns a result, or a ServerError, for each, in their order.

        It reads while it writes, so requests and answers may have any number and size. It reconnects once, as
        `call` does.
        """
        frames = [Request(*self._frame(method, params)) for method, params in requests]
        unsent, pending, outcomes = iter(frames), deque[Request](), list[Any]()

        def accept(_: Request, message: dict[str, Any]) -> None:
            outcomes.append(ServerError.of(message["error"]) if "error" in message else message["result"])

        try:
            self._exchange(unsent, pending, len(frames), accept)
        except (ConnectionError, ProtocolError):
            self._exchange(unsent, pending, len(frames), accept)
        return outcomes

    # --- Many rows ---

    def locate(
        self, lat: Any, lon: Any, *, rule: str | None = None, rows: bool = False, generation: str | None = None,
        patience: float = PATIENCE,
    ) -> Located:
        """Finds the city at each position, in degrees north and east.

        `lat` and `lon` are columns of equal length: arrays of NumPy, columns of Arrow, Polars or pandas, `array`s,
        memoryviews, lists. The answers are NumPy arrays unless the columns were lists or other buffers. A missing
        value, or a position out of range, has the id 0 and NOTHING metres. `rule` is "nearest" or "place"; `rows`
        also returns the distinct cities.

        The call resumes after a server restart. All answers are from one generation: `generation` if it is given,
        otherwise that of the first answer. GenerationChanged and Incomplete have the answers so far; ServerError and
        TypeError describe the fault of the request.
        """
        north, east = Floats("lat", lat), Floats("lon", lon)
        if len(north) != len(east):
            raise ValueError(f"{len(north)} latitudes and {len(east)} longitudes")
        given = {k: v for k, v in {"rule": rule, "rows": rows or None}.items() if v is not None}

        def batches() -> Iterator[Batch]:
            for start in range(0, max(len(north), 1), BATCH):
                end = min(start + BATCH, len(north))
                params = {"lat": north.typed(start, end), "lon": east.typed(start, end), **given}
                yield Batch(*self._frame("city.locate", params), start, end - start)

        answers = Answers(len(north), {"ids": "Q", "metres": "I"}, generation, north.is_numpy or east.is_numpy)
        self.ask_all(batches(), answers, patience)
        return cast(Located, answers.result())

    def match(
        self, names: Any, *, country: str | None = None, region: str | None = None, countries: Any = None,
        regions: Any = None, typos: bool | None = None, rows: bool = False, with_: Sequence[str] | None = None,
        generation: str | None = None, patience: float = PATIENCE,
    ) -> Matched:
        """Finds the city that each name means, and how sure that is: SURE, LIKELY, GUESS or NONE.

        `names` is a list of str, or a column of strings from NumPy, Arrow, Polars or pandas; a missing name matches
        nothing.
        `country` and `region` apply to all names. The columns `countries` and `regions` have one value per name;
        an empty value means no restriction. Without `typos`, names with typing errors match nothing. Otherwise like
        `locate`.
        """
        columns = {"names": Texts("names", names)}
        for name, values in (("countries", countries), ("regions", regions)):
            if values is not None:
                columns[name] = Texts(name, values)
        total = len(columns["names"])
        for name, column in columns.items():
            if len(column) != total:
                raise ValueError(f"{total} names and {len(column)} {name}")
        options = {"country": country, "region": region, "typos": typos, "rows": rows or None, "with": with_}
        given = {k: v for k, v in options.items() if v is not None}

        def batches() -> Iterator[Batch]:
            start = 0
            while start < max(total, 1):
                end, lines = _fitting(columns, start, min(start + NAMES, total))
                yield Batch(*self._frame("city.match", {**lines, **given}), start, end - start)
                start = max(end, start + 1)

        answers = Answers(total, {"ids": "Q", "classes": "B"}, generation, columns["names"].is_numpy)
        self.ask_all(batches(), answers, patience)
        return cast(Matched, answers.result())

    def generation(self, subject: str = "cities") -> str | None:
        """The current generation of a subject; None if it has no data."""
        return self.hello()["generations"].get(subject)

    # --- The server and its feeds ---

    def hello(self, protocols: Sequence[int] = (1,), client: str = f"cities.py {__version__}") -> t.HelloResult:
        """The versions, limits and generations of the server."""
        return cast("t.HelloResult", self._given("hello", protocols=list(protocols), client=client))

    def status(self) -> t.StatusResult:
        """The server, its subjects and feeds."""
        return cast("t.StatusResult", self._given("status"))

    def introspect(self) -> t.IntrospectResult:
        """The schema and the methods."""
        return cast("t.IntrospectResult", self._given("introspect"))

    def watch(self, *subjects: str) -> Iterator[dict[str, Any]]:
        """Yields the state as an event named `state`, then each event as it comes; ends with the connection.

        The events have a connection of their own, which is closed with the iterator: the client can be used meanwhile.
        A private server's data never changes, so watching it raises ServerError with the code
        `unavailable`.
        """
        if self.is_private:
            reason = "unavailable: no server is running, and the data of a private one does not change"
            raise ServerError(reason, "unavailable", {"phase": "no server"})
        request = Request(*self._frame("watch", {"subjects": list(subjects)} if subjects else {}))
        stream = self._take()
        try:
            messages: list[dict[str, Any]] = []
            stream.exchange(iter([request]), deque(), 1, self.timeout, lambda _, message: messages.append(message))
            message = _checked(messages[0])
            yield {"event": "state", **message["result"]}
            while True:
                self._check_open()
                yield _checked(stream.next_message(request.number))["event"]
        finally:
            stream.close()

    def refresh(self, feeds: Sequence[str] | None = None, *, force: bool | None = None) -> t.FeedOutcomes:
        """Refreshes feeds, by default all of them. It takes up to 20 s: connect with a longer `timeout`."""
        return cast("t.FeedOutcomes", self._given("refresh", feeds=feeds, force=force))

    def feed_refresh(
        self, feeds: Sequence[str] | None = None, *, force: bool | None = None, known: bool | None = None
    ) -> t.FeedOutcomes:
        """The request that `citiesd` sends to `citiesd-sync`, on the socket of the latter."""
        return cast("t.FeedOutcomes", self._given("feed.refresh", feeds=feeds, force=force, known=known))

    def feed_status(self) -> t.FeedStatusResult:
        """The state of all feeds, on the socket of `citiesd-sync`."""
        return cast("t.FeedStatusResult", self._given("feed.status"))

    # --- Cities ---

    def city_search(
        self, prefix: str, *, match: str | None = None, country: str | None = None, sort: str | None = None,
        with_: Sequence[str] | None = None, offset: int | None = None, limit: int | None = None,
        generation: str | None = None, provenance: bool | None = None,
    ) -> t.CitySearchResult:
        """A page of the cities whose title starts with `prefix`, and their exact number."""
        return cast("t.CitySearchResult", self._given(
            "city.search", prefix=prefix, match=match, country=country, sort=sort, with_=with_, offset=offset,
            limit=limit, generation=generation, provenance=provenance))

    def search(self, prefix: str, page: int = 1_000, **params: Any) -> Iterator[t.City]:
        """Yields all cities whose title starts with `prefix`, page by page."""
        return self._pages("city.search", page, prefix=prefix, **params)

    def city_find(
        self, query: str, *, near: Place | None = None, limit: int | None = None, typos: bool | None = None,
        region: str | None = None, country: str | None = None, explain: bool | None = None,
        finished: bool | None = None, population: int | None = None, provenance: bool | None = None,
    ) -> t.CityFindResult:
        """The cities that people may mean by a name in any language, best first.

        If the query is `finished`, the name of a country or region lists its cities, and a search without rows suggests
        some. With `explain`, the rows have their scores, and the reply lists what was tried.
        """
        return cast("t.CityFindResult", self._given(
            "city.find", query=query, near=_place(near), limit=limit, typos=typos, region=region, country=country,
            explain=explain, finished=finished, population=population, provenance=provenance))

    def city_get(
        self, id: int | None = None, *, title: str | None = None, query: str | None = None,
        near: Place | None = None, with_: Sequence[str] | None = None, likely: bool | None = None,
        provenance: bool | None = None,
    ) -> t.CityGetResult:
        """One city, by its id, its title, or any of its names; if `likely`, the most likely one of several."""
        return cast("t.CityGetResult", self._given(
            "city.get", id=id, title=title, query=query, near=_place(near), with_=with_, likely=likely,
            provenance=provenance))

    def city_near(
        self, place: Place, *, rule: str | None = None, with_: Sequence[str] | None = None, limit: int | None = None,
        radius: float | None = None, population: int | None = None, provenance: bool | None = None,
    ) -> t.CityNearResult:
        """The cities nearest to a place; with the rule "place", the one that people would name comes first."""
        return cast("t.CityNearResult", self._given(
            "city.near", place=_place(place), rule=rule, with_=with_, limit=limit, radius=radius,
            population=population, provenance=provenance))

    def city_within(
        self, box: t.Box, *, with_: Sequence[str] | None = None, limit: int | None = None,
        population: int | None = None, provenance: bool | None = None,
    ) -> t.CityWithinResult:
        """The largest cities of an area with the edges `south`, `west`, `north` and `east`."""
        return cast("t.CityWithinResult", self._given(
            "city.within", box=box, with_=with_, limit=limit, population=population, provenance=provenance))

    def city_locate(
        self, lat: Iterable[float] | array[float], lon: Iterable[float] | array[float], *, rows: bool | None = None,
        rule: str | None = None, provenance: bool | None = None,
    ) -> t.CityLocateResult:
        """One request of `locate`, with its reply as it is: up to 4,000 positions (8,000 in `array`s of type `f`)."""
        columns = (column if isinstance(column, array) else array("d", column) for column in (lat, lon))
        north, east = (to_typed_array(column) for column in columns)
        return cast("t.CityLocateResult", self._given(
            "city.locate", lat=north, lon=east, rows=rows, rule=rule, provenance=provenance))

    def city_match(
        self, names: str | Iterable[str], *, country: str | None = None, region: str | None = None,
        countries: str | None = None, regions: str | None = None, typos: bool | None = None, rows: bool | None = None,
        with_: Sequence[str] | None = None, why: bool | None = None, provenance: bool | None = None,
    ) -> t.CityMatchResult:
        """One request of `match`, with its reply as it is: a text with a line for each name, or names of one line each.

        With `why`, the reply has a line for each name with the reason for its class.
        """
        if not isinstance(names, str):
            column = Texts("names", names)
            names = column.lines(0, len(column)) if len(column) else ""
        return cast("t.CityMatchResult", self._given(
            "city.match", names=names, country=country, region=region, countries=countries, regions=regions,
            typos=typos, rows=rows, with_=with_, why=why, provenance=provenance))

    def city_time(
        self, places: Sequence[Place | t.PlaceByZone], *, at: str | None = None, provenance: bool | None = None
    ) -> t.CityTimeResult:
        """The local time of places or time zones, now or at a moment, and their next clock changes."""
        is_pair = isinstance(places, tuple) and len(places) == 2 and isinstance(places[0], float)
        if is_pair or isinstance(places, (str, Mapping)):
            raise TypeError(f"places must be a list of places: use [{places!r}]")
        return cast("t.CityTimeResult", self._given(
            "city.time", places=[_place(place) for place in places], at=at, provenance=provenance))

    # --- Locations of banks ---

    def bank_regions(self, *, filter: t.BankConditions | None = None) -> t.BankRegionsResult:
        """The countries and regions that have locations of banks, with counts."""
        return cast("t.BankRegionsResult", self._given("bank.regions", filter=filter))

    def bank_list(
        self, *, filter: t.BankConditions | None = None, offset: int | None = None, limit: int | None = None,
        generation: str | None = None,
    ) -> t.BankPage:
        """A page of the locations in the order of headings."""
        return cast("t.BankPage", self._given(
            "bank.list", filter=filter, offset=offset, limit=limit, generation=generation))

    def bank_search(
        self, query: str, *, filter: t.BankConditions | None = None, offset: int | None = None,
        limit: int | None = None, generation: str | None = None,
    ) -> t.BankPage:
        """A page of the locations whose name and address contain all words."""
        return cast("t.BankPage", self._given(
            "bank.search", query=query, filter=filter, offset=offset, limit=limit, generation=generation))

    def locations(self, words: str = "", page: int = 1_000, **params: Any) -> Iterator[t.BankEntry]:
        """Yields all locations of banks whose name and address contain `words`, page by page.

        A filter for open locations means one moment for all pages: `at`, by default that of the call.
        """
        conditions = params.get("filter") or {}
        if conditions.get("open") and conditions.get("at") is None:
            now = datetime.now(timezone.utc).isoformat(timespec="seconds").replace("+00:00", "Z")
            params["filter"] = {**conditions, "at": now}
        return self._pages("bank.search", page, query=words, **params)

    def bank_get(self, id: str, *, at: str | None = None) -> t.BankGetResult:
        """One location, by its id."""
        return cast("t.BankGetResult", self._given("bank.get", id=id, at=at))

    def bank_near(
        self, place: Place, *, filter: t.BankConditions | None = None, limit: int | None = None,
        radius: float | None = None,
    ) -> t.BankNearResult:
        """The locations nearest to a place."""
        return cast("t.BankNearResult", self._given(
            "bank.near", place=_place(place), filter=filter, limit=limit, radius=radius))

    # --- Trade ---

    def product_list(
        self, *, in_: Sequence[str] | None = None, rounding: str | None = None, offset: int | None = None,
        limit: int | None = None, generation: str | None = None,
    ) -> t.ProductListResult:
        """A page of the products in the order of their codes, with totals in up to 16 currencies."""
        return cast("t.ProductListResult", self._given(
            "product.list", in_=in_, rounding=rounding, offset=offset, limit=limit, generation=generation))

    def product_get(
        self, sku: str, *, in_: str | None = None, sort: str | None = None, explain: bool | None = None,
        rounding: str | None = None, offset: int | None = None, limit: int | None = None,
        generation: str | None = None,
    ) -> t.ProductGetResult:
        """One product: its transactions as given and converted, and their exact total."""
        return cast("t.ProductGetResult", self._given(
            "product.get", sku=sku, in_=in_, sort=sort, explain=explain, rounding=rounding, offset=offset,
            limit=limit, generation=generation))

    def rate_list(self, base: str | None = None) -> t.RateListResult:
        """The given rates; with `base` the conversions of every other currency to it."""
        return cast("t.RateListResult", self._given("rate.list", base=base))

    def rate_convert(
        self, amount: Decimal | int | str, from_: str, to: str, *, rounding: str | None = None
    ) -> t.RateConvertResult:
        """An exact amount in another currency. Floats are refused, because they are not exact."""
        if isinstance(amount, float):
            raise TypeError(f"amount: use a Decimal or a text, not the float {amount!r}")
        return cast("t.RateConvertResult", self._given(
            "rate.convert", amount=Decimal(amount), from_=from_, to=to, rounding=rounding))

    # --- Pages ---

    def _pages(self, method: str, page: int, /, *, generation: str | None = None, **params: Any) -> Iterator[Any]:
        """All rows of a method that sends pages.

        All pages are of one generation. If the data changes, the next page raises `stale-generation`, and the caller
        starts over. Pages that do not fit together raise ProtocolError: rows would be missing.
        """
        offset, total = 0, None
        while True:
            reply = self._given(method, limit=page, offset=offset, generation=generation, **params)
            count, found = len(reply["rows"]), reply["total"]
            total = found if total is None else total
            expected = min(page, max(total - offset, 0))
            if (count, found) != (expected, total):
                raise ProtocolError(
                    f"the page from row {offset} on has {count} rows and a total of {found}, where {expected} rows of"
                    f" {total} were expected")
            yield from reply["rows"]
            offset, generation = offset + count, reply["generation"]
            if not count or offset >= total:
                return


def _checked(message: dict[str, Any]) -> dict[str, Any]:
    """A message; raises the error in it."""
    if "error" in message:
        raise ServerError.of(message["error"])
    return message


def _place(place: Place | t.PlaceByZone | None) -> t.Place | t.PlaceByZone | None:
    if isinstance(place, (int, numbers.Integral)):  # also of NumPy
        return {"id": int(place)}
    if isinstance(place, str):
        return {"query": place}
    if isinstance(place, tuple):
        lat, lon = place
        return {"at": {"lat": float(lat), "lon": float(lon)}}
    if place is not None and not isinstance(place, Mapping):
        raise TypeError(f"a place is an id, a name, a pair of degrees or a map, not {type(place).__name__}")
    return place


def _fitting(columns: dict[str, Texts], start: int, end: int) -> tuple[int, dict[str, str]]:
    """The rows from `start` whose texts fit a request, at least one, and those texts."""
    while True:
        lines = {name: column.lines(start, end) for name, column in columns.items()} if end > start else {"names": ""}
        size = sum(len(text.encode()) for text in lines.values())
        if size <= NAME_BYTES:
            return end, lines
        if end - start == 1:  # a text that is longer than any name, and matches nothing, as the empty one
            return end, {name: "\n" for name in columns}
        end = start + max(1, min((end - start) * NAME_BYTES // size, end - start - 1))
