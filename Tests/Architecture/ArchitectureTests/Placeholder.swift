import Testing

@Suite struct ArchitectureTestsPlaceholder {}
