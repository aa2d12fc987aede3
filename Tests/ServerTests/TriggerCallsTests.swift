import Testing

@testable import Server

@Suite("Calls of triggers")
struct TriggerCallsTests {
    @Test("one network leaves places for others, and takes what they do not need")
    func shares() {
        let calls = TriggerCalls()
        let taken = (0..<64).prefix { _ in calls.begin("u", "one", countMax: 64) }.count
        #expect(taken == 32)
        let others = (0..<64).prefix { _ in calls.begin("u", "two", countMax: 64) }.count
        #expect(others == 16)
        #expect(calls.begin("v", "one", countMax: 64))
        for _ in 0..<32 { calls.end("u", "one") }
        #expect(calls.begin("u", "one", countMax: 64))
    }
}
