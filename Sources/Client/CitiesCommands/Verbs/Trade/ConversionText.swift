internal import CBOR
internal import CitiesProtocol

/// How an amount came about, as text.
enum ConversionText {
  /// The currencies of a path: `USD>EUR>CAD`; `<` stands where the given rate leads the other way.
  static func path(_ row: ConversionRow) -> String {
    row.steps.reduce(row.from) { path, step in path + (step.reversed ? "<" : ">") + step.to }
  }

  /// Each step of a conversion: `× 0.736 = 7.36000 EUR`, and what it was rounded to.
  static func steps(_ row: ConversionRow, _ trace: [CBORDecimal], _ result: CBORDecimal?) -> String {
    let steps = zip(row.steps, trace).map { step, amount in "× \(factor(step)) = \(amount) \(step.to)" }
    guard let result, !steps.isEmpty else { return steps.joined(separator: ", ") }
    return (steps + ["rounded \(result)"]).joined(separator: ", ")
  }

  /// A path for people, a line a step.
  static func lines(_ row: ConversionRow) -> [String] {
    row.steps.map { step in "\(step.from) to \(step.to): × \(factor(step)), \(origin(step))" }
  }

  private static func factor(_ step: ConversionRow.Step) -> String { "\(step.rate)" }

  private static func origin(_ step: ConversionRow.Step) -> String {
    guard step.reversed else { return "given" }
    return "1/\(step.given), for the rate is given from \(step.to) to \(step.from)"
      + (step.rounded ? "; rounded to 38 digits" : "")
  }
}
