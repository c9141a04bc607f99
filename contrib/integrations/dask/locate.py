"""The city at each position, for a data frame of Dask.

    with_cities(frame, "lat", "lon").city.value_counts()
"""

import cities


def with_cities(frame, lat, lon, **options):
    """The frame with columns `city` (its id) and `metres`; options are those of cities.locate, such as rule="place"."""
    options["generation"] = cities.generation()
    meta = frame._meta.assign(city=frame._meta[lat].astype("uint64"), metres=frame._meta[lat].astype("uint32"))
    return frame.map_partitions(_locate, lat, lon, options, meta=meta)


def _locate(part, lat, lon, options):
    found = cities.locate(part[lat], part[lon], **options)
    return part.assign(city=found.ids, metres=found.metres)
