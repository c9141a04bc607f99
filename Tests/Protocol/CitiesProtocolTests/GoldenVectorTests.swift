import CBOR
import CitiesProtocol
import TestSupport
import Testing

@Suite struct GoldenVectorTests {
  /// How a message's vectors are decoded and encoded again, its types hidden.
  struct Coder: Sendable {
    let kind: String
    let reencode: @Sendable ([UInt8]) throws -> [UInt8]

    init<Frame: Codable & SendableMetatype>(_ kind: String, _ frame: Frame.Type) {
      self.kind = kind
      reencode = { try CBOREncoder().encode(CBORDecoder().decode(Frame.self, from: $0)) }
    }
  }

  /// The coders of a message's frames.
  static func coders<Message: RequestMessage>(_ message: Message.Type) -> [Coder] {
    [
      Coder("\(Message.method).request", RequestEnvelope<Message>.self),
      Coder("\(Message.method).reply", ServerEnvelope<Message>.self),
    ] + (Message.Event.self == NoEvent.self ? [] : [Coder("\(Message.method).event", ServerEnvelope<Message>.self)])
  }

  static let errorCoder = Coder("error", ServerEnvelope<Hello>.self)

  static let allCoders = MessageRegistry.all.flatMap { coders($0) } + [errorCoder]

  /// The codes of this version; a code without a vector is not tested, so the list is spelled out.
  static let codes: [ErrorCode] = [
    .malformed, .frameTooLarge, .unknownMethod, .invalidParams, .notFound, .ambiguous, .noConversion, .tooExpensive,
    .unavailable, .permissionDenied, .staleGeneration, .busy, .internal,
  ]

  @Test func `every registered message has vectors for all its frames`() {
    for coder in Self.allCoders { #expect(!GoldenVector.named(coder.kind).isEmpty, "no vector for \(coder.kind)") }
    for code in Self.codes { #expect(!GoldenVector.named("error.\(code.rawValue)").isEmpty, "no vector for \(code)") }
  }

  @Test(arguments: GoldenVector.all)
  func `vector decodes to its type and encodes to the same bytes`(vector: GoldenVector) throws {
    let coder = try #require(
      Self.allCoders.first { vector.name == $0.kind || vector.name.hasPrefix("\($0.kind).") },
      "\(vector.name) belongs to no registered message")
    #expect(try coder.reencode(vector.payload) == vector.payload)
  }

  @Test(arguments: GoldenVector.all) func `vector is deterministic and fits its frame`(vector: GoldenVector) throws {
    #expect(try canonicalized(vector.payload) == vector.payload)
    #expect(vector.payload.count <= (vector.name.contains(".request") ? Frame.maximumRequest : Frame.maximumReply))
  }

  @Test(arguments: GoldenVector.all.filter { $0.name.hasPrefix("error.") })
  func `error vector carries its code`(vector: GoldenVector) throws {
    let reply = try CBORDecoder().decode(ServerEnvelope<Hello>.self, from: vector.payload)
    #expect(vector.name.split(separator: ".")[1] == reply.error?.code.rawValue ?? "")
    #expect(reply.error?.message.isEmpty == false)
  }

  @Test(arguments: GoldenVector.all) func `cut vector is refused`(vector: GoldenVector) {
    for coder in Self.allCoders where vector.name.hasPrefix(coder.kind) || coder.kind.hasPrefix("status") {
      for count in vector.payload.indices {
        do {
          _ = try coder.reencode(Array(vector.payload[..<count]))
          Issue.record("\(coder.kind) reads the first \(count) bytes")
        } catch is CBORError {
        } catch {
          Issue.record(error)
        }
      }
    }
  }
}
