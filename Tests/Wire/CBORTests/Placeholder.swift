import Testing

@Suite struct CBORTestsPlaceholder {}
