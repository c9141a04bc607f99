import CitiesProtocol
import Glibc

/// What other programs do to the server's files.
enum FileActions {
  /// Does one thing to one file.
  static func act(_ kernel: Kernel, _ oracle: Oracle) {
    let subject = kernel.dice.choose(Subject.simulated)
    let place = kernel.dice.hits(200) ? 1 : 0
    let path = subject.paths[place]
    let image = kernel.dice.choose(oracle.images[subject] ?? [])
    switch kernel.dice.pick(0...9) {
    case 0...3: kernel.files.publish(image.bytes, image, at: path)
    case 4: kernel.files.publish(damaged(image.bytes, kernel), nil, at: path)
    case 5: kernel.files.remove(path)
    case 6: if let file = kernel.files.paths[path] { kernel.files.touch(file) }
    default: if let file = kernel.files.paths[path] { change(file, at: path, image, kernel) }
    }
  }

  private static func damaged(_ bytes: [UInt8], _ kernel: Kernel) -> [UInt8] {
    var bytes = bytes
    switch kernel.dice.pick(0...2) {
    case 0: bytes.removeLast(kernel.dice.pick(1...bytes.count))
    case 1: bytes[kernel.dice.pick(0...bytes.count - 1)] ^= 0x41
    default: bytes = Array("not an index".utf8)
    }
    return bytes
  }

  /// Opens the file for writing, and changes it some time later, as cp(1) or an editor does; a part of `other` data
  /// passes the checks of each row.
  private static func change(_ file: SimulatedFile, at path: String, _ other: Image, _ kernel: Kernel) {
    let dice = (kernel.dice.pick(0...3), kernel.dice.delay(upTo: 40_000_000), kernel.dice.delay(upTo: 40_000_000))
    let offset = kernel.dice.pick(0...max(0, file.size - 1))
    let (length, copies) = (
      // The right bytes might repair a file that was damaged before.
      kernel.dice.choose([64, 5_000]), kernel.dice.hits(512) && ![nil, other.variant].contains(file.image?.variant)
    )
    kernel.files.openForWriting(file) { [unowned kernel] in
      kernel.after(dice.1) {
        switch dice.0 {
        case 0: kernel.files.shorten(file, at: path, to: offset)
        case 1: break
        default:
          let count = max(0, min(file.size - offset, length))
          let copied = copies ? Array(other.bytes.dropFirst(offset).prefix(count)) : []
          let bytes = copied.isEmpty ? [UInt8](repeating: 0x2A, count: count) : copied
          kernel.files.overwrite(file, at: path, offset, bytes)
        }
        kernel.after(dice.2) { kernel.files.closeForWriting(file, at: path) }
      }
    }
  }
}
