/// Why a text is no JSON, or none that is accepted.
public struct JSONError: Error, Equatable, Sendable {
  /// What is wrong, as one clause.
  public var reason: String
  /// Offset of the offending character in the text's UTF-8, from 0; the length of the text if it ends too early.
  public var offset: Int

  /// Makes an error.
  public init(_ reason: String, offset: Int) {
    self.reason = reason
    self.offset = offset
  }
}

extension JSONError: CustomStringConvertible {
  /// The reason and the place: `"," or "]" is expected (byte 4)`.
  public var description: String { "\(reason) (byte \(offset))" }
}
