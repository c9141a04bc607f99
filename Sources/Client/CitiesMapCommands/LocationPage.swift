internal import CitiesCommands
internal import CitiesMap
internal import CitiesProtocol

extension BankShowVerb {
  /// Writes the location to standard output as a page with a map.
  func drawPage(in context: Context) throws -> ExitStatus {
    let request = request
    let reply = try context.send(request)
    let kind = MapMark.Kind(reply.entry.location.kind)
    let subject = MapSubject(
      title: reply.entry.location.title,
      marks: [MapMark(at: reply.entry.location.position, kind: kind, isChosen: true)],
      usualWidth: BankMapVerb.usualWidth)
    try MapPrinter(context: context).write(BankPageText.of(reply.entry, at: request.at), beside: subject)
    context.noteSources(reply.sources, .tsv)
    return .found
  }
}
