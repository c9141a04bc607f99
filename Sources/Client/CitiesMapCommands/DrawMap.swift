package import CitiesCommands

/// Performs the verbs about maps; `nil` for others.
///
/// - Throws: `CommandFailure`, `ClientError` or `OutputError`.
package func drawMap(_ verb: any Verb, in context: Context) throws -> ExitStatus? {
  switch verb {
  case let verb as MapVerb: try CityMap(verb: verb, context: context).draw()
  case let verb as BankMapVerb: try BankMap(verb: verb, context: context).draw()
  default: nil
  }
}
