import UserPools

/// Asks providers of OpenID Connect for their discovery document, their keys, and tokens for a code.
///
/// Networks share the calls at one time, as those of `UserPoolFunctions`: people of one network who wait for a slow provider delay
/// no others.
struct IdentityProviderCalls: Sendable {
    let client: OutgoingClient?
    let rules: ServedOutboundRules

    /// A person waits in front of the hosted pages.
    var limits = OutgoingLimits(
        seconds: 10, callsMax: 64, queueCountMax: 64, queueBytesMax: 1 << 20, answerBytesMax: 1 << 20)

    func ask(
        _ request: UserPoolServices.ProviderRequest
    ) async -> Result<UserPoolServices.ProviderAnswer, UserPoolServices.ProviderFailure> {
        guard let client else { return .failure(.init(reason: "only a running server asks identity providers")) }
        var call = OutgoingCall(
            url: request.url, headers: request.headers, body: request.form ?? [], limits: limits,
            rules: rules.current)
        (call.isGet, call.purpose, call.network) = (
            request.form == nil, .identityProvider, UserPoolFunctions.network
        )
        let outgoing = call
        return await withCheckedContinuation { continuation in
            client.send(outgoing) { result in
                continuation.resume(
                    returning: result.map { .init(status: $0.status, body: $0.body) }
                        .mapError { .init(reason: $0.reason) })
            }
        }
    }
}
