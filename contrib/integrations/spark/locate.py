"""The city at each position, for a data frame of Apache Spark. Every node needs the package and the program citiesd.

    with_cities(frame, "lat", "lon").groupBy("city").count()
"""

import cities
import pyarrow
from pyspark.sql.types import LongType, StructType


def with_cities(frame, lat, lon, private=True, **options):
    """The frame with columns `city` (its id) and `metres`; options are those of cities.locate, such as rule="place".

    Each task has a server of its own, and uses a processor; `private` is that of cities.connect.
    """
    with cities.connect(private=private) as server:
        options["generation"] = server.generation()

    def locate(batches):
        with cities.connect(private=private) as server:
            for batch in batches:
                found = server.locate(batch.column(lat), batch.column(lon), **options)
                for name, values in (("city", found.ids), ("metres", found.metres)):
                    batch = batch.append_column(name, pyarrow.array(values.astype("int64")))
                yield batch

    return frame.mapInArrow(locate, StructType([*frame.schema]).add("city", LongType()).add("metres", LongType()))
