import Buckets
import Testing

@testable import Server

@Suite("Requests to buckets under way")
struct StorageCapacityTests {
    @Test("an identity, the guests of a network and a network have shares, and a tenth is kept for operators")
    func shares() {
        var capacity = StorageCapacity(countMax: 80)
        func begun(_ share: CapacityShare, _ network: String) -> Int {
            var count = 0
            while capacity.begin(share, from: network) { count += 1 }
            return count
        }
        #expect(begun(.identity("a"), "1") == 10 && begun(.identity("a"), "2") == 0)
        #expect(begun(.guests, "1") == 20)
        for (id, count) in [("b", 10), ("c", 10), ("d", 10), ("e", 0)] { #expect(begun(.identity(id), "1") == count) }
        #expect(begun(.guests, "2") == 12 && begun(.identity("f"), "3") == 0)
        #expect(capacity.count == 72 && begun(.operator, "1") == 8)
        capacity.end(.identity("a"), from: "1")
        #expect(begun(.operator, "1") == 1)
        for _ in 0..<9 { capacity.end(.operator, from: "1") }
        #expect(begun(.identity("f"), "3") == 1 && begun(.identity("a"), "1") == 0)
    }
}
