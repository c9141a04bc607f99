import Base
internal import CBOR
import CBORTools
internal import CitiesClient
internal import CitiesProtocol

extension Diagnostics {
  /// Shows one frame: its bytes in hexadecimal, each item annotated, and then the whole in diagnostic notation.
  ///
  /// ```
  /// > frame of 35 bytes
  /// > 0000001f                                      # 31 bytes
  /// > a3                                            # map of 3
  /// >   62 6964                                     # "id"
  /// >   …
  /// > {"id": 1, "method": "status", "params": {}}
  /// ```
  func trace(_ direction: Client.Direction, _ payload: UnsafeRawBufferPointer) {
    let arrow: StaticString = direction == .sent ? "> " : "< "
    let lines = frameLines(Array(payload))
    say(lines.map { "\(arrow)\($0)" }.joined(separator: "\n"))
  }
}

/// The lines about the frame of `payload`.
private func frameLines(_ payload: [UInt8]) -> [String] {
  let (a, b, c, d) = Frame.header(length: payload.count)
  let header = "\(hexadecimal([a, b, c, d]))                                      # \(payload.count) bytes"
  return ["frame of \(Frame.headerSize + payload.count) bytes", header] + payloadLines(payload)
}

private func payloadLines(_ payload: [UInt8]) -> [String] {
  do {
    let annotated = try annotatedHexadecimal(payload).split(separator: "\n").map(String.init)
    return annotated + [try CBORValue(decoding: payload).diagnostic]
  } catch {
    let lines = stride(from: 0, to: payload.count, by: 32).map { start in
      hexadecimal(payload[start..<min(start + 32, payload.count)])
    }
    return lines + ["no CBOR item: \(error)"]
  }
}

/// `bytes` as lower-case hexadecimal digits.
private func hexadecimal(_ bytes: some Sequence<UInt8>) -> String {
  var digits: [UInt8] = []
  digits.appendHexadecimal(bytes)
  return String(decoding: digits, as: UTF8.self)
}
