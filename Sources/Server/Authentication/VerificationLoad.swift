/// The verifications under way of one issuer or authorizer, and the bytes that they keep. One address may use half of both.
struct VerificationLoad: Sendable {
    private struct Share: Sendable {
        var count = 0
        var bytes = 0

        func has(roomFor bytes: Int, _ countMax: Int, _ bytesMax: Int) -> Bool {
            count < countMax && self.bytes + bytes <= bytesMax
        }
    }

    static let countMax = 1_000
    static let bytesMax = 64 << 20

    private var all = Share()
    private var byAddress: [Int: Share] = [:]

    /// Verifications under way.
    var count: Int { all.count }

    /// Begins one if there is room for it; `end` is to be called if so.
    mutating func begin(from address: Int, bytes: Int) -> Bool {
        var share = byAddress[address] ?? Share()
        guard all.has(roomFor: bytes, Self.countMax, Self.bytesMax),
            share.has(roomFor: bytes, Self.countMax / 2, Self.bytesMax / 2)
        else { return false }
        (all.count, all.bytes) = (all.count + 1, all.bytes + bytes)
        (share.count, share.bytes) = (share.count + 1, share.bytes + bytes)
        byAddress[address] = share
        return true
    }

    mutating func end(from address: Int, bytes: Int) {
        (all.count, all.bytes) = (all.count - 1, all.bytes - bytes)
        guard var share = byAddress[address] else { return }
        (share.count, share.bytes) = (share.count - 1, share.bytes - bytes)
        byAddress[address] = share.count == 0 ? nil : share
    }
}
