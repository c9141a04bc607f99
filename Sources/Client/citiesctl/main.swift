internal import CitiesCommands
internal import Glibc

exit(runCitiesctl())
