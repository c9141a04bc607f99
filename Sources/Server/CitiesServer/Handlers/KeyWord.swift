/// Keys of parameters that are parsed in place: the first eight bytes of their encodings (a head and up to seven
/// letters), most significant first.
enum KeyWord {
  static let at: UInt64 = 0x6261_7400_0000_0000
  static let lat: UInt64 = 0x636C_6174_0000_0000
  static let lon: UInt64 = 0x636C_6F6E_0000_0000
  static let near: UInt64 = 0x646E_6561_7200_0000
  static let rule: UInt64 = 0x6472_756C_6500_0000
  static let sort: UInt64 = 0x6473_6F72_7400_0000
  static let with: UInt64 = 0x6477_6974_6800_0000
  static let limit: UInt64 = 0x656C_696D_6974_0000
  static let match: UInt64 = 0x656D_6174_6368_0000
  static let place: UInt64 = 0x6570_6C61_6365_0000
  static let query: UInt64 = 0x6571_7565_7279_0000
  static let typos: UInt64 = 0x6574_7970_6F73_0000
  static let offset: UInt64 = 0x666F_6666_7365_7400
  static let prefix: UInt64 = 0x6670_7265_6669_7800
  static let radius: UInt64 = 0x6672_6164_6975_7300
  static let region: UInt64 = 0x6672_6567_696F_6E00
  static let country: UInt64 = 0x6763_6F75_6E74_7279
  static let explain: UInt64 = 0x6765_7870_6C61_696E
  /// The start of "finished": "finishe".
  static let finished: UInt64 = 0x6866_696E_6973_6865
  /// The start of "generation": "generat".
  static let generation: UInt64 = 0x6A67_656E_6572_6174
  /// The start of "population": "populat".
  static let population: UInt64 = 0x6A70_6F70_756C_6174
  /// The start of "provenance": "provena".
  static let provenance: UInt64 = 0x6A70_726F_7665_6E61
}
