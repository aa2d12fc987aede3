import Encodings
import Foundation
import Testing

@testable import API

@Suite("Moments as text") struct DateTimeTests {
    @Test(
        "known moments",
        arguments: [
            (0, "1970-01-01T00:00:00.000Z"), (1, "1970-01-01T00:00:00.001Z"), (-1, "1969-12-31T23:59:59.999Z"),
            (951_782_400_000, "2000-02-29T00:00:00.000Z"), (951_868_799_999, "2000-02-29T23:59:59.999Z"),
            (951_868_800_000, "2000-03-01T00:00:00.000Z"), (1_680_674_828_910, "2023-04-05T06:07:08.910Z"),
            (1_709_164_800_000, "2024-02-29T00:00:00.000Z"), (1_735_689_599_999, "2024-12-31T23:59:59.999Z"),
            (4_107_542_400_000, "2100-03-01T00:00:00.000Z"), (4_107_456_000_000, "2100-02-28T00:00:00.000Z"),
            (-2_203_891_200_000, "1900-03-01T00:00:00.000Z"), (253_402_300_799_999, "9999-12-31T23:59:59.999Z"),
            (-62_135_596_800_000, "0001-01-01T00:00:00.000Z"),
        ] as [(Int64, String)])
    func known(milliseconds: Int64, text: String) {
        #expect(DateTime.text(milliseconds: milliseconds) == text)
    }

    @Test("random moments of four centuries, as Foundation writes them")
    func random() {
        let seed = UInt64.testSeed(in: .min ... .max)
        var generator = SeededGenerator(seed: seed)
        let style = Date.ISO8601FormatStyle(includingFractionalSeconds: true)
        for _ in 0..<5_000 {
            // From 1800 to 2200. Whole seconds for Foundation, which keeps a Date as a Double.
            let seconds = Int64.random(in: -5_364_662_400...7_258_118_400, using: &generator)
            let expected = Date(timeIntervalSince1970: TimeInterval(seconds)).formatted(style)
            #expect(DateTime.text(milliseconds: seconds * 1_000) == expected, "seed \(seed)")
            let milliseconds = Int64.random(in: 0..<1_000, using: &generator)
            let text = DateTime.text(milliseconds: seconds * 1_000 + milliseconds)
            #expect(
                text.prefix(20) == expected.prefix(20)
                    && text.dropFirst(20) == String(format: "%03dZ", Int(milliseconds)))
        }
    }
}
