/// The style sheet of vector pictures.
///
/// Kinds of marks are told apart by their shapes; colours only help. All of them have a contrast of at least 4.5 to the
/// paper they stand on, as have texts.
let vectorStyle = """

  svg { color-scheme: light dark; font: 13px system-ui, "Segoe UI", "DejaVu Sans", sans-serif }
  text { fill: #1f2328 } .head { font-size: 17px; font-weight: 600 } .end { text-anchor: end }
  .paper { fill: #ffffff } .frame { fill: none; stroke: #afb8c1 } .scale { fill: none; stroke: #1f2328; stroke-width: 1.5 }
  .coast { fill: none; stroke: #0a6fa8; stroke-width: 1.3; stroke-linejoin: round }
  .border { fill: none; stroke: #77706a; stroke-width: 1; stroke-dasharray: 4 3 }
  .grid { fill: none; stroke: #c3c9cf; stroke-width: 1; stroke-dasharray: 2 4 } .degrees, .note { fill: #59636e }
  .label { paint-order: stroke; stroke: #ffffff; stroke-width: 3px; stroke-linejoin: round } .chosen { font-weight: 600 }
  .ring { fill: none; stroke: #1f2328; stroke-width: 1.5 } .city { fill: #1f2328 }
  .branch { fill: #b3400a } .atm { fill: #1d4ed8 } .bna { fill: #047857 } .here { fill: #b31d28 }
  .other { fill: none; stroke: #1f2328; stroke-width: 2 }
  @media (prefers-color-scheme: dark) {
    text { fill: #e6edf3 } .paper { fill: #0d1117 } .frame { stroke: #3d444d } .scale { stroke: #e6edf3 }
    .coast { stroke: #58b0e3 } .border { stroke: #9a938b } .grid { stroke: #3d444d } .degrees, .note { fill: #9198a1 }
    .label { stroke: #0d1117 } .ring { stroke: #e6edf3 } .city { fill: #e6edf3 } .branch { fill: #f0883e }
    .atm { fill: #79a6ff } .bna { fill: #3fb68b } .here { fill: #ff7b72 } .other { stroke: #e6edf3 }
  }

  """
