internal import CitiesClient
internal import CitiesCommands
internal import CitiesProtocol

/// Asks the server for what a map needs.
struct Asker {
  let context: Context
  let connection: ConnectionOptions

  /// The answer to a request.
  ///
  /// - Throws: `ClientError`.
  func ask<Message: RequestMessage>(_ message: Message) throws(ClientError) -> Message.Reply {
    try context.ask(connection) { (client) throws(ClientError) in try client.send(message) }
  }
}
