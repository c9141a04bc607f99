internal import CitiesCommands
internal import CitiesMap
internal import CitiesProtocol

/// `citiesctl bank show` as a page with a map.
struct LocationPage {
  let verb: BankShowVerb
  let context: Context

  /// Writes the page to standard output.
  func write() throws -> ExitStatus {
    let request = verb.request
    let reply = try context.send(request, verb.connection)
    let kind = MapMark.Kind(reply.entry.location.kind)
    let subject = MapSubject(
      title: reply.entry.location.title,
      marks: [MapMark(at: reply.entry.location.position, kind: kind, isChosen: true)], usualWidth: BankMap.usualWidth)
    let printer = MapPrinter(context: context, connection: verb.connection)
    try context.write(BankPageText.of(reply.entry, at: request.at), verb.rendering) { columns in
      try printer.lines(of: subject, columns: columns, verb.rendering.color)
    }
    context.noteSources(reply.sources, .tsv)
    return .found
  }
}
