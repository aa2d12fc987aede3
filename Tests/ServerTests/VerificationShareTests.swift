import Dispatch
import JSON
import Synchronization
import Tables
import Testing

@testable import Server
@testable import UserPools

extension UserPoolTests {
    @Suite("Tokens that are verified at one time")
    struct VerificationShares {
        @Test("one network takes half of the places in which tokens are verified")
        func share() async throws {
            try await AcceptedTokens.Stage.with({ $0.limits.userPools.operationsMax = 8 }) { stage in
                let (gate, opening) = AsyncStream<Void>.makeStream()
                let tasks = (0..<8).map { _ in
                    stage.service.runVerification(for: "192.0.2.1") { _ in for await _ in gate { break } }
                }
                #expect(tasks.count { $0 } == 4)
                let finished = Mutex(false)
                #expect(stage.service.runVerification(for: "192.0.2.2") { _ in finished.withLock { $0 = true } })
                let deadline = ContinuousClock.now + .seconds(20)
                while !finished.withLock({ $0 }), ContinuousClock.now < deadline { await Task.yield() }
                #expect(finished.withLock { $0 })
                opening.finish()
            }
        }

        @Test("two networks that take what they can leave places to a third one")
        func threeNetworks() async throws {
            try await AcceptedTokens.Stage.with({ $0.limits.userPools.operationsMax = 16 }) { stage in
                let (gate, opening) = AsyncStream<Void>.makeStream()
                func start(_ network: String) -> Bool {
                    stage.service.run(for: network) { _ in for await _ in gate { break } }
                }
                #expect((0..<16).count { _ in start("192.0.2.1") } == 8)
                #expect((0..<16).count { _ in start("192.0.2.2") } == 4)
                let tokens = try await stage.tokens("jane", in: "us-east-1_One", "iosapp")
                let body = JSONValue.object(["AccessToken": .string(tokens.access)]).description
                let target = "AWSCognitoIdentityProviderService.GetUser"
                let answer = try stage.client.ask(
                    "POST", "/", headers: ["Host": "localhost", "x-amz-target": target], body: body)
                #expect(answer.status == 200, "\(answer.body)")
                opening.finish()
            }
        }

        @Test("a verification that no one waits for does not run, and is released at once with what it holds")
        func abandoned() async throws {
            try await AcceptedTokens.Stage.with { stage in
                // The verifier is one thread. While it is kept, nothing that waits for it can run.
                let verifier = DispatchSemaphore(value: 0)
                #expect(stage.service.runVerification(for: "192.0.2.1") { _ in Self.keep(until: verifier) })
                let (pending, hasRun) = (PendingAuthentication(), Flag())
                weak let held = Self.wait(for: pending, in: stage.service, hasRun)
                #expect(held != nil)
                pending.abandon()
                #expect(held == nil)
                let finished = Flag()
                #expect(stage.service.runVerification(for: "192.0.2.1") { _ in finished.set() })
                verifier.signal()
                let deadline = ContinuousClock.now + .seconds(20)
                while !finished.isSet, ContinuousClock.now < deadline { await Task.yield() }
                #expect(finished.isSet)
                #expect(!hasRun.isSet)
            }
        }

        private static func keep(until signal: DispatchSemaphore) { _ = signal.wait(timeout: .now() + 20) }

        private final class Flag: Sendable {
            private let value = Mutex(false)

            var isSet: Bool { value.withLock { $0 } }

            func set() { value.withLock { $0 = true } }
        }

        /// Starts a verification that holds the object that is returned.
        private static func wait(
            for pending: PendingAuthentication, in service: UserPoolService, _ hasRun: Flag
        ) -> Flag {
            let object = Flag()
            let isAccepted = service.runVerification(for: "192.0.2.1", deciding: pending) { _ in
                object.set()
                hasRun.set()
            }
            #expect(isAccepted)
            return object
        }

        @Test("a network that sends too many tokens with invalid signatures is refused until the ten seconds are over")
        func forgedTokens() {
            let time = Mutex<Int64>(1_800_000_000_000)
            let tokens = ForgedTokens(clock: WallClock { time.withLock { $0 } })
            for _ in 0..<ForgedTokens.perNetworkMax {
                #expect(!tokens.refuses("192.0.2.1"))
                tokens.count(from: "192.0.2.1")
            }
            #expect(tokens.refuses("192.0.2.1"))
            #expect(!tokens.refuses("192.0.2.2"))
            time.withLock { $0 += ForgedTokens.windowMilliseconds }
            #expect(!tokens.refuses("192.0.2.1"))
        }

        @Test("a network that sent too many tokens with invalid signatures has only known ones accepted")
        func refused() async throws {
            try await AcceptedTokens.Stage.with(clock: WallClock { 1_800_000_000_000 }) { stage in
                let tokens = try await stage.tokens("jane", in: "us-east-1_One", "iosapp")
                #expect(try stage.list(by: tokens.access).status == 200)
                for _ in 0..<ForgedTokens.perNetworkMax { stage.service.forgedTokens.count(from: "127.0.0.1") }
                let answer = try stage.list(by: tokens.id)
                #expect(answer.status == 429 && answer.body.contains("ThrottlingException"), "\(answer)")
                #expect(try stage.list(by: tokens.access).status == 200)
            }
        }

        @Test("a network that sent too many tokens with invalid signatures has four signatures verified at one time")
        func forging() async throws {
            try await AcceptedTokens.Stage.with({ $0.limits.userPools.operationsMax = 64 }) { stage in
                for _ in 0..<ForgedTokens.perNetworkMax { stage.service.forgedTokens.count(from: "192.0.2.1") }
                let (gate, opening) = AsyncStream<Void>.makeStream()
                func start(_ network: String) -> Bool {
                    stage.service.runVerification(for: network) { _ in for await _ in gate { break } }
                }
                #expect((0..<32).count { _ in start("192.0.2.1") } == ForgedTokens.underWayMax)
                #expect(ForgedTokens.underWayMax == 4)
                // Other networks have their share of what it leaves.
                #expect((0..<33).count { _ in start("192.0.2.2") } == 30)
                opening.finish()
                // The honest ones behind the address go on.
                let deadline = ContinuousClock.now + .seconds(20)
                while !start("192.0.2.1"), ContinuousClock.now < deadline { await Task.yield() }
                #expect(ContinuousClock.now < deadline)
            }
        }

        @Test(
            "a token with an invalid signature, or one that is malformed, is counted for the network that sent it",
            arguments: [true, false])
        func counted(isMalformed: Bool) async throws {
            try await AcceptedTokens.Stage.with { stage in
                let tokens = try await stage.tokens("jane", in: "us-east-1_One", "iosapp")
                let invalid = tokens.access.split(separator: ".").dropLast().joined(separator: ".") + ".AAAA"
                let forged = isMalformed ? "a.b.c" : invalid
                for _ in 0..<ForgedTokens.perNetworkMax - 1 { stage.service.forgedTokens.count(from: "127.0.0.1") }
                #expect(try stage.list(by: forged).status == 401)
                #expect(stage.service.forgedTokens.refuses("127.0.0.1"))
            }
        }
    }
}
