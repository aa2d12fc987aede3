import Testing

@testable import Buckets

@Suite("Requests to buckets under way")
struct CapacityShareTests {
    @Test("an identity, the guests of a network and a network have shares, and a tenth is kept for operators")
    func shares() {
        var capacity = CapacityShares(.requests(countMax: 80))
        func begun(_ share: CapacityShare, _ network: String) -> Int {
            var count = 0
            while capacity.take(for: .init(share, network: network)) { count += 1 }
            return count
        }
        #expect(begun(.identity("a"), "1") == 10 && begun(.identity("a"), "2") == 0)
        #expect(begun(.guests, "1") == 20)
        for (id, count) in [("b", 10), ("c", 10), ("d", 10), ("e", 0)] { #expect(begun(.identity(id), "1") == count) }
        #expect(begun(.guests, "2") == 12 && begun(.identity("f"), "3") == 0)
        #expect(capacity.taken == 72 && begun(.operator, "1") == 8)
        capacity.release(for: .init(.identity("a"), network: "1"))
        #expect(begun(.operator, "1") == 1)
        for _ in 0..<9 { capacity.release(for: .init(.operator, network: "1")) }
        #expect(begun(.identity("f"), "3") == 1 && begun(.identity("a"), "1") == 0)
    }

    @Test("a request that waits for its client takes no place, and goes on where others have taken it")
    func waiting() {
        var capacity = CapacityShares(.requests(countMax: 8))
        func begin(_ share: CapacityShare, _ network: String) -> Bool {
            capacity.take(for: .init(share, network: network))
        }
        #expect(begin(.identity("slow"), "1") && !begin(.identity("slow"), "1"))
        capacity.release(for: .init(.identity("slow"), network: "1"))
        #expect(capacity.taken == 0 && begin(.identity("slow"), "1"))
        for number in 0..<7 { #expect(begin(.identity("\(number)"), "\(number)")) }
        #expect(capacity.taken == 8)
        capacity.add(for: .init(.identity("slow"), network: "1"))
        #expect(capacity.taken == 9 && !begin(.operator, "2"))
        capacity.release(for: .init(.identity("slow"), network: "1"))
        capacity.release(for: .init(.identity("slow"), network: "1"))
        #expect(begin(.operator, "2") && capacity.taken == 8)
    }
}
