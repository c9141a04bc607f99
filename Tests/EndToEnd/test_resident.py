"""A damaged, foreign, older or empty index is refused with advice, and the data being served stay."""

import os
import re
import struct
import zlib

import harness
import pytest
from harness import until

FORMAT_VERSION, HEADER_CHECKSUM, TABLE, ENTRY = 8, 60, 64, 24


def crc32c(data):
    """CRC32C (Castagnoli), bit by bit: slow, and written from its polynomial alone."""
    crc = 0xFFFFFFFF
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = crc >> 1 ^ (0x82F63B78 if crc & 1 else 0)
    return crc ^ 0xFFFFFFFF


def with_version(index, version):
    """An intact file of another format version, its header checksum right."""
    head = bytearray(index)
    struct.pack_into("<I", head, FORMAT_VERSION, version)
    (count,) = struct.unpack_from("<I", head, 20)
    checked = bytes(head[:HEADER_CHECKSUM]) + bytes(head[TABLE:TABLE + count * ENTRY])
    struct.pack_into("<I", head, HEADER_CHECKSUM, crc32c(checked))
    return bytes(head)


def flipped(index, offset):
    """The file with one bit changed."""
    changed = bytearray(index)
    changed[offset] ^= 0x10
    return bytes(changed)


def damages(index):
    """Every way to spoil a file that this module tries, by name."""
    sections = struct.unpack_from("<I", index, 20)[0]
    for entry in range(sections):
        name, _, offset, length = struct.unpack_from("<4sIQQ", index, TABLE + entry * ENTRY)
        if length:
            yield f"a bit flipped in section {name.decode()}", flipped(index, offset + length // 2)
    yield "a bit flipped in the magic", flipped(index, 1)
    yield "a bit flipped in the header", flipped(index, 33)
    yield "a bit flipped in the section table", flipped(index, TABLE + 9)
    yield "cut in half", index[:len(index) // 2]
    yield "cut by a byte", index[:-1]
    yield "cut within the header", index[:40]
    yield "a byte too long", index + b"\x00"
    yield "of an older version", with_version(index, 0)
    yield "of a newer version", with_version(index, 9)
    yield "empty", b""
    yield "a text file", b"[]\n" * 100
    yield "a compressed list", zlib.compress(b"[]" * 1000)


def replace(server, data):
    """Puts a file in place as an importer does: written beside, then renamed."""
    beside = server.state / ".incoming"
    beside.write_bytes(data)
    os.rename(beside, server.state / "cities.index")


def cities(server):
    with server.wire() as wire:
        return next(s for s in wire.call("status")["subjects"] if s["subject"] == "cities")


def test_no_damaged_file_takes_the_place_of_what_is_served(server, small_index):
    before = server.generation()
    for name, data in damages(small_index.read_bytes()):
        replace(server, data)
        problem = until(lambda: cities(server).get("problem"), what=f"a problem with an index {name}")
        assert "cities.index" in problem and "citiesd-sync" in problem, f"{name}: no advice in {problem!r}"
        assert server.generation() == before, name
        with server.wire() as wire:
            assert wire.call("city.search", prefix="alb")["total"] == 1, name
        replace(server, small_index.read_bytes())
        until(lambda: not cities(server).get("problem"), what=f"recovery from an index {name}")


def test_a_server_that_starts_on_a_damaged_file_says_what_to_do(tmp_path, small_index):
    for number, (name, data) in enumerate(damages(small_index.read_bytes())):
        server = harness.Server(tmp_path / str(number)).without_installed_list()
        (server.state / "cities.index").write_bytes(data)
        server.start()
        try:
            asked = server.ctl("search", "alb", "--timeout", "1", "--wait", "0")
            assert (asked.returncode, asked.stdout) == (75, ""), name
            problem = cities(server)["problem"]
            assert "cities.index" in problem and "citiesd-sync" in problem, f"{name}: no advice in {problem!r}"
            assert "citiesd-sync" in server.log.read_text(), f"{name}: nothing in the log"
        finally:
            assert server.stop() == 0


def test_an_older_file_names_both_versions(server, small_index):
    replace(server, with_version(small_index.read_bytes(), 0))
    problem = until(lambda: re.search("version 0.*", cities(server).get("problem", "")),
        what="a problem with the version")
    assert "expected 1" in problem[0]


@pytest.mark.parametrize("name", ["empty", "cut in half", "a text file", "of an older version"])
def test_verify_refuses_a_damaged_file_with_its_path(tmp_path, small_index, name):
    path = tmp_path / "spoiled.index"
    path.write_bytes(dict(damages(small_index.read_bytes()))[name])
    checked = harness.run_sync("verify", path)
    assert checked.returncode == 65, checked.stderr
    assert str(path) in checked.stderr


def test_verify_accepts_what_build_wrote(small_index):
    for path in small_index, harness.PREBUILT:
        checked = harness.run_sync("verify", path)
        assert checked.returncode == 0, checked.stderr


def test_the_same_input_gives_the_same_bytes(tmp_path, small_index):
    source = harness.write_list(tmp_path / "list.json.gz", list_of_small())
    assert harness.build_index(source, tmp_path / "again.index").returncode == 0
    first = harness.write_list(tmp_path / "list.json", list_of_small())
    assert harness.build_index(first, tmp_path / "plain.index").returncode == 0
    again = (tmp_path / "again.index").read_bytes()
    assert harness.build_index(source, tmp_path / "third.index").returncode == 0
    assert (tmp_path / "third.index").read_bytes() == again
    assert content(again) == content((tmp_path / "plain.index").read_bytes())


def content(index):
    """What an index says about its cities: everything after the header, whatever it was made from."""
    return index[TABLE:]


def list_of_small():
    from conftest import SMALL_LIST

    return SMALL_LIST
