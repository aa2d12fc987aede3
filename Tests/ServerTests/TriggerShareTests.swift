import HTTP
import JSON
import Synchronization
import Testing

@testable import Server
@testable import UserPools

/// The networks that wait for functions of triggers.
@Suite("Calls of triggers by network")
struct TriggerShareTests {
    private static let answer = FunctionServer.Answer(body: "{}")

    /// Functions of triggers, and what they call.
    private struct Stage: Sendable {
        let function: FunctionServer
        let client: OutgoingClient
        let functions: UserPoolFunctions
        let failures: Failures
        /// Threads of its own: other tests may block those of tasks for longer than `eventually` waits.
        let executor: OperationExecutor

        /// Begins a call for a network. Its value is whether the call is answered.
        func begin(from network: String) -> Task<Bool, Never> {
            Task(executorPreference: executor) { await call(from: network) }
        }

        /// Whether a call for a network is answered.
        private func call(from network: String) async -> Bool {
            let answer = await UserPoolFunctions.$network.withValue(network) {
                await functions.invoke("f", ["from": .string(network)])
            }
            if case .value = answer { return true }
            return false
        }

        func waits(_ count: Int) -> Bool { client.waitingCount(of: .trigger) == count }
    }

    private final class Failures: Sendable {
        let causes = Mutex<[String]>([])
    }

    /// Runs `body` with a function that holds its calls.
    private static func with(
        callsMax: Int, operationsMax: Int, _ body: (Stage) async throws -> Void
    ) async throws {
        try await FunctionServer.with(nil) { function, url in
            let server = HTTPServer(loopCount: 1, responder: function)
            let log = Log(format: .text, level: .critical)
            let client = OutgoingClient(
                on: server, connectionsPerHostMax: 16, log: log,
                refusals: SampledLog(log, "", mode: .serve, linesPerSecondMax: 1))
            var limits = FunctionLimits()
            (limits.callsMax, limits.queueCountMax, limits.queueBytesMax) = (callsMax, 0, 0)
            // Longer than a test takes on a busy machine.
            limits.callSeconds = 120
            let failures = Failures()
            let functions = UserPoolFunctions(
                functions: { ["f": Function(name: "f", url: url)] }, client: client, limits: limits,
                operationsMax: operationsMax, rules: ServedOutboundRules(Configuration(), mode: .serve),
                noteFailure: { _, cause in failures.causes.withLock { $0.append(cause) } }, secondsMax: 120)
            let executor = OperationExecutor(threadCount: 1)
            do {
                try await body(
                    Stage(
                        function: function, client: client, functions: functions, failures: failures,
                        executor: executor))
            } catch { Issue.record(error) }
            function.release(answer)
            await server.shutdown(drainSeconds: 0) { await client.end() }
            executor.end()
        }
    }

    @Test("a call of a network with none under way waits for networks that have all of them, and is the next one")
    func nextNetwork() async throws {
        // To one URL six, and three of them for one network.
        try await Self.with(callsMax: 8, operationsMax: 16) { stage in
            var calls: [Task<Bool, Never>] = []
            for (network, heldCount) in [("192.0.2.1", 3), ("192.0.2.2", 6)] {
                for _ in 0..<3 { calls.append(stage.begin(from: network)) }
                try await eventually { stage.function.heldCount == heldCount }
            }
            for (number, network) in ["192.0.2.1", "192.0.2.2", "192.0.2.3"].enumerated() {
                calls.append(stage.begin(from: network))
                try await eventually { stage.waits(number + 1) }
            }
            stage.function.releaseOne(Self.answer)
            try await eventually { stage.function.calls.count == 7 }
            let next = stage.function.calls.last?.event["from"]?.stringValue
            #expect(next == "192.0.2.3")
            stage.function.release(Self.answer)
            for call in calls {
                let isAnswered = await call.value
                #expect(isAnswered, "\(stage.failures.causes.withLock { $0 })")
            }
        }
    }

    @Test("as many calls of a trigger wait as operations can be under way, also of one network")
    func waiting() async throws {
        try await Self.with(callsMax: 1, operationsMax: 8) { stage in
            let calls = (0..<8).map { _ in stage.begin(from: "192.0.2.1") }
            try await eventually { stage.waits(7) && stage.function.heldCount == 1 }
            stage.function.release(Self.answer)
            for call in calls {
                let isAnswered = await call.value
                #expect(isAnswered)
            }
        }
    }

    @Test("calls to an identity provider that does not answer leave the other networks their places")
    func providers() async throws {
        try await FunctionServer.with(nil) { provider, url in
            let server = HTTPServer(loopCount: 1, responder: provider)
            let log = Log(format: .text, level: .critical)
            let client = OutgoingClient(
                on: server, connectionsPerHostMax: 64, log: log,
                refusals: SampledLog(log, "", mode: .serve, linesPerSecondMax: 1))
            var asked = IdentityProviderCalls(
                client: client, rules: ServedOutboundRules(Configuration(), mode: .serve))
            // Longer than a test takes on a busy machine.
            asked.limits.seconds = 120
            let (calls, callsMax) = (asked, asked.limits.callsMax)
            let executor = OperationExecutor(threadCount: 1)
            @Sendable func isAnswered(from network: String) async -> Bool {
                let answer = await UserPoolFunctions.$network.withValue(network) {
                    await calls.ask(.init(url: url, headers: [], form: Array("{}".utf8)))
                }
                return (try? answer.get()) != nil
            }
            func begin(from network: String) -> Task<Bool, Never> {
                Task(executorPreference: executor) { await isAnswered(from: network) }
            }
            // Of the calls under way, and of those that wait, each.
            let share = (callsMax - callsMax / 4) / 2
            var tasks = (0..<callsMax).map { _ in begin(from: "192.0.2.1") }
            try await eventually {
                provider.heldCount == share && client.waitingCount(of: .identityProvider) == share
            }
            tasks.append(begin(from: "192.0.2.2"))
            try await eventually { provider.heldCount == share + 1 }
            provider.release(Self.answer)
            var count = 0
            for task in tasks where await task.value { count += 1 }
            #expect(count == 2 * share + 1)
            await server.shutdown(drainSeconds: 0) { await client.end() }
            executor.end()
        }
    }
}
