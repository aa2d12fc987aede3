import API
import JSON
import Synchronization
import Tables
import UserPools

/// What the modes of tokens of others share, and what outlasts a reload: the keys of issuers, calls of the authorizer, and
/// bounds of the verifications under way. They are beside those of user pools, so that an issuer that is slow delays no one else.
final class TokenServices: Sendable {
    let issuerKeys: IssuerKeys
    /// Tokens of issuers, by the networks that sent them.
    let forgedTokens: ForgedTokens
    /// The created API keys; nil where data is thrown away.
    let createdKeys: APIKeyRegistry?
    let clock: WallClock
    /// Tokens that a mode caches, and answers of an authorizer.
    let cachedTokensMax: Int
    /// Authorizers that gave no answer of status 200.
    private let failedAuthorizers: SampledLog
    /// Answers of authorizers that were refused.
    let refusedAnswers: SampledLog
    private let client: OutgoingClient?
    private let rules: ServedOutboundRules
    /// One thread, which waits for nothing.
    private let executor = OperationExecutor(threadCount: 1)
    /// What is under way, by the issuer or function. A refused one leaves an entry, of which there are as many as names.
    private let underWay = Mutex<[String: SharedCapacity]>([:])
    /// Verifications, and bytes that they hold, of one issuer or authorizer. One network may use half of both.
    static let (verificationsMax, verificationBytesMax) = (1_000, 64 << 20)
    private static let capacity = SharedCapacity(
        countMax: verificationsMax, bytesMax: verificationBytesMax, networkBytesMax: verificationBytesMax / 2)

    /// - Parameter client: Makes the calls; nil where there are none.
    init(_ configuration: Configuration, mode: Service.Mode, client: OutgoingClient?, clock: WallClock, log: Log) {
        (self.client, self.clock) = (client, clock)
        forgedTokens = ForgedTokens(clock: clock)
        cachedTokensMax = configuration.limits.userPools.seenTokensMax
        createdKeys = (try? APIKeyFile(configuration)).map { APIKeyRegistry($0, clock: clock, log: log) }
        rules = ServedOutboundRules(configuration, mode: mode)
        let calls = IdentityProviderCalls(client: client, rules: rules)
        func sampled(_ message: String) -> SampledLog {
            SampledLog(log, message, mode: mode, linesPerSecondMax: configuration.limits.failureLinesPerSecondMax)
        }
        let failedKeys = sampled("The keys of an issuer cannot be fetched.")
        failedAuthorizers = sampled("The call of an authorizer failed.")
        refusedAnswers = sampled(
            "An authorizer's answer was refused: 'deniedFields' is a list of Type.field or ARNs of fields.")
        issuerKeys = IssuerKeys(
            ask: { await calls.ask($0) }, now: { clock.milliseconds() }, executor: executor,
            noteFailure: { issuer, reason in failedKeys(["issuer": issuer, "cause": reason]) })
    }

    /// Makes calls by the rules of another configuration.
    func serve(_ configuration: Configuration) { rules.serve(configuration) }

    /// Runs the verification of a token; nil if too many are under way.
    ///
    /// - Parameters:
    ///   - name: The issuer or the function: one that is slow delays no one else.
    ///   - network: The `Peer.network` of the caller.
    ///   - bytes: Bytes that are kept meanwhile.
    func verify(
        for name: String, from network: String, bytes: Int,
        _ verification: @escaping @Sendable () async -> AuthenticationDecision
    ) -> PendingAuthentication? {
        let limit = forgedTokens.refuses(network) ? ForgedTokens.underWayMax : .max
        let isAccepted = underWay.withLock { loads in
            loads[name, default: Self.capacity].begin(for: network, bytes: bytes, atMost: limit)
        }
        guard isAccepted else { return nil }
        let pending = PendingAuthentication()
        // It ends with its last call, whose time is bounded.
        Task(executorPreference: executor) { [self] in
            // No one may wait any longer when its turn comes.
            if !pending.isSettled { pending.decide(await verification()) }
            underWay.withLock { loads in
                loads[name]?.end(for: network, bytes: bytes)
                if loads[name]?.count == 0 { loads[name] = nil }
            }
        }
        return pending
    }

    /// Ends the thread, once no connection is left and the outgoing calls have ended.
    func end() { executor.end() }

    /// The bounds of an authorizer's calls (AWS AppSync Developer Guide, "AWS_LAMBDA authorization").
    static let authorizerLimits = OutgoingLimits(
        seconds: PendingAuthentication.authorizerSecondsMax, callsMax: 64, queueCountMax: 1_000,
        queueBytesMax: 64 << 20,
        answerBytesMax: 5 << 20)

    /// Levels of an authorizer's answer, of which its claims have two.
    private static let authorizerAnswerDepthMax = 32

    /// What came of calling an authorizer.
    enum AuthorizerOutcome: Sendable {
        case answer(JSONObject)
        /// It gave no answer of status 200, which is logged.
        case failed
        /// It was not called, because too many calls are under way.
        case busy
    }

    /// Calls the authorizer.
    /// - Parameter network: The `Peer.network` of the caller.
    func call(_ function: Function, _ event: [UInt8], for network: String) async -> AuthorizerOutcome {
        guard let client else { return .failed }
        var call = OutgoingCall(
            url: function.url, headers: [("Content-Type", "application/json")], body: event,
            limits: Self.authorizerLimits, rules: rules.current)
        call.purpose = .authorizer
        call.function = function.name
        call.network = network
        let outgoing = call
        let result: Result<OutgoingCall.Answer, OutgoingError> = await withCheckedContinuation { continuation in
            client.send(outgoing) { continuation.resume(returning: $0) }
        }
        let reason: String
        switch result {
        case .success(let answer) where answer.status == 200 && !answer.isFunctionError:
            if let object = (try? JSONReader.read(answer.body, depthMax: Self.authorizerAnswerDepthMax))?.objectValue {
                return .answer(object)
            }
            reason = "its answer is no JSON object"
        case .success(let answer): reason = "it answered status \(answer.status)"
        case .failure(let error) where error.code == .tooManyCalls: return .busy
        case .failure(let error): reason = error.reason
        }
        failedAuthorizers(["function": function.name, "cause": reason])
        return .failed
    }
}
