/// A number with a fixed number of decimals, at most 6, and without an exponent; halves are rounded away from zero.
///
/// What is beyond a billion is written as a billion.
func fixed(_ number: Double, decimals: Int) -> String {
  let factor = (0..<min(decimals, 6)).reduce(1) { product, _ in product * 10 }
  let scaled = Int((min(abs(number), 1e9) * Double(factor) + 0.5).rounded(.down))
  let sign = number < 0 && scaled > 0 ? "-" : ""
  guard factor > 1 else { return "\(sign)\(scaled)" }
  let fraction = "\(factor + scaled % factor)".dropFirst()
  return "\(sign)\(scaled / factor).\(fraction)"
}

/// The same with two decimals at most and no zeros at the end, for vector pictures.
func short(_ number: Double) -> String {
  var text = fixed(number, decimals: 2)
  while text.hasSuffix("0") { text.removeLast() }
  if text.hasSuffix(".") { text.removeLast() }
  return text == "-0" ? "0" : text
}
