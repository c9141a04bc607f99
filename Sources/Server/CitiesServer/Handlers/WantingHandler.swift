import CBOR
import CitiesProtocol
import FrameService

/// A method whose first request triggers a refresh of the subject's feeds; another handler answers.
///
/// The refresh starts before the answer is computed, so that the reply to a request without data says that it is in
/// progress. So do all replies until the first data is complete.
final class WantingHandler: MethodHandler {
  let method: String
  let isStrict: Bool
  private let handler: any MethodHandler
  private let subject: any SubjectState
  private let sync: SyncClient

  init(_ handler: any MethodHandler, _ subject: any SubjectState, _ sync: SyncClient) {
    (self.handler, self.subject, self.sync) = (handler, subject, sync)
    (method, isStrict) = (handler.method, handler.isStrict)
  }

  func respond(to request: UncheckedRequest, into reply: inout CBORWriter) throws(WireError) -> Answer {
    sync.want(subject)
    guard !sync.isFilling(subject) else {
      throw WireError(
        .unavailable, "\(subject.subject.rawValue): no data yet: its sources are being contacted for the first time",
        data: ErrorData(subject: subject.subject, phase: "downloading", running: true))
    }
    return try handler.respond(to: request, into: &reply)
  }
}
