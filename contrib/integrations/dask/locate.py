"""The city at each position, for a data frame of Dask. Every node needs the package and the program citiesd.

    with_cities(frame, "lat", "lon").city.value_counts()
"""

import cities


def with_cities(frame, lat, lon, private=True, **options):
    """The frame with columns `city` (its id) and `metres`; options are those of cities.locate, such as rule="place".

    Each partition has a server of its own, and uses a processor; `private` is that of cities.connect.
    """
    with cities.connect(private=private) as server:
        options["generation"] = server.generation()
    meta = frame._meta.assign(city=frame._meta[lat].astype("uint64"), metres=frame._meta[lat].astype("uint32"))
    return frame.map_partitions(_locate, lat, lon, private, options, meta=meta)


def _locate(part, lat, lon, private, options):
    with cities.connect(private=private) as server:
        found = server.locate(part[lat], part[lon], **options)
    return part.assign(city=found.ids, metres=found.metres)
