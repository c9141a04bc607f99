/// When output is emphasized.
package enum ColourChoice: String, CaseIterable, Sendable {
  /// On a terminal that can, unless the environment says otherwise.
  case auto
  /// Always.
  case always
  /// Never.
  case never

  /// The decision for one stream: the option, then a non-empty `NO_COLOR`, then `CLICOLOR_FORCE`, then whether it is a
  /// terminal and `TERM` is not `dumb`.
  package func applies(toTerminal isTerminal: @autoclosure () -> Bool, environment: (String) -> String?) -> Bool {
    switch self {
    case .always: return true
    case .never: return false
    case .auto: break
    }
    if let value = environment("NO_COLOR"), !value.isEmpty { return false }
    if let value = environment("CLICOLOR_FORCE"), !value.isEmpty, value != "0" { return true }
    return isTerminal() && environment("TERM") != "dumb"
  }
}
