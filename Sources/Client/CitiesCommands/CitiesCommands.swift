// CitiesCommands: not written yet.
