/// What random schemas are thrown with.
protocol SchemaDice {
    var random: SeededGenerator { get set }
    /// How many names there are.
    var counter: Int { get set }
}

extension SchemaDice {
    mutating func chance(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &random) < percent }

    mutating func pick<Element>(_ elements: [Element]) -> Element {
        elements[Int.random(in: 0..<elements.count, using: &random)]
    }

    mutating func name(_ prefix: String) -> String {
        counter += 1
        return "\(prefix)\(counter)"
    }
}
