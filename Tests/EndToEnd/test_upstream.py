"""Feeds over HTTP and TLS: the one-hour rule, and every way in which an upstream may fail.

Each fault is tried on half of the feeds while the other half is well, then the other way round, through the whole
chain: citiesctl refresh, citiesd, citiesd-sync, a web server on loopback.
"""

import contextlib
import functools
import json
import os
import re
import signal
import socket
import statistics
import subprocess
import threading
import time
from dataclasses import dataclass

import harness
import pytest
import stored
import upstream
from chain import BANKS, FEEDS, LIMITS, TRADE, Chain, variable
from harness import until
from upstream import Authority, Upstream

NAMES = list(FEEDS)
BODY_LIMIT = 64 << 20
HOUR = 3600


@pytest.fixture(scope="module")
def chain(tmp_path_factory, small_index):
    """One chain for all tests that leave it as they found it."""
    running = Chain(tmp_path_factory.mktemp("chain"), small_index).start()
    try:
        yield running.filled()
    finally:
        running.stop()


@pytest.fixture
def settled(chain):
    """The chain, every feed well and its copy just confirmed."""
    chain.recover()
    chain.refresh(force=True)
    chain.upstream.asked.clear()
    chain.upstream.sent = 0
    return chain


@pytest.fixture(scope="module")
def authority(tmp_path_factory):
    return Authority(tmp_path_factory.mktemp("ca"))


# The requests, and when they come.


@pytest.mark.parametrize("feed", NAMES)
def test_the_server_is_told_what_it_wants_to_hear(settled, feed):
    settled.refresh(feed, force=True)
    headers = settled.upstream.last(f"/{feed}").headers
    assert settled.has_header(feed)
    assert headers["User-Agent"].startswith("citiesd-sync/")
    assert headers["Accept-Encoding"] == "gzip"


@pytest.mark.parametrize("feed", NAMES)
def test_within_the_hour_nobody_is_asked_and_the_age_is_told(settled, feed):
    stored.age(settled.state, feed, 12 * 60 + 5)
    outcome = settled.refresh(feed)[feed]
    assert outcome["outcome"] == "reused"
    assert 725 <= outcome["age"] < 785
    assert outcome["records"] == FEEDS[feed].records
    assert settled.upstream.asked == []


@pytest.mark.parametrize("feed", NAMES)
def test_after_an_hour_there_is_one_request(settled, feed):
    stored.age(settled.state, feed, HOUR)
    assert settled.refresh()[feed]["outcome"] == "unchanged"
    assert [asked.path for asked in settled.upstream.asked] == [f"/{feed}"]
    assert settled.refresh()[feed]["outcome"] == "reused"
    assert len(settled.upstream.asked) == 1


@pytest.mark.parametrize("feed", NAMES)
def test_new_data_is_downloaded_and_served(settled, feed):
    before = settled.residents()
    settled.upstream.answers[f"/{feed}"] = upstream.good(FEEDS[feed].other)
    outcome = settled.refresh(feed, force=True)[feed]
    assert outcome["outcome"] == "downloaded"
    after = settled.residents()
    assert {name for name in after if after[name] != before[name]} == {FEEDS[feed].resident}
    assert settled.copies()[feed][1] == FEEDS[feed].other


@pytest.mark.parametrize("feed", NAMES)
def test_a_server_that_says_not_modified_is_believed(settled, feed):
    settled.upstream.answers[f"/{feed}"] = upstream.conditional(FEEDS[feed].other)
    assert settled.refresh(feed, force=True)[feed]["outcome"] == "downloaded"
    resident = (settled.state / FEEDS[feed].resident).read_bytes()
    stored.age(settled.state, feed, HOUR)
    asked = time.time()
    assert settled.refresh(feed)[feed]["outcome"] == "unchanged"
    headers = settled.upstream.last(f"/{feed}").headers
    assert headers["If-None-Match"] == '"one"'
    assert headers["If-Modified-Since"] == "Mon, 01 Jan 2024 00:00:00 GMT"
    details, body = stored.read(settled.state, feed)
    assert body == FEEDS[feed].other
    assert details["confirmed"] >= int(asked), "304 confirms the copy"
    assert (settled.state / FEEDS[feed].resident).read_bytes() == resident


def test_a_packed_body_is_unpacked(settled):
    import gzip

    body = FEEDS["rates"].other
    settled.upstream.answers["/rates"] = upstream.good(gzip.compress(body), Content_Encoding="gzip",
                                                       Content_Length=len(gzip.compress(body)))
    assert settled.refresh("rates", force=True)["rates"]["outcome"] == "downloaded"
    assert stored.read(settled.state, "rates")[1] == body


def test_many_who_ask_at_once_share_one_request(settled):
    settled.upstream.answers["/rates"] = lambda handler: (handler.rest(0.5),
        upstream.good(FEEDS["rates"].body)(handler))
    stored.age(settled.state, "rates", HOUR)
    threads = [threading.Thread(target=settled.refresh, args=("rates",)) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert settled.upstream.count("/rates") == 1


def test_only_root_and_the_own_user_may_force(settled, tmp_path):
    if os.geteuid() != 0:
        pytest.skip("no root: there is no second user to be")
    refused = harness.without_rights(
        "citiesctl", "refresh", "--force", folder=tmp_path, CITIES_SOCKET=public(settled.server))
    assert refused.returncode == 77, refused.stderr
    allowed = harness.without_rights("citiesctl", "refresh", folder=tmp_path, CITIES_SOCKET=public(settled.server))
    assert allowed.returncode == 0, allowed.stderr
    assert settled.upstream.asked == []


def public(server):
    """The server's socket, where everybody reaches it."""
    for above in [server.folder, *server.folder.parents]:
        if "pytest" in str(above):
            above.chmod(0o755)
    server.socket.chmod(0o666)
    return server.socket


# Every way to fail.


@dataclass
class Fault:
    """A fault of an upstream: what it answers, or where it is; and how it is reported."""

    told: str
    answer: object = None
    url: object = None


@functools.cache
def closed():
    """A socket that is bound and does not listen: connections are refused, and nobody else gets its port."""
    probe = socket.socket()
    probe.bind(("127.0.0.1", 0))
    return probe


def closed_port():
    return closed().getsockname()[1]


FAULTS = {
    "status 500": Fault("status 500 instead of 200", lambda feed: upstream.status(500)),
    "status 404": Fault("status 404 instead of 200", lambda feed: upstream.status(404)),
    "a 304 that nobody asked for": Fault("status 304 instead of 200", lambda feed: upstream.status(304)),
    "a redirect to http": Fault(
        "redirects to something other than https:", lambda feed: upstream.redirect("http://127.0.0.1:9/")),
    "a redirect to a file": Fault(
        "redirects to something other than https:", lambda feed: upstream.redirect("file:///etc/hostname")),
    "an HTML page": Fault("JSON", lambda feed: upstream.html),
    "truncated JSON": Fault("JSON", lambda feed: upstream.truncated(feed.body)),
    "an empty body": Fault("", lambda feed: upstream.good(b"")),
    "a wrong content length": Fault(
        "the body is shorter than the server said", lambda feed: upstream.wrong_length(feed.body)),
    "a gigabyte": Fault(f"more than the {BODY_LIMIT} bytes that are accepted", lambda feed: upstream.endless()),
    "a gigabyte that is announced": Fault(
        f"more than the {BODY_LIMIT} bytes that are accepted", lambda feed: upstream.endless(told=True)),
    "a packed gigabyte": Fault(
        f"more than the {BODY_LIMIT} bytes that are accepted", lambda feed: upstream.packed_bomb()),
    "gzip without its trailer": Fault("the gzip data is cut off", lambda feed: upstream.packed(feed.body, cut=8)),
    "gzip with a part of its trailer": Fault("the gzip data is cut off",
        lambda feed: upstream.packed(feed.body, cut=1)),
    "bytes after gzip": Fault("the gzip data is damaged", lambda feed: upstream.packed(feed.body, after=b"more")),
    "another encoding": Fault(
        'it is compressed with "br", which was not requested',
        lambda feed: upstream.good(b"\x0b\x02\x80[{}]\x03", Content_Encoding="br")),
    "HTTP/0.9": Fault("the answer is HTTP/0.9 or not HTTP", lambda feed: upstream.old_http),
    "silence": Fault("stalled: less than 100 bytes a second", lambda feed: upstream.silence),
    "a byte a second": Fault("stalled: less than 100 bytes a second", lambda feed: upstream.drip(feed.body)),
    "a hang-up": Fault("", lambda feed: upstream.hang_up),
    "a refused connection": Fault(
        "no connection: connection refused", url=lambda chain: f"http://127.0.0.1:{closed_port()}/"),
    "a name that nobody has": Fault("cannot be resolved", url=lambda chain: "https://nobody.invalid/"),
}
HALVES = {"even": NAMES[::2], "odd": NAMES[1::2]}


@pytest.mark.parametrize("half", HALVES)
@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_keeps_the_last_good_data_and_leaves_the_others_alone(settled, name, half):
    fault, bad = FAULTS[name], HALVES[half]
    for feed in bad:
        if fault.answer:
            settled.upstream.answers[f"/{feed}"] = fault.answer(FEEDS[feed])
    if fault.url:
        settled.configure(**{feed.replace("-", "_"): fault.url(settled) for feed in bad})
    check_fault(settled, fault, bad)


def test_a_plain_body_is_taken_whatever_its_encoding_is_called(settled):
    for name in ("gzip", "br"):
        body = FEEDS["rates"].other + b" " * len(name)
        settled.upstream.answers["/rates"] = upstream.good(body, Content_Encoding=name)
        assert settled.refresh("rates", force=True)["rates"]["outcome"] == "downloaded"
        assert settled.copies()["rates"][1] == body


def test_a_packed_body_without_its_header_is_taken(settled):
    """Also if its charset is declared: it is that of what is packed."""
    import gzip

    body = gzip.compress(FEEDS["rates"].other)
    settled.upstream.answers["/rates"] = upstream.good(body, Content_Type="text/plain; charset=windows-1257")
    assert settled.refresh("rates", force=True)["rates"]["outcome"] == "downloaded"
    assert settled.copies()["rates"][1] == body


def test_a_declared_charset_is_decoded(settled):
    text = '[{"sku": "Kõrš", "amount": "1", "currency": "EUR"}]'
    settled.upstream.answers["/transactions"] = upstream.good(
        text.encode("cp1257"), Content_Type='application/json; charset="windows-1257"')
    assert settled.refresh("transactions", force=True)["transactions"]["records"] == 1
    assert settled.copies()["transactions"][1] == text.encode()


def test_a_redirect_on_one_loopback_server_is_followed(settled):
    settled.upstream.answers |= {"/rates": upstream.redirect("/moved"), "/moved": upstream.good(FEEDS["rates"].other)}
    assert settled.refresh("rates", force=True)["rates"]["outcome"] == "downloaded"


def test_a_new_validator_of_an_unchanged_body_is_believed(settled):
    settled.upstream.answers["/rates"] = upstream.conditional(FEEDS["rates"].other)
    settled.refresh("rates", force=True)

    def newer(handler):
        handler.send_response(304)
        handler.send_header("ETag", '"two"')
        handler.end_headers()

    settled.upstream.answers["/rates"] = newer
    for expected in ('"one"', '"two"'):
        assert settled.refresh("rates", force=True)["rates"]["outcome"] == "unchanged"
        assert settled.upstream.last("/rates").headers["If-None-Match"] == expected
    assert settled.upstream.last("/rates").headers["If-Modified-Since"] == "Mon, 01 Jan 2024 00:00:00 GMT"


def test_a_wait_of_hours_is_kept_to_while_there_is_no_data(tmp_path):
    source = Upstream()
    source.answers["/rates"] = upstream.status(503, Retry_After=7_200)
    for _ in range(3):
        done = subprocess.run(
            [harness.BIN / "citiesd-sync", "run", "rates"], capture_output=True, text=True, check=False, timeout=60,
            env=harness.environment(CITIES_STATE=tmp_path, CITIES_FEED_RATES=source.url("/rates")))
        assert "asks to wait for 7200 s (Retry-After)" in done.stderr + done.stdout, done
    assert source.count("/rates") == 1
    source.stop()


@pytest.mark.parametrize(("value", "seconds"), [("7200", 7_200), ("999999", 86_400), ("0", None), ("soon", None)])
def test_retry_after_is_obeyed_up_to_a_day_and_shown(settled, value, seconds):
    settled.upstream.answers["/rates"] = upstream.status(503, Retry_After=value)
    error = settled.refresh("rates", force=True)["rates"]["error"]
    told = settled.status()["rates"]
    wait = (told["next_attempt"] - told["last_attempt"]).total_seconds()
    assert wait == seconds if seconds else wait < 60
    assert (f"asks to wait for {seconds} s (Retry-After)" in error) == bool(seconds)


def page_of_files(chain):
    """The page of `status`; None while the server waits for the writer of a new file to close it."""
    page = chain.server.ctl("status", "--output", "table")
    return None if "is being written" in page.stdout else page


@pytest.mark.parametrize(("bad", "code"), [([], 0), (NAMES[:1], 4), (NAMES, 69)])
def test_the_command_line_says_what_came_of_each_feed(settled, bad, code):
    for feed in bad:
        settled.upstream.answers[f"/{feed}"] = upstream.status(500)
    done = settled.server.ctl("refresh", "--force", "--output", "table")
    assert done.returncode == code, done.stdout
    lines = dict(line.split(": ", 1) for line in done.stdout.splitlines())
    for feed in NAMES:
        assert lines[feed].startswith("failed: " if feed in bad else "unchanged, "), lines[feed]
        assert ("; last good data of 20" in lines[feed]) == (feed in bad), lines[feed]
    page = until(lambda: page_of_files(settled), what="the status of files that are not being written")
    assert page.returncode == (4 if bad else 0), page.stdout
    assert page.stdout.count(": failed: ") == (1 if bad else 0), "equal reasons are one line"
    assert all(feed in page.stdout.rsplit("\n\n", 1)[1].split(": failed: ")[0] for feed in bad), page.stdout
    stored.age(settled.state, NAMES[-1], 12 * 60 + 5)
    if not bad:
        told = settled.server.ctl("refresh", NAMES[-1], "--output", "table").stdout
        assert told.startswith(f"{NAMES[-1]}: reused, 12 min old"), told


def check_fault(chain, fault, bad):
    """Refreshes while some feeds are bad, checks everything that is promised, and that they recover."""
    status, copies, residents = chain.status(), chain.copies(), chain.residents()
    outcomes = chain.refresh(force=True)
    now, stored_now = chain.status(), chain.copies()
    for feed in NAMES:
        outcome, told = outcomes[feed], now[feed]
        assert told["records"] == FEEDS[feed].records
        if feed in bad:
            assert outcome["outcome"] == "failed", feed
            assert fault.told in outcome["error"], outcome["error"]
            assert outcome["as_of"] == status[feed]["as_of"] == told["as_of"], "the last good data's time"
            assert told["last_error"] == outcome["error"]
            assert told["next_attempt"] > told["last_attempt"] >= told["as_of"]
            assert stored_now[feed] == copies[feed], "a failure has touched the stored copy"
        else:
            assert outcome["outcome"] == "unchanged", feed
            assert "last_error" not in told
    assert chain.residents() == residents, "a failure has touched what is served"
    with chain.server.wire() as wire:
        assert wire.call("city.search", prefix="alb")["total"] == 1
    chain.recover()
    outcomes = chain.refresh(force=True)
    assert {outcomes[feed]["outcome"] for feed in NAMES} <= {"unchanged", "downloaded"}
    assert not [feed for feed in chain.status().values() if "last_error" in feed]


def test_a_body_without_end_is_cut_and_takes_bounded_memory(settled):
    settled.upstream.answers["/rates"] = upstream.endless()
    assert settled.refresh("rates", force=True)["rates"]["outcome"] == "failed"
    # Bytes on their way in buffers come on top.
    assert settled.upstream.sent < BODY_LIMIT + (32 << 20), f"{settled.upstream.sent >> 20} MB were taken"
    peak = re.search(r"VmHWM:\s+(\d+) kB", open(f"/proc/{settled.sync.process.pid}/status").read())
    assert int(peak[1]) < 700 * 1024, f"{peak[1]} kB at the peak"


@pytest.mark.parametrize("half", HALVES)
@pytest.mark.parametrize("name", ["expired", "self-signed", "unknown authority", "wrong host name"])
def test_a_certificate_that_is_not_right_is_refused(settled, authority, tmp_path, name, half):
    made = {
        "expired": lambda: authority.context("expired", days=-1),
        "self-signed": lambda: authority.context("self", own=True),
        "unknown authority": lambda: Authority(tmp_path / "other").context("stranger"),
        "wrong host name": lambda: authority.context("elsewhere", names="DNS:example.org"),
    }[name]()
    told = {"expired": "expired", "wrong host name": "localhost"}.get(name, "self-signed")
    server = Upstream(made)
    try:
        for feed in NAMES:
            server.answers[f"/{feed}"] = upstream.good(FEEDS[feed].body)
        settled.tls = {"caFile": str(authority.certificate)}
        settled.configure(**{feed.replace("-", "_"): server.url(f"/{feed}", "localhost") for feed in HALVES[half]})
        if name in ("self-signed", "unknown authority"):
            told = ""
        check_fault(settled, Fault(told), HALVES[half])
        assert server.asked == [], "something was said to a server that is not who it says"
    finally:
        settled.tls = {}
        server.stop()


@pytest.mark.parametrize("host", ["localhost", "127.0.0.1"])
def test_a_certificate_of_an_authority_of_ones_own_is_accepted(settled, authority, host):
    server = Upstream(authority.context())
    try:
        for feed in NAMES:
            server.answers[f"/{feed}"] = upstream.good(FEEDS[feed].body)
        urls = {feed.replace("-", "_"): server.url(f"/{feed}", host) for feed in NAMES}
        settled.configure(**urls)
        without = settled.refresh(force=True)
        assert all("tls.caFile" in line["error"] for feed, line in without.items() if feed in FEEDS)
        settled.tls = {"caFile": str(authority.certificate)}
        settled.configure(**urls)
        outcomes = settled.refresh(force=True)
        assert {outcomes[feed]["outcome"] for feed in NAMES} == {"downloaded"}
    finally:
        settled.tls = {}
        server.stop()


@pytest.mark.parametrize("hops", [3, 4])
def test_redirects_are_followed_three_times(settled, authority, hops):
    server = Upstream(authority.context())
    try:
        for hop in range(hops):
            server.answers[f"/{hop}"] = upstream.redirect(server.url(f"/{hop + 1}", "localhost"))
        server.answers[f"/{hops}"] = upstream.good(FEEDS["rates"].other)
        settled.tls = {"caFile": str(authority.certificate)}
        settled.configure(rates=server.url("/0", "localhost"))
        outcome = settled.refresh("rates", force=True)["rates"]
        assert outcome["outcome"] == "downloaded" if hops == 3 else "more than 3 redirects" in outcome["error"]
        assert len(server.asked) == 4
    finally:
        settled.tls = {}
        server.stop()


def test_a_redirect_loop_ends(settled, authority):
    server = Upstream(authority.context())
    try:
        server.answers["/"] = upstream.redirect(server.url("/", "localhost"))
        settled.tls = {"caFile": str(authority.certificate)}
        settled.configure(**{feed.replace("-", "_"): server.url("/", "localhost") for feed in HALVES["even"]})
        check_fault(settled, Fault("more than 3 redirects"), HALVES["even"])
    finally:
        settled.tls = {}
        server.stop()


# What happens meanwhile.


@pytest.mark.parametrize("count", [8, 40])
def test_sources_that_drip_keep_no_other_feed_waiting(tmp_path, small_index, count):
    """Fast enough not to stall, for as long as a download may take: there are places for eight downloads."""
    chain = Chain(tmp_path, small_index)
    drips = {f"drip{number}": {"url": chain.upstream.url(f"/drip{number}"), "format": "geojson", "country": "EG",
                               "zone": "Africa/Cairo"} for number in range(count)}
    settings = json.loads(chain.file.read_text())
    chain.file.write_text(json.dumps(settings | {"feeds": settings["feeds"] | drips, "limits": {"total": 120}}))
    for name in drips:
        chain.upstream.answers[f"/{name}"] = upstream.drip(b" " * 10_000, 200)
    chain.start()
    dripping = threading.Thread(target=chain.refresh, args=drips, kwargs={"force": True}, daemon=True)
    try:
        until(lambda: chain.status().keys() >= drips.keys(), what="all feeds")
        dripping.start()
        until(lambda: len(chain.upstream.asked) >= 8, 60, what="all places taken")
        begin = time.monotonic()
        assert chain.refresh("rates", force=True)["rates"]["outcome"] == "downloaded"
        taken = time.monotonic() - begin
        print(f"beside {count} feeds that drip: {taken:.1f} s")
        # Three seconds until a source is slow, then one a second; the download alone takes two minutes.
        assert taken < 15 + 2 * max(0, count - 24)
        assert sum(report.get("last_error", "").endswith("other feeds wait") for report in chain.status().values()) \
            <= max(0, count - 20)
    finally:
        chain.stop()


def test_queries_do_not_notice_what_feeds_suffer(settled):
    """Prints how long a query takes while feeds fail in every way, beside a quiet time; only answers are judged."""
    quiet = latencies(settled, 1.0)
    bad = [upstream.silence, upstream.drip(b"[]"), upstream.endless(), upstream.hang_up, upstream.html,
        upstream.packed_bomb()]
    for feed, answer in zip(NAMES, bad, strict=True):
        settled.upstream.answers[f"/{feed}"] = answer
    failing = threading.Thread(target=settled.refresh, kwargs={"force": True})
    failing.start()
    loud = latencies(settled, 2.0)
    failing.join()
    for name, taken in (("quiet", quiet), ("while six feeds fail", loud)):
        cuts = statistics.quantiles(taken, n=100)
        # A pause of the whole machine moves a few queries, not the median.
        assert cuts[49] < 0.05
        print(f"city.search {name}: {len(taken)} queries, p50 {1e6 * cuts[49]:.0f} us, p99 {1e6 * cuts[98]:.0f} us")


def latencies(chain, seconds):
    """The seconds that more than 100 queries take, one after the other; each must be answered rightly."""
    taken, end = [], time.monotonic() + seconds
    with chain.server.wire() as wire:
        while time.monotonic() < end or len(taken) <= 100:
            begin = time.perf_counter()
            assert wire.call("city.search", prefix="alb", limit=20)["total"] == 1
            taken.append(time.perf_counter() - begin)
    return taken


def test_a_feed_that_hangs_is_running_when_the_others_have_finished(settled):
    """The sync service answers each feed by itself; what hangs costs only those who ask for it."""
    settled.upstream.answers["/swedbank-lt"] = upstream.silence
    settled.upstream.answers["/swedbank-ee"] = upstream.good(FEEDS["swedbank-ee"].other)
    hanging = threading.Thread(target=settled.refresh, args=("swedbank-lt",), kwargs={"force": True})
    hanging.start()
    try:
        begin = time.monotonic()
        assert settled.refresh("swedbank-ee", force=True)["swedbank-ee"]["outcome"] == "downloaded"
        assert hanging.is_alive(), f"the feed that hangs was waited for, {time.monotonic() - begin:.1f} s"
    finally:
        hanging.join()


def test_a_source_that_failed_is_not_asked_again_before_it_is_due(settled):
    settled.upstream.answers["/rates"] = upstream.status(500)
    first = settled.refresh("rates", force=True)["rates"]
    stored.age(settled.state, "rates", HOUR)
    assert first["outcome"] == "failed"
    for _ in range(200):
        assert settled.refresh("rates")["rates"] == first
    assert settled.upstream.count("/rates") == 1
    settled.refresh("rates", force=True)
    assert settled.upstream.count("/rates") == 2


def test_forced_requests_go_out_one_at_a_time(settled):
    under_way, most = [0], []

    def answer(handler):
        under_way[0] += 1
        most.append(under_way[0])
        handler.rest(0.2)
        upstream.good(FEEDS["rates"].body)(handler)
        under_way[0] -= 1

    settled.upstream.answers["/rates"] = answer
    threads = [threading.Thread(target=settled.refresh, args=("rates",), kwargs={"force": True}) for _ in range(12)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert max(most) == 1 and len(most) < 12, most


def test_a_sync_service_that_hangs_is_seen_and_comes_back(tmp_path, small_index):
    chain = Chain(tmp_path, small_index).start()
    try:
        chain.filled()
        chain.sync.process.send_signal(signal.SIGSTOP)
        hung = chain.server.ctl("refresh", "rates", "--output", "table", timeout=60)
        assert hung.returncode == 75, hung
        assert "rates: not done: the sync service has given no answer since 20" in hung.stdout
        page = chain.server.ctl("status", "--output", "table")
        assert page.returncode == 4 and "sync: no answer since 20" in page.stdout
        chain.sync.process.send_signal(signal.SIGCONT)
        assert chain.server.ctl("refresh", timeout=60).returncode == 0
        assert "sync: ok" in chain.server.ctl("status", "--output", "table").stdout
    finally:
        chain.sync.process.send_signal(signal.SIGCONT)
        chain.stop()


def test_refreshes_that_are_given_up_leave_nothing(settled):
    settled.upstream.answers["/rates"] = lambda handler: (handler.rest(2), upstream.good(FEEDS["rates"].body)(handler))
    stored.age(settled.state, "rates", HOUR)
    path = f"/proc/{settled.server.process.pid}/status"

    def resident():
        return int(re.search(r"VmRSS:\s+(\d+) kB", open(path).read())[1])

    before, sent = resident(), 0
    while sent < 20_000:
        with settled.server.wire() as wire:
            try:
                wire.send("refresh", feeds=["rates"])
                sent += 1
            except (BrokenPipeError, ConnectionResetError):
                # It has not seen yet that the callers before have left, and refuses another connection of their user.
                time.sleep(0.01)
    assert resident() - before < 4_096, f"{resident() - before} kB more"
    # The last of them wait until the server has seen that their callers have left.
    with settled.server.wire() as wire:
        until(lambda: wire.call("status")["connections"] == 1, what="the end of all connections but one")
    settled.refresh("rates")
    assert settled.upstream.count("/rates") == 1


def test_watch_tells_of_new_data(settled):
    with settled.server.wire(timeout=15) as wire:
        identifier = wire.send("watch", subjects=["banks"])
        assert wire.receive()["result"]["ready"] == {"banks": True}
        settled.upstream.answers["/swedbank-ee"] = upstream.good(FEEDS["swedbank-ee"].other)
        settled.refresh("swedbank-ee", force=True)
        event = wire.receive()
        assert (event["id"], event["event"]["event"], event["event"]["subject"]) == (identifier, "changed", "banks")


def test_a_damaged_copy_is_set_aside_and_downloaded_again(settled):
    for feed in NAMES:
        path = stored.path(settled.state, feed)
        data = bytearray(path.read_bytes())
        data[-2] ^= 1
        path.write_bytes(data)
    outcomes = settled.refresh()
    assert {outcomes[feed]["outcome"] for feed in NAMES} == {"downloaded"}
    for feed in NAMES:
        assert stored.read(settled.state, feed)[1] == FEEDS[feed].body
        assert len(list(settled.state.glob(f"sources/{feed}.source.damaged-*"))) == 1
        assert settled.upstream.count(f"/{feed}") == 1


@pytest.mark.parametrize("name", [BANKS, TRADE])
def test_a_damaged_resident_file_is_made_anew_from_the_copies(settled, name):
    sound = (settled.state / name).read_bytes()
    (settled.state / name).write_bytes(sound[:-3])
    settled.refresh()
    assert (settled.state / name).read_bytes() == sound
    assert settled.upstream.asked == []


def test_a_service_that_is_told_to_leave_gives_a_download_up(tmp_path, small_index):
    """A transfer that hangs is given up at once, and does not count as a failure of the feed."""
    chain = Chain(tmp_path, small_index).start()
    try:
        chain.filled()
        before = chain.status()["rates"]
        chain.upstream.answers["/rates"] = upstream.silence
        hanging = threading.Thread(target=chain.refresh, args=("rates",), kwargs={"force": True})
        hanging.start()
        until(lambda: chain.upstream.count("/rates") == 2, what="the request")
        begin = time.monotonic()
        assert chain.sync.stop(signal.SIGTERM) == 0
        assert time.monotonic() - begin < LIMITS["stall"], "it has waited for what hangs"
        hanging.join()
        assert chain.status()["rates"] == before
    finally:
        chain.stop()


# A source that shrinks.


def many(good, bad=0):
    """A list of transactions, of which some are bad."""
    return json.dumps(
        [{"sku": "T2006", "amount": f"{n}.50", "currency": "EUR"} for n in range(good)] + [{"sku": 1}] * bad).encode()


@pytest.mark.parametrize(
    ("body", "figures"), [
        (many(1, 399), "1 good and 399 bad"), (many(199), "199 good and 0 bad"),
        (many(390, 400), "390 good and 400 bad")])
def test_a_source_that_shrinks_does_not_replace_good_data(settled, body, figures):
    settled.upstream.answers["/transactions"] = upstream.good(many(400))
    assert settled.refresh("transactions", force=True)["transactions"]["records"] == 400
    before, residents = settled.copies(), settled.residents()
    stored.age(settled.state, "transactions", HOUR)
    aged = settled.copies()
    settled.upstream.answers["/transactions"] = upstream.good(body)
    outcome = settled.refresh("transactions")["transactions"]
    assert outcome["outcome"] == "failed"
    assert figures in outcome["error"] and "instead of 400 good and 0 bad" in outcome["error"]
    assert "citiesctl refresh --force transactions" in outcome["error"]
    report = settled.status()["transactions"]
    assert (report["records"], report["last_error"]) == (400, outcome["error"])
    assert report["next_attempt"] > report["last_attempt"]
    assert settled.copies() == aged and settled.residents() == residents
    assert before["transactions"][1] == many(400)
    forced = settled.refresh("transactions", force=True)["transactions"]
    assert forced["outcome"] == "downloaded", forced
    assert settled.copies()["transactions"][1] == body


def test_an_empty_list_does_not_replace_good_data(settled):
    """Not even if it is forced: no importer takes a list without a record."""
    copies, residents = settled.copies(), settled.residents()
    settled.upstream.answers["/transactions"] = upstream.good(many(0))
    outcome = settled.refresh("transactions", force=True)["transactions"]
    assert (outcome["outcome"], outcome["records"]) == ("failed", FEEDS["transactions"].records)
    assert "the list is empty" in outcome["error"]
    assert settled.copies() == copies and settled.residents() == residents


def test_a_store_of_few_records_and_a_local_file_may_shrink(settled, tmp_path):
    settled.upstream.answers["/transactions"] = upstream.good(many(19))
    settled.refresh("transactions", force=True)
    stored.age(settled.state, "transactions", HOUR)
    settled.upstream.answers["/transactions"] = upstream.good(many(1))
    assert settled.refresh("transactions")["transactions"]["outcome"] == "downloaded"
    path, state = tmp_path / "list.json", tmp_path / "state"
    for body, counts in [(many(400), "400 kept, 0 repeated, 0 replaced, 0 skipped"),
                         (many(1, 399), "1 kept, 0 repeated, 0 replaced, 399 skipped")]:
        path.write_bytes(body)
        done = harness.run_sync("run", "transactions", CITIES_STATE=state, CITIES_FEED_TRANSACTIONS=path)
        assert done.stdout == f"transactions: imported, 400 records read: {counts}\n", done.stderr


# A subject without data.


def waiting(server, *words, terminal=False):
    """citiesctl with an hour of patience: what comes back at once did not wait."""
    if not terminal:
        return server.ctl(*words, "--wait", "3600", timeout=60), ""
    ours, theirs = os.openpty()
    done = server.ctl(*words, "--wait", "3600", timeout=60, stdout=subprocess.PIPE, stderr=theirs)
    os.close(theirs)
    shown = b""
    with contextlib.suppress(OSError):
        while piece := os.read(ours, 65536):
            shown += piece
    os.close(ours)
    return done, shown.decode()


def test_a_subject_without_a_source_is_answered_at_once(empty_server):
    """The harness gives no feed a source unless a test does."""
    sync = harness.Sync(empty_server).start()
    try:
        assert empty_server.ctl("refresh", "--output", "tsv").stdout.count("unconfigured") == len(harness.feeds())
        for words in (["bank", "list"], ["product", "list"]):
            done, _ = waiting(empty_server, *words)
            assert done.returncode == 75
            assert "no data yet: no source is configured; set feeds." in done.stderr
    finally:
        sync.stop()


def test_a_subject_whose_source_failed_is_answered_at_once_with_the_reason(empty_server):
    source = Upstream()
    source.answers["/rates"] = upstream.status(500)
    sync = harness.Sync(empty_server, CITIES_FEED_RATES=source.url("/rates?token=s3cret")).start()
    try:
        empty_server.ctl("refresh", "rates")
        done, _ = waiting(empty_server, "rate", "list")
        assert done.returncode == 75
        assert "no data yet: feed rates failed: " in done.stderr and "status 404 instead of 200" in done.stderr
        assert "s3cret" not in done.stderr
        with empty_server.wire() as wire, pytest.raises(Exception) as fault:
            wire.call("rate.list")
        assert fault.value.data == {"subject": "trade", "phase": "failed", "running": False}
    finally:
        sync.stop()
        source.stop()


def test_without_a_sync_service_nothing_is_waited_for(empty_server):
    until(lambda: "not asked" not in empty_server.ctl("status").stdout, what="the first attempt to ask")
    done, _ = waiting(empty_server, "bank", "list")
    assert done.returncode == 75
    assert "no data yet: no sync service (" in done.stderr


def test_a_download_is_waited_for_with_a_line_on_a_terminal(empty_server):
    source, arrived = Upstream(), threading.Event()

    def slow(handler):
        arrived.set()
        handler.rest(8)
        upstream.good(FEEDS["rates"].body)(handler)

    source.answers["/rates"] = slow
    sync = harness.Sync(empty_server, CITIES_FEED_RATES=source.url("/rates")).start()
    refreshing = threading.Thread(target=empty_server.ctl, args=("refresh", "rates"))
    refreshing.start()
    try:
        assert arrived.wait(20)
        done, shown = waiting(empty_server, "rate", "list", terminal=True)
        assert done.returncode == 0, shown
        assert len(done.stdout.splitlines()) == 2
        assert "\rcitiesctl: trade: downloading, waiting " in shown
        assert "(--wait)\x1b[K\r\x1b[K" in shown, "the line is not wiped"
    finally:
        refreshing.join()
        sync.stop()
        source.stop()


# A setting of one feed.


def test_a_wrong_time_zone_is_the_failure_of_its_feed_alone(tmp_path, small_index):
    chain = Chain(tmp_path, small_index).start()
    try:
        chain.filled()
        configuration = json.loads(chain.file.read_text())
        configuration["feeds"]["swedbank-lt"]["zone"] = "Europe/Nowhere"
        chain.file.write_text(json.dumps(configuration))
        for feed in ("swedbank-ee", "swedbank-lv"):
            chain.upstream.answers[f"/{feed}"] = upstream.good(FEEDS[feed].other)
        outcomes = chain.refresh(force=True)
        assert outcomes["swedbank-lt"]["outcome"] == "failed"
        assert "feeds.swedbank-lt.zone" in outcomes["swedbank-lt"]["error"]
        assert "Europe/Nowhere" in outcomes["swedbank-lt"]["error"]
        assert {outcomes[feed]["outcome"] for feed in ("swedbank-ee", "swedbank-lv")} == {"downloaded"}
        assert outcomes["imaginary"]["outcome"] == "unchanged"
        assert [feed for feed, report in chain.status().items() if "last_error" in report] == ["swedbank-lt"]
        until(lambda: locations(chain) == 5 + 6 + 2 + 3, what="the locations of all four feeds")
    finally:
        chain.stop()


def locations(chain):
    with chain.server.wire() as wire:
        return wire.call("bank.list", limit=0)["total"]


# Secrets.


def test_what_a_url_holds_after_its_path_is_shown_nowhere(settled):
    """In status, refresh, the reports' file and the logs; also of a URL that is redirected to."""
    settled.upstream.answers["/rates?token=s3cret-1"] = upstream.status(500)
    settled.upstream.answers["/transactions"] = upstream.redirect(f"https://127.0.0.1:{closed_port()}/x?key=s3cret-2")
    settled.configure(rates=settled.upstream.url("/rates?token=s3cret-1"),
                      swedbank_ee="https://me:s3cret-3@127.0.0.1/x", swedbank_lv="https:s3cret-4@h?s3cret-5")
    shown = json.dumps(settled.refresh(force=True), default=str) + json.dumps(settled.status(), default=str)
    shown += "".join(
        settled.server.ctl(*arguments, "--output", form).stdout
        for arguments in (["refresh", "--force"], ["status"]) for form in ("table", "tsv", "json"))
    assert settled.upstream.count("/rates?token=s3cret-1") > 0, "the source itself gets the whole URL"
    assert f"{settled.upstream.url('/rates?')}…: the server answers with status 500" in shown.replace("\\u2026", "…")
    assert f"redirected to https://127.0.0.1:{closed_port()}/x?…" in shown.replace("\\u2026", "…")
    log = settled.sync.log.read_text() + settled.server.log.read_text()
    resident = (settled.state / "feeds.resident").read_bytes().decode(errors="replace")
    for text in (shown, log, resident):
        assert "s3cret" not in text


@dataclass
class Protected:
    """A source that wants a token in a header, and a run of the feed `rates` from it."""

    folder: object
    source: object

    @property
    def token(self):
        return self.folder / "token"

    def write(self, data, mode=0o600):
        self.token.write_bytes(data)
        self.token.chmod(mode)
        return self

    def run(self, path="/rates", header="Authorization", file=None, **variables):
        configuration = {
            "feeds": {"rates": {"url": self.source.url(path), "headers": {header: {"file": str(file or self.token)}}}},
            "tls": {"caFile": str(self.folder / "ca.pem")} if (self.folder / "ca.pem").exists() else {}}
        (self.folder / "sync.json").write_text(json.dumps(configuration))
        return harness.run_sync(
            "run", "--force", "rates", CITIES_STATE=self.folder / "state", CITIES_FEED_RATES=None,
            CITIES_SYNC_CONFIG=self.folder / "sync.json", **variables)


@pytest.fixture
def protected(tmp_path):
    source = Upstream()
    source.answers["/rates"] = upstream.good(FEEDS["rates"].body)
    yield Protected(tmp_path, source).write(b"Bearer s3cret\n")
    source.stop()


def test_a_header_with_a_token_comes_from_a_file(protected):
    done = protected.run()
    assert (done.returncode, done.stderr) == (0, "")
    assert protected.source.last("/rates").headers["Authorization"] == "Bearer s3cret"
    # A credential of the service manager's, by its name; the file is read for every request.
    protected.write(b"Bearer other\r\n")
    done = protected.run(file="token", CREDENTIALS_DIRECTORY=protected.folder)
    assert (done.returncode, done.stderr) == (0, "")
    assert protected.source.last("/rates").headers["Authorization"] == "Bearer other"


def test_a_configured_header_replaces_the_feeds_own(protected):
    assert protected.run(header="accept").returncode == 0
    asked = protected.source.last("/rates").headers
    assert [(name, value) for name, value in asked.items() if name.lower() == "accept"] == [("accept", "Bearer s3cret")]


def test_a_token_that_everybody_can_read_is_warned_of(protected):
    done = protected.write(b"Bearer s3cret", 0o644).run()
    assert done.returncode == 0
    assert f"feeds.rates.headers.Authorization: every user can read {protected.token}" in done.stderr


@pytest.mark.parametrize(
    ("data", "told"), [
        (b"s3cret\r\nX-Other: s3cret", "expected one line of printable ASCII"),
        (b"s3cret\ns3cret\n", "expected one line of printable ASCII"),
        (b"s3cret\x00", "expected one line of printable ASCII"), (b"", "the file is empty"),
        (b"\n", "the file is empty"), (b"s3cret" * 2000, "larger than the 8192 bytes")])
def test_a_token_that_is_not_one_line_is_refused_and_not_shown(protected, data, told):
    done = protected.write(data).run()
    assert done.returncode == 65, done.stderr
    assert told in done.stderr and "s3cret" not in done.stderr + done.stdout
    assert protected.source.asked == []


def test_a_token_that_is_not_there_is_told_with_what_to_do(protected):
    assert "there are no credentials; add LoadCredential=other:PATH" in protected.run(file="other").stderr
    assert "No such file" in protected.run(file="/nonexistent/token").stderr
    assert "expected an absolute path or the name of a credential" in protected.run(file="../token").stderr
    assert protected.source.asked == []


@pytest.mark.parametrize("name", ["Bad Name", "Evil:", "Line\nBreak", "Host", "content-length", "é"])
def test_a_header_name_is_judged(protected, name):
    done = protected.run(header=name)
    assert done.returncode == 65
    assert "not a header name" in done.stderr or "citiesd-sync sets this header itself" in done.stderr


def test_a_token_stays_with_its_origin(protected, authority):
    """It follows a redirect on the same host, and none to another one, nor back from there."""
    (protected.folder / "ca.pem").write_bytes(authority.certificate.read_bytes())
    first, other = (Upstream(authority.context(name)) for name in ("localhost", "other"))
    try:
        first.answers |= {"/one": upstream.redirect("/two"), "/two": upstream.redirect(other.url("/three")),
                          "/four": upstream.good(FEEDS["rates"].body)}
        other.answers["/three"] = upstream.redirect(first.url("/four"))
        protected.source.stop()
        protected.source = first
        done = protected.run("/one", header="X-Token")
        assert done.returncode == 0, done.stderr
        assert first.last("/one").headers["X-Token"] == first.last("/two").headers["X-Token"] == "Bearer s3cret"
        assert "X-Token" not in other.last("/three").headers
        assert "X-Token" not in first.last("/four").headers
    finally:
        first.stop()
        other.stop()


# The command.


def test_samples_give_way_to_real_data_and_stay_where_there_is_none(settled, tmp_path):
    """With samples of the test's own beside a copy of the program."""
    program = tmp_path / "bin" / "citiesd-sync"
    program.parent.mkdir()
    program.write_bytes((harness.BIN / "citiesd-sync").read_bytes())
    program.chmod(0o755)
    folder = tmp_path / "share" / "cities" / "sample"
    folder.mkdir(parents=True)
    for name, feed in FEEDS.items():
        (folder / f"{name}.json").write_bytes(feed.other)
    state = tmp_path / "state"

    def run(*arguments, **urls):
        import subprocess

        variables = {variable(feed): "" for feed in FEEDS} | {variable(feed): url for feed, url in urls.items()}
        return subprocess.run(
            [program, "run", *arguments], capture_output=True, text=True, timeout=60, check=False,
            env=harness.environment(CITIES_STATE=state, **variables))

    taken = run("--samples")
    assert taken.returncode == 0, taken.stderr
    assert [line.split(",")[0] for line in taken.stdout.splitlines()] == [f"{feed}: imported" for feed in FEEDS]
    assert all(stored.read(state, feed)[0]["sample"] for feed in FEEDS)
    assert run("rates", rates=settled.upstream.url("/rates")).stdout.startswith("rates: downloaded")
    assert run("--samples").stdout.splitlines()[NAMES.index("rates")].startswith("rates: reused")
    assert [stored.read(state, feed)[0]["sample"] for feed in FEEDS] == [feed != "rates" for feed in FEEDS]
    assert run("--samples", "--force", "rates").returncode == 0
    assert stored.read(state, "rates")[0]["sample"]


def test_samples_say_where_they_go_and_warn_of_a_server_that_looks_elsewhere(settled, tmp_path):
    samples = harness.BIN.parent / "share" / "cities" / "sample"
    if not samples.is_dir():
        pytest.skip(f"no {samples}: contrib/build makes it")
    other = tmp_path / "other"
    done = harness.run_sync("run", "--samples", "rates", CITIES_STATE=other, CITIES_SOCKET=settled.server.socket)
    assert done.returncode == 0, done.stderr
    assert f"writing samples to {other}" in done.stderr
    assert (f"the server on {settled.server.socket} reads {settled.state} and not {other}; for its samples: "
            f"CITIES_STATE={settled.state} citiesd-sync run --samples\n") in done.stderr
    none = harness.run_sync("run", "--samples", "cities", CITIES_STATE=other, CITIES_SOCKET=tmp_path / "none.sock")
    assert none.returncode == 2 and 'no sample of "cities"; there are swedbank-ee, ' in none.stderr
    link = tmp_path / "link"
    link.symlink_to(settled.state)
    same = harness.run_sync("run", "--samples", "rates", CITIES_STATE=link, CITIES_SOCKET=settled.server.socket)
    assert same.stderr.splitlines()[0] == f"citiesd-sync: writing samples to {link}"
    assert "the server on" not in same.stderr
    alone = harness.run_sync("run", "--samples", "rates", CITIES_STATE=other, CITIES_SOCKET=tmp_path / "none.sock")
    assert alone.stderr == f"citiesd-sync: writing samples to {other}\n"


@pytest.mark.parametrize("names", [["imaginary"], ["cities", "imaginary"], []])
def test_a_run_without_any_source_is_69_and_says_what_to_set(tmp_path, names):
    done = harness.run_sync("run", *names, CITIES_STATE=tmp_path)
    assert done.returncode == 69
    assert "set CITIES_FEED_IMAGINARY" in done.stderr


def test_a_configuration_is_judged_aloud(tmp_path):
    file = tmp_path / "sync.json"

    def run(configuration, **variables):
        file.write_text(json.dumps(configuration))
        return harness.run_sync("run", "cities", CITIES_STATE=tmp_path / "s", CITIES_SYNC_CONFIG=file, **variables)

    odd = run({"feedz": {}, "feeds": {"citys": {"url": "/a"}}}, CITIES_FEED_CITYS="/b")
    for told in (f"{file}:1:2: feedz: unknown key", "feeds.citys.url: unknown key; did you mean feeds.cities.url?",
                 "CITIES_FEED_CITYS: unknown variable"):
        assert told in odd.stderr
    range_of = run({"feeds": {"cities": {"url": "/a"}}}, CITIES_FEED_CITIES_INTERVAL="59")
    assert range_of.returncode == 65
    assert "CITIES_FEED_CITIES_INTERVAL: expected 60 to 31536000 seconds, found \"59\"" in range_of.stderr
    assert str(file) not in range_of.stderr, "the file is not to blame for a variable"
    wrong = run({"feeds": {"cities": {"url": 5}}})
    assert wrong.returncode == 65
    assert f"{file}:1:23: feeds.cities.url: expected text" in wrong.stderr
