/// `mcp`: serves the server's answers as tools for an assistant.
package struct AssistantVerb: HelperVerb {
  package static let command = CommandText(
    "mcp", usage: "[<options>]",
    abstract: "Serve an assistant over the Model Context Protocol.",
    discussion: """
      Serves the Model Context Protocol on standard input and standard output, one JSON-RPC message per line, until \
      the end of the input. Both kinds of clients can use it: those of version 2026-07-28, and those that start with \
      'initialize' (2025-11-25). Messages for people go to standard error.

      An assistant gets five tools, which only read: find_place finds a city by any name, describe_point says which \
      country a position is in and which city is nearest, local_time gives the time of places, banks_near lists the \
      bank branches and cash machines around a place, and convert_money converts an amount exactly. The parameters \
      and results are those of the protocol, see 'citiesctl call'; each tool has a JSON Schema of both.

      To add it to an assistant, enter 'citiesctl mcp' as the command of a local (stdio) server in the assistant's \
      settings. Many assistants read a JSON file with this member:

        "mcpServers": {"cities": {"command": "citiesctl", "args": ["mcp"]}}

        # Check that it answers
        echo '{"jsonrpc": "2.0", "id": 1, "method": "ping"}' | citiesctl mcp
      """)

  package var connection = ConnectionOptions()

  /// Creates an instance for the parser.
  package init() {}
}
