internal import CitiesAssistant
internal import CitiesBrowser
internal import CitiesBulkCommands
internal import CitiesCommands
internal import CitiesMapCommands
internal import Glibc

exit(
  runHelper {
    try drawMap($0, in: $1) ?? filterInput($0, in: $1) ?? serveAssistant($0, in: $1, drawing: drawMap)
      ?? browse($0, in: $1)
  })
