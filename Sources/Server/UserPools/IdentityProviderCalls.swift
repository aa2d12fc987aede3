import UserPools

/// Asks providers of OpenID Connect for their discovery document, their keys, and tokens for a code.
struct IdentityProviderCalls: Sendable {
    let client: OutgoingClient?
    let rules: ServedOutboundRules

    /// A person waits in front of the hosted pages.
    private static let limits = OutgoingLimits(
        seconds: 10, callsMax: 64, queueCountMax: 64, queueBytesMax: 1 << 20, answerBytesMax: 1 << 20)

    func ask(
        _ request: UserPoolServices.ProviderRequest
    ) async -> Result<UserPoolServices.ProviderAnswer, UserPoolServices.ProviderFailure> {
        guard let client else { return .failure(.init(reason: "only a running server asks identity providers")) }
        var call = OutgoingCall(
            url: request.url, headers: request.headers, body: request.form ?? [], limits: Self.limits,
            rules: rules.current)
        (call.isGet, call.purpose) = (request.form == nil, .identityProvider)
        return await withCheckedContinuation { continuation in
            client.send(call) { result in
                continuation.resume(
                    returning: result.map { .init(status: $0.status, body: $0.body) }
                        .mapError { .init(reason: $0.reason) })
            }
        }
    }
}
