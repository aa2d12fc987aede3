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

    @Test("a request that waits for its client takes no place, and goes on where others have taken it")
    func waiting() {
        var capacity = StorageCapacity(countMax: 8)
        func begin(_ share: CapacityShare, _ network: String) -> Bool { capacity.begin(share, from: network) }
        #expect(begin(.identity("slow"), "1") && !begin(.identity("slow"), "1"))
        capacity.beginWait(.identity("slow"), from: "1")
        #expect(capacity.count == 0 && begin(.identity("slow"), "1"))
        for number in 0..<7 { #expect(begin(.identity("\(number)"), "\(number)")) }
        #expect(capacity.count == 8)
        capacity.endWait(.identity("slow"), from: "1")
        #expect(capacity.count == 9 && !begin(.operator, "2"))
        capacity.end(.identity("slow"), from: "1")
        capacity.end(.identity("slow"), from: "1")
        #expect(begin(.operator, "2") && capacity.count == 8)
    }
}
