"""The city at each position, for a data frame of Apache Spark. Every worker node needs the package and a citiesd.

    with_cities(frame, "lat", "lon").groupBy("city").count()
"""

import cities
import pyarrow
from pyspark.sql.types import LongType, StructType


def with_cities(frame, lat, lon, **options):
    """The frame with columns `city` (its id) and `metres`; options are those of cities.locate, such as rule="place"."""
    options["generation"] = cities.generation()

    def locate(batches):
        for batch in batches:
            found = cities.locate(batch.column(lat), batch.column(lon), **options)
            for name, values in (("city", found.ids), ("metres", found.metres)):
                batch = batch.append_column(name, pyarrow.array(values.astype("int64")))
            yield batch

    return frame.mapInArrow(locate, StructType([*frame.schema]).add("city", LongType()).add("metres", LongType()))
