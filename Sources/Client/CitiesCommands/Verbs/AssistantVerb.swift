/// `mcp`: serves the server's answers as tools for an assistant.
package struct AssistantVerb: HelperVerb {
  package static let command = CommandText(
    "mcp", usage: "[<options>]",
    abstract: "Serve an assistant over the Model Context Protocol.",
    discussion: """
      Serves the Model Context Protocol on standard input and standard output, one JSON-RPC message per line, until \
      the end of the input. Both kinds of clients can use it: those of version 2026-07-28, and those that start with \
      'initialize' (2025-11-25, 2025-06-18, 2025-03-26 or 2024-11-05). Messages for people go to standard error.

      An assistant gets eight tools, which only read: find_place finds a city by any name, describe_point says which \
      country a position is in and which city is nearest, local_time gives the time of places, banks_near lists the \
      bank branches and cash machines around a place, convert_money converts an amount exactly, distance measures the \
      way between two places, country describes a country, and map draws a place or a country as SVG, or with \
      rsvg-convert as PNG. The parameters and results of the first five are those of the protocol, see \
      'citiesctl call', except that a place may be its name; those of the others are those of the commands with \
      --output json. Each tool has a JSON Schema of its parameters, and of its results unless it is a map.

      Names and addresses are data of foreign sources. Each row of a text is one line, with these values in quotation \
      marks and cut at 100 characters; structured content has them whole. Both are without control characters, \
      characters that people cannot see, and those that change the direction of text.

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
