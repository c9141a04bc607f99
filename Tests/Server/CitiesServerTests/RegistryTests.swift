import CitiesProtocol
import FrameService
import Logging
import TestSupport
import Testing

@testable import CitiesServer

@Suite struct RegistryTests {
  private func handlers() throws -> [String] {
    let folder = try TemporaryFolder()
    let server = try QueryServer(
      ServerConfiguration(stateFolder: folder.path), Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
    return server.makeHandlers().map(\.method)
  }

  @Test(arguments: MessageRegistry.public.map { $0.method })
  func `every public message has a handler`(
    method: String
  ) throws {
    #expect(try handlers().contains(method))
  }

  @Test func `every handler answers a public message, and one only`() throws {
    let methods = try handlers()
    #expect(methods.sorted() == MessageRegistry.public.map { $0.method }.sorted())
  }

  @Test(arguments: MessageRegistry.internal.map { $0.method })
  func `internal messages are not answered`(
    method: String
  ) throws {
    #expect(try !handlers().contains(method))
  }
}
