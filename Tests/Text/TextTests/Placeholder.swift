import Testing

@Suite struct TextTestsPlaceholder {}
