"""The city at each position, as an expression of Polars.

    frame.with_columns(locate("lat", "lon")).unnest("city")
"""

import cities
import polars


def locate(lat, lon, **options):
    """A column `city` with `id` and `metres`; options are those of cities.locate, such as rule="place"."""
    generation = cities.generation()

    def batch(columns):
        found = cities.locate(*columns, generation=generation, **options)
        return polars.DataFrame({"id": found.ids, "metres": found.metres}).to_struct("city")

    kind = polars.Struct({"id": polars.UInt64, "metres": polars.UInt32})
    return polars.map_batches([lat, lon], batch, return_dtype=kind, is_elementwise=True).alias("city")
