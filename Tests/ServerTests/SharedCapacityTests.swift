import API
import Tables
import Testing

@testable import Server

@Suite("Bounds of verifications under way")
struct SharedCapacityTests {
    @Test("one address has half of the operations that others leave, and half of the bytes")
    func shares() {
        let whole = SharedCapacity(countMax: 1_000, bytesMax: 64 << 20, networkBytesMax: 32 << 20)
        var capacity = whole
        func begins(_ number: Int, bytes: Int = 0) -> Bool { capacity.begin(for: "\(number)", bytes: bytes) }
        for (address, share) in [500, 250, 125, 63, 31, 16, 8, 4, 2, 1].enumerated() {
            for _ in 0..<share { #expect(begins(address)) }
            #expect(!begins(address))
        }
        #expect(capacity.count == 1_000 && !begins(10))
        capacity.end(for: "0")
        // The first one has far more than half of what the others leave to it.
        #expect(!begins(0) && begins(10) && capacity.count == 1_000)
        capacity = whole
        let most = 32 << 20
        #expect(!begins(1, bytes: most + 1) && capacity.count == 0)
        #expect(begins(1, bytes: most) && !begins(1, bytes: 1))
        #expect(begins(2, bytes: most) && !begins(3, bytes: 1))
        capacity.end(for: "1", bytes: most)
        #expect(begins(3, bytes: 1))
    }

    @Test("two networks that begin what they can each have a third, and leave one to the others")
    func greedy() {
        var capacity = SharedCapacity(countMax: 300)
        for _ in 0..<300 { _ = capacity.begin(for: "1") }
        for _ in 0..<600 {
            while capacity.begin(for: "2") {}
            capacity.end(for: "1")
            _ = capacity.begin(for: "1")
        }
        #expect(capacity.count == 200)
        let others = (0..<60).count { _ in capacity.begin(for: "3") }
        #expect(others == 50)
        var fixed = SharedCapacity(countMax: 4, networkCountMax: 2)
        let begun = ["1", "1", "1", "2", "2", "2"].map { fixed.begin(for: $0) }
        #expect(begun == [true, true, false, true, true, false])
    }

    @Test("bytes that arrive before their operation begins count for their network")
    func arriving() {
        var capacity = SharedCapacity(countMax: 4, bytesMax: 100, networkBytesMax: 50)
        func grows(_ network: String, by bytes: Int) -> Bool { capacity.grow(for: network, by: bytes) }
        #expect(grows("1", by: 50) && !grows("1", by: 1) && grows("2", by: 50) && !grows("3", by: 1))
        let isBegun = capacity.begin(for: "1")
        #expect(isBegun && capacity.count == 1)
        capacity.end(for: "1")
        #expect(!grows("1", by: 1))
        capacity.shrink(for: "1", by: 50)
        #expect(grows("1", by: 50) && capacity.count == 0)
    }

    @Test("an issuer that does not answer leaves the others their verifications")
    func slowIssuer() async throws {
        let services = TokenServices(
            Configuration(), mode: .dev, client: nil, clock: .system, log: Log(format: .text, level: .critical))
        defer { services.end() }
        let gate = Gate()
        var held: [PendingAuthentication] = []
        for address in 0... {
            let before = held.count
            while let pending = services.verify(
                for: "slow", from: "\(address)", bytes: 0,
                {
                    await gate.wait()
                    return .identity(.apiKey)
                })
            {
                held.append(pending)
            }
            if held.count == before { break }
        }
        #expect(held.count == TokenServices.verificationsMax)
        #expect(services.verify(for: "slow", from: "99", bytes: 0, { .identity(.apiKey) }) == nil)
        #expect(services.verify(for: "other", from: "0", bytes: 0, { .identity(.apiKey) }) != nil)
        await gate.open()
    }

    @Test("an operation that waits for an authorizer counts with its bytes and those of its event")
    func authorizer() async throws {
        let services = TokenServices(
            Configuration(), mode: .dev, client: nil, clock: .system, log: Log(format: .text, level: .critical))
        defer { services.end() }
        let mode = LambdaMode(
            services: services,
            authorizer: LambdaAuthorizer(function: Function(name: "gate", url: "http://localhost")),
            variablesDepthMax: 64)
        let gate = Gate()
        let kept = services.verify(for: "gate", from: "1", bytes: TokenServices.verificationBytesMax / 2 - (1 << 20)) {
            await gate.wait()
            return .identity(.apiKey)
        }
        #expect(kept != nil)
        func isRefused(_ byteCount: Int, from address: Int) -> Bool {
            let credentials = RealtimeCredentials(
                authorization: RealtimeAuthorization([("authorization", "token")]),
                envelope: [UInt8](repeating: 0x20, count: byteCount), network: "\(address)")
            guard case .decided(.refused)? = mode.authenticate(credentials) else { return false }
            return true
        }
        #expect(isRefused(1 << 19, from: 1) && !isRefused(1 << 19, from: 2) && !isRefused(1 << 10, from: 1))
        await gate.open()
    }
}

/// Holds tasks until it is opened.
private actor Gate {
    private var isOpen = false
    private var waiting: [CheckedContinuation<Void, Never>] = []

    func wait() async {
        if isOpen { return }
        await withCheckedContinuation { waiting.append($0) }
    }

    func open() {
        isOpen = true
        for continuation in waiting { continuation.resume() }
        waiting = []
    }
}
