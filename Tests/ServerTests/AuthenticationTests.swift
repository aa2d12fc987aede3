import API
import Foundation
import HTTP
import Synchronization
import Testing
import Transformer

@testable import Server

@Suite("Credentials become an identity, at once or later")
struct AuthenticationTests {
    private static let notEnabled = "Valid authorization header not provided."

    @Test(
        "A signature is read before a key, and a key before a token; a refusal has AppSync's words",
        arguments: [
            ([:], "Missing authorization header"), (["x-api-key": "da2-known"], nil),
            (["x-api-key": "da2-other"], "You are not authorized to make this call."),
            (["x-api-key": ""], "You are not authorized to make this call."), (["authorization": "token"], notEnabled),
            (["authorization": "token", "x-api-key": "da2-known"], nil),
            (["authorization": "AWS4-HMAC-SHA256 Credential=…", "x-api-key": "da2-known"], notEnabled),
        ] as [([String: String], String?)])
    func order(fields: [String: String], refusal: String?) {
        let credentials = RealtimeCredentials(
            authorization: RealtimeAuthorization(fields.map { (name: $0.key, value: $0.value) }))
        switch Authenticator(apiKeys: ["da2-first", "da2-known"]).authenticate(credentials) {
        case .decided(.identity(let identity)): #expect(identity == .apiKey && refusal == nil)
        case .decided(.refused(let refused)): #expect(refused.status == 401 && refused.message == refusal)
        case .pending: Issue.record("an API key is known at once")
        }
    }

    @Test("Where API_KEY is no mode, a key is refused as credentials of such a mode, and a signature goes before it")
    func noKeys() {
        for fields in [["x-api-key": "da2-known"], ["x-api-key": "", "authorization": "token"]] {
            let credentials = RealtimeCredentials(
                authorization: RealtimeAuthorization(fields.map { (name: $0.key, value: $0.value) }))
            let outcome = Authenticator(apiKeys: nil).authenticate(credentials)
            guard case .decided(.refused(let refused)) = outcome else {
                Issue.record("\(fields) are accepted")
                continue
            }
            #expect(refused.status == 401 && refused.message == Self.notEnabled)
        }
    }

    @Test(
        "A decision is received once, whether it comes before or after someone waits for it",
        arguments: [true, false])
    func decision(comesFirst: Bool) async {
        let server = HTTPServer(responder: Refusing())
        let pending = PendingAuthentication()
        if comesFirst { pending.decide(.identity(.apiKey)) }
        let received = Mutex<[AuthenticationDecision]>([])
        let decision: AuthenticationDecision = await withCheckedContinuation { continuation in
            pending.whenDecided(on: server.loops[0]) { decision in
                #expect(server.loops[0].isCurrent)
                received.withLock { $0.append(decision) }
                continuation.resume(returning: decision)
            }
            if !comesFirst { pending.decide(.identity(.apiKey)) }
            pending.decide(.refused("too late"))
        }
        #expect(decision == .identity(.apiKey))
        await server.shutdown(drainSeconds: 0)
        #expect(received.withLock { $0 } == [.identity(.apiKey)])
    }

    @Test("Work that no one waits for any longer is dropped, and nothing is delivered to a waiter that has left")
    func abandoned() async {
        let server = HTTPServer(responder: Refusing())
        let pending = PendingAuthentication()
        let settled = Mutex(0)
        pending.whenSettled { settled.withLock { $0 += 1 } }
        let received = Mutex(0)
        pending.whenDecided(on: server.loops[0]) { _ in received.withLock { $0 += 1 } }
        #expect(!pending.isSettled)
        pending.abandon()
        pending.decide(.identity(.apiKey))
        #expect(pending.isSettled)
        await server.shutdown(drainSeconds: 0)
        #expect(settled.withLock { $0 } == 1)
        #expect(received.withLock { $0 } == 0)
    }

    @Test("Credentials without a decision in time may be tried again: a refusal would sign the client out")
    func timeout() async {
        let server = HTTPServer(responder: Refusing())
        let pending = PendingAuthentication()
        let decision: AuthenticationDecision = await withCheckedContinuation { continuation in
            pending.whenDecided(on: server.loops[0], timeoutSeconds: 0) { continuation.resume(returning: $0) }
        }
        #expect(decision == .refused(.unavailable))
        #expect(AuthenticationRefusal.unavailable.status == 503)
        await server.shutdown(drainSeconds: 0)
    }

    @Test("A request waits for its identity while the loop serves others, and is answered or refused by it")
    func request() async throws {
        try await withWaitingMode { server, mode in
            let (waiting, refused, other) = (try server.connect(), try server.connect(), try server.connect())
            let body = Client.envelope(#"mutation { createMessage(input: {room: "r", body: "b"}) { room } }"#, "null")
            for client in [waiting, refused] {
                try client.send(Client.request("POST", "/graphql", headers: Self.headers, body: body))
            }
            try mode.wait(for: 2)
            let list = "{ listMessages { items { room } } }"
            #expect(try other.graphql(list) == #"{"data":{"listMessages":{"items":[]}}}"#)
            mode.decide([.identity(.apiKey), .refused("Token has expired.")])
            #expect(try waiting.receive().body == #"{"data":{"createMessage":{"room":"r"}}}"#)
            let refusal = try refused.receive()
            #expect(refusal.status == 401 && refusal.body.contains("Token has expired."))
            #expect(try other.graphql(list).contains(#""room":"r""#))
        }
    }

    @Test("A connection and each subscription wait for their identities in the same way")
    func realtime() async throws {
        try await withWaitingMode { server, mode in
            let socket = try WebSocketClient(
                port: server.port, headers: ["Sec-WebSocket-Protocol": "graphql-ws", "authorization": "later"])
            try socket.send(#"{"type":"connection_init"}"#)
            try mode.wait(for: 1)
            mode.decide([.identity(.apiKey)])
            _ = try socket.receiveAcknowledgement()
            for id in ["1", "2"] {
                let start = WebSocketClient.start(id, "subscription { onCreateMessage { room } }", key: "later")
                try socket.send(start.replacing(#""x-api-key":"#, with: #""authorization":"#))
            }
            try mode.wait(for: 2)
            mode.decide([.identity(.lambda), .refused("Token has expired.")])
            #expect(try socket.receive() == WebSocketClient.acknowledgement("1"))
            #expect(try socket.receive().contains(#""type":"error""#))
            _ = try server.connect().graphql(#"mutation { createMessage(input: {room: "r", body: "b"}) { room } }"#)
            #expect(
                try socket.receive() == WebSocketClient.data("1", #"{"data":{"onCreateMessage":{"room":"r"}}}"#))
        }
    }

    @Test("A connection that closes while its credentials are checked leaves nothing open")
    func gone() async throws {
        try await withWaitingMode { server, mode in
            do {
                let socket = try WebSocketClient(
                    port: server.port, headers: ["Sec-WebSocket-Protocol": "graphql-ws", "authorization": "later"])
                try mode.wait(for: 1)
                _ = socket
            }
            let client = try server.connect()
            let deadline = ContinuousClock.now + .seconds(30)
            while try client.metric("websockets_open") > 0, ContinuousClock.now < deadline {
                try await Task.sleep(for: .milliseconds(10))
            }
            mode.decide([.identity(.apiKey)])
            #expect(try client.metric("websockets_open") == 0)
            #expect(try client.metric("subscriptions_open") == 0)
        }
    }

    private static let headers = ["authorization": "later", "content-type": "application/json"]

    /// A server of one loop with a mode that decides when the test says so.
    private func withWaitingMode(_ body: (TestServer, WaitingMode) async throws -> Void) async throws {
        try await TestServer.with { configuration in
            configuration.limits.eventLoopCount = 1
        } _: { server in
            let mode = WaitingMode()
            let service = server.service
            for (services, loop) in zip(service.loopServices, service.server.loops) {
                await withCheckedContinuation { continuation in
                    loop.execute {
                        if let served = services.servedAPI {
                            var definition = service.summary.definition
                            definition.authModes.append(.lambda)
                            services.serve(
                                ServedAPI(
                                    served.api, definition, server.configuration, otherModes: [mode]))
                        }
                        continuation.resume()
                    }
                }
            }
            try await body(server, mode)
        }
    }
}

extension AuthenticationTests {
    /// Counts who asks.
    private final class CountingMode: AuthenticationMode {
        let cached: Identity?
        let count = Atomic(0)

        init(cached: Identity?) { self.cached = cached }

        func cachedIdentity(_ header: UnsafeRawBufferPointer) -> Identity? { cached }

        func authenticate(_ credentials: any Credentials) -> AuthenticationOutcome? {
            count.add(1, ordering: .relaxed)
            return nil
        }
    }

    @Test("a token that a later mode has accepted before is read by no mode")
    func cachedFirst() {
        let modes = [CountingMode(cached: nil), CountingMode(cached: .lambda)]
        let credentials = RealtimeCredentials(authorization: RealtimeAuthorization([("authorization", "token")]))
        let authenticator = Authenticator(apiKeys: [], otherModes: modes)
        #expect(authenticator.knownDecision(of: credentials) == .identity(.lambda))
        #expect(modes.allSatisfy { $0.count.load(ordering: .relaxed) == 0 })
        let signed = RealtimeCredentials(
            authorization: RealtimeAuthorization([("authorization", "AWS4-HMAC-SHA256 x")]))
        #expect(authenticator.knownDecision(of: signed) == nil)
        _ = authenticator.authenticate(signed)
        #expect(modes.allSatisfy { $0.count.load(ordering: .relaxed) == 1 })
    }
}

/// Credentials `later` are decided about by the test, in the order in which they came.
private final class WaitingMode: AuthenticationMode {
    private let waiting = Mutex<[PendingAuthentication]>([])

    func authenticate(_ credentials: any Credentials) -> AuthenticationOutcome? {
        guard unsafe credentials.withAuthorization({ unsafe $0.map { unsafe $0.elementsEqual("later".utf8) } }) == true
        else { return nil }
        let pending = PendingAuthentication()
        waiting.withLock { $0.append(pending) }
        return .pending(pending)
    }

    /// Blocks the thread like the sockets of these tests: a test that is suspended here would get a thread back only after
    /// others, and the identities that wait time out meanwhile.
    func wait(for count: Int) throws {
        let deadline = ContinuousClock.now + .seconds(30)
        while waiting.withLock({ $0.count }) < count {
            try #require(ContinuousClock.now < deadline, "nobody waits")
            Thread.sleep(forTimeInterval: 0.005)
        }
    }

    func decide(_ decisions: [AuthenticationDecision]) {
        let waiting = waiting.withLock { waiting in
            defer { waiting = [] }
            return waiting
        }
        for (pending, decision) in zip(waiting, decisions) { pending.decide(decision) }
    }
}

private struct Refusing: Responder {
    func respond(to request: Request, on loop: EventLoop, reply: Reply) { reply.send(Response(status: 404)) }
}
