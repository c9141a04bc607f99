/// One resident file, mapped read-only.
public final class ResidentFile: @unchecked Sendable {
  init() {}
}
