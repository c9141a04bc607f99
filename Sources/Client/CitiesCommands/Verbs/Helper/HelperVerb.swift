/// A command that `citiesctl-browse` performs: it draws, and this program links nothing for that.
///
/// Both programs parse it by the same definition, so that help, manual and completion have one source, and wrong use is
/// told before another program is started.
package protocol HelperVerb: Verb {}

extension HelperVerb {
  package func perform(in context: Context) throws -> ExitStatus {
    throw HelperProgram.beside().replaceThisProcess(context.words)
  }
}

/// Performs a verb in the helper program; `nil` for one that it knows nothing of.
package typealias HelperWork = (_ verb: any Verb, _ context: Context) throws -> ExitStatus?
