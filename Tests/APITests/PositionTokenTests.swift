import Tables
import Testing

@testable import API

@Suite("The position inside a token") struct PositionTokenTests {
    static let positions = [
        Position(sort: nil, rowID: 1), Position(sort: nil, rowID: .max), Position(sort: nil, rowID: .min),
        Position(sort: .null, rowID: 7),
        Position(sort: .integer(0), rowID: 7), Position(sort: .integer(.min), rowID: 7),
        Position(sort: .integer(.max), rowID: 7),
        Position(sort: .real(-0.0), rowID: 7), Position(sort: .real(.greatestFiniteMagnitude), rowID: 7),
        Position(sort: .text(""), rowID: 7), Position(sort: .text("Zoë ☕ \0 #"), rowID: 7),
    ]

    @Test("comes back as it was", arguments: positions)
    func roundTrip(position: Position) {
        #expect(Position(tokenBytes: position.tokenBytes) == position)
    }

    @Test(
        "bytes that encode no position are refused",
        arguments: [
            [], [1, 2, 3], [0, 0, 0, 0, 0, 0, 0], [0, 0, 0, 0, 0, 0, 0, 0, 9], [0, 0, 0, 0, 0, 0, 0, 0, 1],
            [0, 0, 0, 0, 0, 0, 0, 0, 2, 1, 1],
        ] as [[UInt8]])
    func none(bytes: [UInt8]) {
        #expect(Position(tokenBytes: bytes) == nil)
    }

    @Test("random ones, and random bytes never trap")
    func random() {
        let seed = UInt64.testSeed(in: .min ... .max)
        var generator = SeededGenerator(seed: seed)
        for _ in 0..<2_000 {
            let row = Int64.random(in: .min ... .max, using: &generator)
            let sort: Value? =
                switch UInt8.random(in: 0..<4, using: &generator) {
                case 0: nil
                case 1: .integer(.random(in: .min ... .max, using: &generator))
                case 2: .real(.random(in: -1e300...1e300, using: &generator))
                default: .text(String((0..<5).map { _ in "aé☕#\"".randomElement(using: &generator) ?? "a" }))
                }
            let position = Position(sort: sort, rowID: row)
            #expect(Position(tokenBytes: position.tokenBytes) == position, "seed \(seed)")
            let count = Int.random(in: 0..<30, using: &generator)
            _ = Position(tokenBytes: (0..<count).map { _ in UInt8.random(in: 0...255, using: &generator) })
        }
    }
}
