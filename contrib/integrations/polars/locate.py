"""The city at each position, as an expression of Polars. It uses every processor.

    frame.with_columns(locate("lat", "lon")).unnest("city")
"""

import os
from concurrent.futures import ThreadPoolExecutor

import cities
import polars

#: Rows that a server answers at once, so that few rows start no server in vain.
ROWS = 20_000


def locate(lat, lon, private=True, **options):
    """A column `city` with `id` and `metres`; options are those of cities.locate, such as rule="place".

    There are as many servers as processors, which end with the expression; `private` is that of cities.connect.
    """
    server, jobs = cities.connect(private=private), len(os.sched_getaffinity(0))
    options["generation"] = server.generation()

    def part(columns):
        found = server.locate(*columns, **options)
        return polars.DataFrame({"id": found.ids, "metres": found.metres})

    def batch(columns):
        # A literal is a column of one row.
        rows = next((len(column) for column in columns if len(column) != 1), 1)
        columns = [column.new_from_index(0, rows) if len(column) == 1 else column for column in columns]
        if any(len(column) != rows for column in columns):
            raise ValueError(" and ".join(f"{len(column)} rows" for column in columns))
        size = max(ROWS, -(-rows // jobs))
        with ThreadPoolExecutor(jobs) as pool:
            parts = [[column[start:start + size] for column in columns] for start in range(0, max(rows, 1), size)]
            return polars.concat(pool.map(part, parts)).to_struct("city")

    kind = polars.Struct({"id": polars.UInt64, "metres": polars.UInt32})
    return polars.map_batches([lat, lon], batch, return_dtype=kind, is_elementwise=True).alias("city")
