"""Rows of the Python package as tables of pandas."""

import cities
import pandas


def test_rows_become_a_table_with_whole_numbers(own_server):
    found = cities.find("springfield", country="US", limit=3)
    frame = found.frame()
    assert isinstance(frame, pandas.DataFrame) and frame["region"].tolist() == [row["region"] for row in found]
    assert frame["population"].dtype == "Int64" and frame["id"].dtype == "int64" and frame["lat"].dtype == "float64"
    beside = cities.time("tallinn", {"zone": "UTC"}).frame()
    assert beside["population"].isna().tolist() == [False, True] and beside["population"][0] > 300_000
    empty = cities.Found().frame()
    assert list(empty.columns) == ["name", "country", "region", "population", "lat", "lon", "id"] and empty.empty
