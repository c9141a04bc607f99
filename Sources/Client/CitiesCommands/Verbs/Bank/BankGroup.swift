internal import ArgumentParser

/// `bank`: the commands about locations of banks.
struct BankGroup: VerbGroup {
  static let verbs: [any Verb.Type] = [
    BankRegionsVerb.self, BankListVerb.self, BankSearchVerb.self, BankShowVerb.self, BankNearVerb.self,
    BankMapVerb.self,
  ]

  static let configuration = CommandConfiguration.group(
    "bank", verbs,
    abstract: "Ask about branches and cash machines.",
    discussion: """
      A location is a branch, an ATM (a cash machine) or a BNA (one that takes cash in, too). 'open' is yes, no or \
      unknown, by the clock of the location's own time zone; unreadable hours are never guessed.

        citiesctl bank regions
        citiesctl bank list --country Lithuania --region Alytus
        citiesctl bank near 'Tallinn, EE' --kind atm --open-now
      """)
}
