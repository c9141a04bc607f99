"""The city at each position, as a function of DuckDB's SQL.

    register(connection)
    connection.sql("SELECT city.id, city.metres FROM (SELECT cities_locate(lat, lon) AS city FROM points)")
"""

import cities
import duckdb
import pyarrow


def register(connection, **options):
    """Adds cities_locate(lat, lon) to a connection; options are those of cities.locate, such as rule="place"."""
    generation = cities.generation()

    def locate(lat, lon):
        found = cities.locate(lat, lon, generation=generation, **options)
        return pyarrow.StructArray.from_arrays([pyarrow.array(found.ids), pyarrow.array(found.metres)],
            ["id", "metres"])

    city = duckdb.struct_type({"id": "UBIGINT", "metres": "UINTEGER"})
    connection.create_function(
        "cities_locate", locate, ["DOUBLE", "DOUBLE"], city, type="arrow", null_handling="special")
