import API
import Tables
import Testing

@testable import Server

@Suite("Bounds of verifications under way")
struct SharedCapacityTests {
    @Test("one address has half of the verifications and of the bytes, all together have the whole")
    func shares() {
        let whole = SharedCapacity(countMax: 1_000, bytesMax: 64 << 20, networkBytesMax: 32 << 20)
        var capacity = whole
        func begins(_ number: Int, bytes: Int = 0) -> Bool { capacity.begin(for: "\(number)", bytes: bytes) }
        let half = 500
        for address in [1, 2] {
            for _ in 0..<half { #expect(begins(address)) }
            #expect(!begins(address))
        }
        #expect(!begins(3))
        capacity.end(for: "1")
        #expect(begins(3) && capacity.count == 1_000)
        capacity = whole
        let most = 32 << 20
        #expect(!begins(1, bytes: most + 1) && capacity.count == 0)
        #expect(begins(1, bytes: most) && !begins(1, bytes: 1))
        #expect(begins(2, bytes: most) && !begins(3, bytes: 1))
        capacity.end(for: "1", bytes: most)
        #expect(begins(3, bytes: 1))
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
        let held = (0..<2).map { address in
            (0..<TokenServices.verificationsMax / 2).map { _ in
                services.verify(for: "slow", from: "\(address)", bytes: 0) {
                    await gate.wait()
                    return .identity(.apiKey)
                }
            }
        }
        #expect(held.joined().allSatisfy { $0 != nil })
        #expect(services.verify(for: "slow", from: "9", bytes: 0, { .identity(.apiKey) }) == nil)
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
