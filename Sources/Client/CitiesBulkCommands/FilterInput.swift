package import CitiesCommands

/// Performs the verbs about tables and lines of standard input; `nil` for others.
///
/// - Throws: `CommandFailure`, `ClientError` or `OutputError`.
package func filterInput(_ verb: any Verb, in context: Context) throws -> ExitStatus? {
  switch verb {
  case let verb as LocateVerb:
    let question = LocateQuestion(rule: verb.rule, hasCountries: verb.hasCountries)
    return try TableFilter(question, verb.table, context).copy(verb.columns)
  case let verb as MatchVerb:
    return try TableFilter(MatchQuestion(verb), verb.table, context).copy(verb.columns)
  case let verb as any LineVerb where verb.readsLines: return try answerLines(verb, in: context)
  default: return nil
  }
}
