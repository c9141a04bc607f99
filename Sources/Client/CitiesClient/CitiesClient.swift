// CitiesClient: not written yet.
