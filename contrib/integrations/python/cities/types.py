"""The types of parameters and results, one for each rule of Protocol/cities.cddl.

They are for type checkers and editors; a newer server may send more keys than stand here.

    from typing import TYPE_CHECKING
    if TYPE_CHECKING:
        from cities.types import City
"""

from __future__ import annotations

import sys
from array import array
from datetime import datetime
from decimal import Decimal
from typing import TYPE_CHECKING, Dict, List, Union

if sys.version_info >= (3, 11):
    from typing import NotRequired, TypedDict
else:  # type checkers have it; nothing imports this module when it runs
    from typing_extensions import NotRequired, TypedDict

if TYPE_CHECKING:
    Numbers = array[int]
else:
    Numbers = array  # not generic before Python 3.12

# --- Values -----------------------------------------------------------------------------------------------------------


class City(TypedDict):
    """A row of a city."""

    id: int
    lat: float
    lon: float
    name: str
    zone: NotRequired[str]
    region: NotRequired[str]
    country: str
    alternates: NotRequired[List[str]]
    population: NotRequired[int]
    region_code: NotRequired[str]


class Position(TypedDict):
    """Degrees north and east."""

    lat: float
    lon: float


class PlaceAt(TypedDict):
    """A place by its position."""

    at: Position


class PlaceById(TypedDict):
    """A place by the id of a city."""

    id: int


class PlaceByTitle(TypedDict):
    """A place by the title of a city."""

    title: str


class PlaceByQuery(TypedDict):
    """A place by what people call a city."""

    query: str


class PlaceByZone(TypedDict):
    """A time zone in the place of a place, for `city.time`."""

    zone: str


Place = Union[PlaceAt, PlaceById, PlaceByTitle, PlaceByQuery]


class Box(TypedDict):
    """Edges in degrees."""

    east: float
    west: float
    north: float
    south: float


class Resolved(TypedDict):
    """The city that a query was taken for."""

    by: str
    city: City
    matched: NotRequired[str]


class Bank(TypedDict):
    """A location of a bank."""

    id: str
    lat: float
    lon: float
    bank: str
    info: NotRequired[str]
    kind: str
    name: NotRequired[str]
    code: NotRequired[int]
    zone: str
    email: NotRequired[str]
    hours: NotRequired[List[OpeningHours]]
    phone: NotRequired[str]
    region: NotRequired[str]
    address: str
    country: str
    no_cash: bool
    website: NotRequired[str]
    availability: NotRequired[str]
    coin_station: bool
    country_name: str
    holiday_hours: NotRequired[List[HolidayHours]]


class OpeningHours(TypedDict):
    """Minutes from the midnight of a day; Monday is 0."""

    day: int
    opens: int
    closes: int


class HolidayHours(TypedDict):
    """Minutes from the midnight of each public holiday."""

    opens: int
    closes: int


class BankEntry(TypedDict):
    """A location and whether it is open."""

    open: str
    holiday: NotRequired[str]
    location: Bank


class BankNeighbour(TypedDict):
    """A location, its distance in metres, and whether it is open."""

    open: str
    holiday: NotRequired[str]
    distance: int
    location: Bank


class BankConditions(TypedDict, total=False):
    """What locations must be."""

    at: str
    bank: str
    kind: str
    kinds: List[str]
    open: bool
    region: str
    country: str


Conversion = TypedDict("Conversion", {
    "to": str, "from": str, "rate": Decimal, "steps": "List[ConversionStep]", "derived": bool, "rounded": bool})
ConversionStep = TypedDict("ConversionStep", {
    "to": str, "from": str, "rate": Decimal, "given": Decimal, "rounded": bool, "reversed": bool})


class Total(TypedDict):
    """An exact sum, and what could not be converted."""

    amount: NotRequired[Decimal]
    partial: bool
    currency: str
    remainders: List[Remainder]


class Remainder(TypedDict):
    """What could not be converted."""

    sum: NotRequired[Decimal]
    count: int
    reason: str
    currency: str


class ProvenanceSource(TypedDict):
    """Where data comes from, and how old it is."""

    feed: str
    stale: bool
    as_of: NotRequired[datetime]
    missing: NotRequired[str]
    excluded: NotRequired[bool]
    last_error: NotRequired[str]


class Provenance(TypedDict):
    """Where the data of a reply comes from."""

    feeds: List[ProvenanceSource]
    sample: bool
    fallback: NotRequired[str]


class RecordNote(TypedDict):
    """What became of a record that was not kept."""

    fate: str
    reason: str
    record: int


class FeedReport(TypedDict):
    """The state of a feed."""

    feed: str
    read: NotRequired[int]
    as_of: NotRequired[datetime]
    notes: NotRequired[List[RecordNote]]
    source: NotRequired[str]
    records: NotRequired[int]
    sample: NotRequired[bool]
    country: NotRequired[str]
    skipped: NotRequired[int]
    interval: NotRequired[int]
    repeated: NotRequired[int]
    replaced: NotRequired[int]
    last_error: NotRequired[str]
    last_attempt: NotRequired[datetime]
    next_attempt: NotRequired[datetime]


class FeedOutcome(TypedDict):
    """What became of a feed that was to be refreshed."""

    feed: str
    outcome: str
    age: NotRequired[int]
    read: NotRequired[int]
    as_of: NotRequired[datetime]
    error: NotRequired[str]
    records: NotRequired[int]
    skipped: NotRequired[int]
    repeated: NotRequired[int]
    replaced: NotRequired[int]


class FeedOutcomes(TypedDict):
    """The result of `refresh` and `feed.refresh`."""

    feeds: List[FeedOutcome]


# --- The server and its feeds -----------------------------------------------------------------------------------------


class HelloResult(TypedDict):
    """The result of `hello`."""

    protocol: int
    server: str
    ready: Dict[str, bool]
    generations: Dict[str, str]
    limits: Dict[str, int]


class SubjectStatus(TypedDict):
    """The state of a subject."""

    subject: str
    ready: bool
    phase: str
    path: NotRequired[str]
    problem: NotRequired[str]
    records: NotRequired[int]
    generation: NotRequired[str]
    written: NotRequired[datetime]


class StatusResult(TypedDict):
    """The result of `status`."""

    server: str
    pid: int
    started: datetime
    connections: int
    requests: int
    subjects: List[SubjectStatus]
    feeds: List[FeedReport]
    sync: str
    folder: NotRequired[str]
    private: NotRequired[bool]
    counters: NotRequired[Dict[str, int]]
    holidays_until: NotRequired[datetime]


class IntrospectResult(TypedDict):
    """The result of `introspect`."""

    schema: str
    server: str
    methods: List[str]
    protocols: List[int]


class FeedStatusResult(TypedDict):
    """The result of `feed.status`."""

    feeds: List[FeedReport]


# --- Cities -----------------------------------------------------------------------------------------------------------


class CitySearchResult(TypedDict):
    """The result of `city.search`."""

    rows: List[City]
    as_of: NotRequired[datetime]
    total: int
    common: str
    sources: NotRequired[Provenance]
    generation: str


class FoundCity(TypedDict):
    """A city, and by which name it was found."""

    by: str
    city: City
    zone: NotRequired[str]
    region: NotRequired[str]
    matched: NotRequired[str]
    region_code: NotRequired[str]


class CityFindResult(TypedDict):
    """The result of `city.find`."""

    rows: List[FoundCity]
    as_of: NotRequired[datetime]
    sources: NotRequired[Provenance]
    resolved: NotRequired[Resolved]
    searched: NotRequired[str]
    complete: bool
    generation: str


class CityGetResult(TypedDict):
    """The result of `city.get`."""

    city: City
    zone: NotRequired[str]
    as_of: NotRequired[datetime]
    region: NotRequired[str]
    sources: NotRequired[Provenance]
    resolved: NotRequired[Resolved]
    generation: str
    region_code: NotRequired[str]
    resolved_near: NotRequired[Resolved]


class Neighbour(TypedDict):
    """A city and its distance in metres."""

    city: City
    distance: int


class CityNearResult(TypedDict):
    """The result of `city.near`."""

    rows: List[Neighbour]
    as_of: NotRequired[datetime]
    origin: Position
    certain: NotRequired[bool]
    country: NotRequired[str]
    sources: NotRequired[Provenance]
    resolved: NotRequired[Resolved]
    generation: str


class CityWithinResult(TypedDict):
    """The result of `city.within`."""

    rows: List[City]
    as_of: NotRequired[datetime]
    sources: NotRequired[Provenance]
    generation: str


class CityLocateResult(TypedDict):
    """The result of `city.locate`."""

    ids: Numbers
    rows: NotRequired[List[City]]
    as_of: NotRequired[datetime]
    index: NotRequired[Numbers]
    metres: Numbers
    certain: NotRequired[Numbers]
    sources: NotRequired[Provenance]
    countries: NotRequired[str]
    generation: str


class CityMatchResult(TypedDict):
    """The result of `city.match`."""

    ids: Numbers
    rows: NotRequired[List[City]]
    as_of: NotRequired[datetime]
    index: NotRequired[Numbers]
    classes: Numbers
    sources: NotRequired[Provenance]
    complete: bool
    generation: str


class ClockChange(TypedDict):
    """When clocks are changed next, and what they show then."""

    at: datetime
    local: str
    offset: str


class PlaceTime(TypedDict):
    """What the clocks of a place show; a time zone has no city."""

    city: NotRequired[City]
    zone: NotRequired[str]
    local: NotRequired[str]
    change: NotRequired[ClockChange]
    offset: NotRequired[str]
    daylight: NotRequired[bool]
    resolved: NotRequired[Resolved]
    abbreviation: NotRequired[str]


class CityTimeResult(TypedDict):
    """The result of `city.time`."""

    at: datetime
    rows: List[PlaceTime]
    as_of: NotRequired[datetime]
    sources: NotRequired[Provenance]
    generation: str


# --- Locations of banks -----------------------------------------------------------------------------------------------


class BankRegion(TypedDict):
    """A region and the number of its locations."""

    name: NotRequired[str]
    count: int


class BankCountry(TypedDict):
    """A country and the number of its locations."""

    name: str
    count: int
    country: str
    regions: List[BankRegion]


class BankRegionsResult(TypedDict):
    """The result of `bank.regions`."""

    as_of: NotRequired[datetime]
    total: int
    sources: Provenance
    countries: List[BankCountry]
    generation: str
    unknown_hours: NotRequired[int]


class BankPage(TypedDict):
    """The result of `bank.list` and `bank.search`."""

    rows: List[BankEntry]
    as_of: NotRequired[datetime]
    total: int
    sources: Provenance
    generation: str
    unknown_hours: NotRequired[int]


class BankGetResult(TypedDict):
    """The result of `bank.get`."""

    as_of: NotRequired[datetime]
    entry: BankEntry
    sources: Provenance
    generation: str


class BankNearResult(TypedDict):
    """The result of `bank.near`."""

    rows: List[BankNeighbour]
    as_of: NotRequired[datetime]
    origin: Position
    sources: Provenance
    resolved: NotRequired[Resolved]
    generation: str
    unknown_hours: NotRequired[int]


# --- Trade ------------------------------------------------------------------------------------------------------------


class Product(TypedDict):
    """A product with its totals."""

    sku: str
    count: int
    totals: List[Total]


class ProductListResult(TypedDict):
    """The result of `product.list`."""

    rows: List[Product]
    as_of: NotRequired[datetime]
    total: int
    sources: Provenance
    generation: str


class Transaction(TypedDict):
    """A transaction as given, and converted."""

    trace: NotRequired[List[Decimal]]
    amount: Decimal
    reason: NotRequired[str]
    currency: str
    converted: NotRequired[Decimal]


class ProductGetResult(TypedDict):
    """The result of `product.get`."""

    sku: str
    rows: List[Transaction]
    as_of: NotRequired[datetime]
    count: int
    paths: List[Conversion]
    total: Total
    sources: Provenance
    rounding: str
    generation: str


class RateListResult(TypedDict):
    """The result of `rate.list`."""

    rows: List[Conversion]
    as_of: NotRequired[datetime]
    sources: Provenance
    generation: str
    unreachable: List[str]


class RateConvertResult(TypedDict):
    """The result of `rate.convert`."""

    path: Conversion
    as_of: NotRequired[datetime]
    trace: List[Decimal]
    amount: Decimal
    result: Decimal
    sources: Provenance
    rounding: str
    generation: str
