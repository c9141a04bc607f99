// CitiesServer: not written yet.
