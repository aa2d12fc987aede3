import Testing

@testable import Tables

@Suite("Text search") struct TextSearchTests {
    private func find(_ part: [UInt8], in text: [UInt8]) -> (end: Int?, matches: Bool, plainlyMatches: Bool) {
        unsafe text.withUnsafeBytes { text in
            unsafe part.withUnsafeBytes { part in
                let search = unsafe TextSearch(for: part)
                return unsafe (
                    search.end(in: text), search.matches(in: text), TextSearch.plainlyMatches(part, in: text)
                )
            }
        }
    }

    @Test("the search finds what comparing at each place finds, in texts that repeat themselves")
    func random() {
        let seed = UInt64.testSeed(in: .min ... .max)
        var generator = SeededGenerator(seed: seed)
        for _ in 0..<3_000 {
            let letters = UInt8.random(in: 1...3, using: &generator)
            func bytes(_ countMax: Int) -> [UInt8] {
                (0..<Int.random(in: 0...countMax, using: &generator)).map { _ in
                    UInt8.random(in: 0..<letters, using: &generator)
                }
            }
            let (text, part) = (bytes(40), bytes(7))
            let start = (0...text.count).first { text[$0...].starts(with: part) }
            let found = find(part, in: text)
            #expect(
                found == (start.map { $0 + part.count }, start != nil, start != nil), "seed \(seed): \(part) in \(text)"
            )
        }
    }

    @Test("half a megabyte that is nearly in a megabyte at every place takes no quadratic time")
    func linear() {
        let text = [UInt8](repeating: 0x61, count: 1 << 20)
        var part = [UInt8](repeating: 0x61, count: 1 << 19)
        part[part.count - 1] = 0x62
        let start = ThreadClock.nanoseconds
        let isFound = unsafe text.withUnsafeBytes { text in
            unsafe part.withUnsafeBytes { unsafe TextSearch.matches($0, in: text) }
        }
        #expect(!isFound)
        // Comparing at each place takes 2³⁸ comparisons. The thread's own time does not depend on other programs, and an
        // unoptimised build is a fraction of a second away from this bound.
        #expect(ThreadClock.nanoseconds - start < 5_000_000_000)
    }

    @Test("objects whose member names differ in bytes but not in Unicode equivalence are not equal")
    func memberNamesByBytes() throws {
        let composed = Array("{\"\u{E9}\": 1}".utf8)
        let decomposed = Array("{\"e\u{301}\": 1}".utf8)
        func areEqual(_ left: [UInt8], _ right: [UInt8]) -> Bool {
            unsafe left.withUnsafeBytes { left in
                unsafe right.withUnsafeBytes { unsafe JSONComparison.areEqual(left, $0) }
            }
        }
        #expect(areEqual(composed, composed))
        #expect(!areEqual(composed, decomposed))
    }
}
