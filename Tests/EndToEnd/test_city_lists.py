"""City lists in all their forms: records with other names, dumps of GeoNames', zip archives, and the file of names."""

import gzip
import json
import zipfile

import harness
import pytest
from harness import record, run_sync

# Lines of GeoNames' EE.txt, with the columns of its readme: id, name, asciiname, alternatenames, latitude, longitude,
# feature class and code, country, cc2, admin1 to admin4, population, elevation, dem, time zone, date.
DUMP = """\
453733\tEstonia\tEstonia\tEesti,Estland\t59\t26\tA\tPCLI\tEE\t\t00\t\t\t\t1320884\t\t39\tEurope/Tallinn\t2024-01-01
587448\tVõsu\tVosu\tWoesu,Wösu\t59.57593\t25.96779\tP\tPPL\tEE\t\t08\t\t\t\t483\t\t7\tEurope/Tallinn\t2016-02-10
588335\tTartu\tTartu\tDorpat,TAY,Тарту\t58.38062\t26.72509\tP\tPPLA\tEE\t\t18\t793\t\t\t91407\t\t59\tEurope/Tallinn\t2023-05-23
588336\tTartu Lake
588409\tTallinn\tTallinn\tReval,TLL,Таллин\t59.43696\t24.75353\tP\tPPLC\tEE\t\t01\t784\t\t\t394024\t\t22\tEurope/Tallinn\t2022-01-01
590447\tPeipus\tPeipus\tPeipsi järv\t58.7\t27.4\tH\tLK\tEE\t\t00\t\t\t\t0\t\t30\tEurope/Tallinn\t2020-01-01
592169\tHarku\tHarku\t\t59.38\t24.55\tP\tPPLQ\tEE\t\t01\t\t\t\t0\t\t30\tEurope/Tallinn\t2020-01-01
"""


def zipped(path, **files):
    """Writes a zip archive as GeoNames' are; the files' names without .txt."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in files.items():
            archive.writestr(f"{name}.txt", text)
    return path


def served(folder):
    """The imported cities as a server shows them: title and population."""
    return harness.served_cities(folder, folder / "cities.index", "title,population")


@pytest.mark.parametrize("form", ["plain", "gzip", "zip", "country zip"])
def test_a_dump_of_geonames_is_imported_in_every_form(tmp_path, form):
    source = tmp_path / "EE"
    match form:
        case "plain": source.write_text(DUMP)
        case "gzip": source.write_bytes(gzip.compress(DUMP.encode()))
        case "zip": zipped(source, EE=DUMP)
        case _: zipped(source, readme="Readme for GeoNames", EE=DUMP)
    made = harness.build_index(source, tmp_path / "cities.index")
    assert made.returncode == 0, made.stderr
    assert "7 records read: 3 kept, 0 repeated, 0 replaced, 4 skipped" in made.stdout
    assert [line.partition(": record ")[2] for line in made.stderr.splitlines()[:4]] == [
        "1 skipped: feature class A, not P (populated places)",
        "4 skipped: 2 columns with a TAB between them, where GeoNames' dumps have 19",
        "6 skipped: feature class H, not P (populated places)",
        "7 skipped: feature code PPLQ, a place that is historical, abandoned or destroyed",
    ]
    assert served(tmp_path) == ["Tallinn, EE\t394024", "Tartu, EE\t91407", "Võsu, EE\t483"]
    assert run_sync("verify", tmp_path / "cities.index").returncode == 0


def test_a_dump_is_a_source_like_any_other(server, tmp_path):
    source = zipped(tmp_path / "EE.zip", EE=DUMP)
    imported = run_sync("run", "cities", CITIES_STATE=server.state, CITIES_FEED_CITIES=source)
    assert imported.returncode == 0, imported.stderr
    assert "cities: imported, 7 records read: 3 kept" in imported.stdout
    harness.until(lambda: server.ctl("search", "--count", "ta").stdout == "2\n", 10, "the cities of the dump")
    again = run_sync("run", "cities", CITIES_STATE=server.state, CITIES_FEED_CITIES=source)
    assert "cities: unchanged" in again.stdout


def test_a_zip_archive_that_is_damaged_or_a_bomb_is_refused(tmp_path):
    target = tmp_path / "cities.index"
    target.write_bytes(b"before")
    sound = zipped(tmp_path / "sound.zip", EE=DUMP).read_bytes()
    bomb = tmp_path / "bomb.zip"
    with zipfile.ZipFile(bomb, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive, archive.open("EE.txt",
            "w") as member:
        for _ in range(600):
            member.write(bytes(1 << 20))
    # One line without an end.
    endless = tmp_path / "endless.zip"
    with zipfile.ZipFile(endless, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive, archive.open("EE.txt",
            "w") as member:
        member.write(b"1\t")
        for _ in range(600):
            member.write(b"x" * (1 << 20))
    several = zipped(tmp_path / "several.zip", EE=DUMP, LV=DUMP)
    cut, wrong = tmp_path / "cut.zip", tmp_path / "wrong.zip"
    cut.write_bytes(sound[:-30])
    # The checksum of the directory's only entry.
    entry = sound.rindex(b"PK\x01\x02")
    wrong.write_bytes(sound[:entry + 16] + bytes(4) + sound[entry + 20:])
    for source, problem in [
        (cut, "its directory is missing"), (wrong, 'the checksum of "EE.txt" is wrong'),
        (bomb, "more than the 536870912 bytes that are accepted"), (endless, "no city in it"),
        (several, "it has 2 files and none is named like it"),
    ]:
        done, taken = harness.measured_sync("build", source, target)
        assert done.returncode == 65, f"{source.name}: {done.stderr}"
        assert str(source) in done.stderr and problem in done.stderr
        assert taken < 400 * 1024, f"{source.name}: {taken} KiB"
        assert target.read_bytes() == b"before"


def test_other_names_regions_and_zones_are_imported_and_wrong_ones_left_out_with_a_remark(tmp_path):
    source = harness.write_list(tmp_path / "list.json", [
        record(1, "Reval", "EE", alternatenames=["Tallinn", "TLL", ""], region_code="01", timezone="Europe/Tallinn"),
        record(2, "Dorpat", "EE", alternatenames="Tartu,Yuryev", region="Tartumaa", timezone=3),
        record(3, "Imavere", "EE", alternatenames=["x" * 513, "Imaverre"], region_code="00"),
    ])
    made = harness.build_index(source, tmp_path / "cities.index")
    assert made.returncode == 0
    assert "3 records read: 3 kept" in made.stdout
    assert made.stderr.splitlines() == [
        f"citiesd-sync: {source}: record 2: timezone is not a text, and is left out",
        f"citiesd-sync: {source}: record 3: the alternate name has 513 bytes, at most 512 are kept; it is left out",
    ]
    assert run_sync("verify", tmp_path / "cities.index").returncode == 0
    assert [line.partition("\t")[0] for line in served(tmp_path)] == [
        "Dorpat, EE", "Imavere, EE", "Reval, EE"]


def test_the_names_of_countries_and_regions_are_part_of_what_an_index_is_made_from(tmp_path):
    source = harness.write_list(tmp_path / "list.json", [record(1, "Reval", "EE", region_code="01")])
    names = tmp_path / "names.json"
    made = []
    for region in ("Harjumaa", "Harju", "Harjumaa"):
        names.write_text(json.dumps({"countries": {"EE": ["Estonia"]}, "regions": {"EE.01": [region]}}))
        assert run_sync("build", "--names", names, source, tmp_path / "cities.index").returncode == 0
        made.append((tmp_path / "cities.index").read_bytes())
    assert made[0] == made[2] != made[1]
    names.write_text("[]")
    refused = run_sync("build", "--names", names, source, tmp_path / "cities.index")
    assert refused.returncode == 65 and f"{names}: expected a JSON object of names" in refused.stderr
    assert (tmp_path / "cities.index").read_bytes() == made[2]
