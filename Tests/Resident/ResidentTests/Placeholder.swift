import Testing

@Suite struct ResidentTestsPlaceholder {}
