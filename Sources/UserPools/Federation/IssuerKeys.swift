public import JSON

/// The published keys of issuers: fetched when a token needs them, kept for an hour, and fetched again before that only for
/// a key that is unknown. At most one fetch of an issuer is under way, and the next one begins half a minute later at the
/// earliest, whatever tokens come. Bounded by the issuers that are configured, which alone are asked for.
public actor IssuerKeys {
    private struct Entry {
        /// Nil where they could not be fetched.
        var keys: JSONObject?
        /// The last attempt, in milliseconds since 1970.
        var tried: Int64
        /// The last success.
        var fetched: Int64
    }

    private var entries: [String: Entry] = [:]
    private var fetches: [String: Task<JSONObject?, Never>] = [:]
    private let ask:
        @Sendable (UserPoolServices.ProviderRequest) async -> Result<
            UserPoolServices.ProviderAnswer, UserPoolServices.ProviderFailure
        >
    private let now: @Sendable () -> Int64
    private let executor: any TaskExecutor
    private let noteFailure: @Sendable (_ issuer: String, _ reason: String) -> Void

    /// How long keys are used after an issuer stopped to answer, in milliseconds.
    static let staleLifetime: Int64 = 24 * 3_600_000

    /// - Parameters:
    ///   - ask: Sends a request to an issuer.
    ///   - now: Milliseconds since 1970.
    ///   - executor: Where keys are fetched.
    public init(
        ask:
            @escaping @Sendable (UserPoolServices.ProviderRequest) async -> Result<
                UserPoolServices.ProviderAnswer, UserPoolServices.ProviderFailure
            >, now: @escaping @Sendable () -> Int64, executor: any TaskExecutor,
        noteFailure: @escaping @Sendable (_ issuer: String, _ reason: String) -> Void
    ) {
        (self.ask, self.now, self.executor, self.noteFailure) = (ask, now, executor, noteFailure)
    }

    /// The JSON Web Key Set of an issuer; nil where there is none.
    /// - Parameter token: A token whose key should be among them.
    public func keys(of issuer: String, for token: BearerToken) async -> JSONObject? {
        if let entry = entries[issuer] {
            let isFresh = entry.fetched + ProviderCache.lifetime > now()
            if isFresh, let keys = entry.keys, token.hasKey(in: keys) { return keys }
            if entry.tried + ProviderCache.pause > now() { return usable(entry) }
        }
        if let fetch = fetches[issuer] { return await fetch.value ?? entries[issuer].flatMap(usable) }
        // It ends by the timeout of its calls, and serves all who wait for the keys.
        let fetch = Task(executorPreference: executor) { await self.fetch(issuer) }
        fetches[issuer] = fetch
        let keys = await fetch.value
        fetches[issuer] = nil
        let fetched = keys == nil ? entries[issuer]?.fetched ?? 0 : now()
        let entry = Entry(keys: keys ?? entries[issuer]?.keys, tried: now(), fetched: fetched)
        entries[issuer] = entry
        return usable(entry)
    }

    private func usable(_ entry: Entry) -> JSONObject? {
        entry.fetched + Self.staleLifetime > now() ? entry.keys : nil
    }

    /// OpenID Connect Discovery 1.0 §4: the discovery document, whose `issuer` must be this one, and the keys it names.
    private func fetch(_ issuer: String) async -> JSONObject? {
        let base = issuer.hasSuffix("/") ? String(issuer.dropLast()) : issuer
        do throws(UserPoolServices.ProviderFailure) {
            let document = try await object("\(base)/.well-known/openid-configuration")
            guard let actual = document["issuer"]?.stringValue, ProviderMetadata.isSame(actual, issuer) else {
                throw .init(reason: "its discovery document is that of another issuer")
            }
            guard let url = document["jwks_uri"]?.stringValue, ProviderMetadata.isURL(url) else {
                throw .init(reason: "its discovery document names no keys")
            }
            let keys = try await object(url)
            guard keys["keys"]?.arrayValue != nil else { throw .init(reason: "\(url) has no keys") }
            return keys
        } catch {
            noteFailure(issuer, error.reason)
            return nil
        }
    }

    private func object(_ url: String) async throws(UserPoolServices.ProviderFailure) -> JSONObject {
        switch await ask(.init(url: url, headers: [("Accept", "application/json")])) {
        case .failure(let failure): throw failure
        case .success(let answer):
            guard answer.status == 200, let object = (try? JSONReader.read(answer.body))?.objectValue else {
                throw .init(reason: "\(url) answered with status \(answer.status), or with no JSON object")
            }
            return object
        }
    }
}
