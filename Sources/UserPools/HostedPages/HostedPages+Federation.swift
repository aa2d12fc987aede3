import Crypto
import Encodings
import JSON

/// Sign-in by providers of OpenID Connect.
extension HostedPages {
    /// The provider that an authorization request names, of those that its client may use.
    func provider(_ authorization: AuthorizationRequest) -> OIDCProvider? {
        let providers = authorization.client.providers(of: authorization.pool)
        if let name = request.parameters["identity_provider"] { return providers.first { $0.name == name } }
        if let identifier = request.parameters["idp_identifier"] {
            return providers.first { $0.identifiers.contains(identifier) }
        }
        // With a single provider and no passwords, the sign-in page is skipped.
        return providers.count == 1 && !authorization.client.allowsPasswords ? providers[0] : nil
    }

    /// The links of the providers, for the sign-in page.
    func providerLinks(_ authorization: AuthorizationRequest) -> [(label: String, href: String)] {
        let query = Self.withoutProvider(authorization.query)
        return authorization.client.providers(of: authorization.pool).map { provider in
            let label = provider.type == .apple ? "Apple" : provider.name
            return (
                "Continue with \(label)",
                "/oauth2/authorize?\(query)&identity_provider=\(Percent.encode(provider.name))"
            )
        }
    }

    /// A query without the parameters that name a provider, for a link that names another one.
    private static func withoutProvider(_ query: String) -> String {
        query.split(separator: "&").filter { parameter in
            let name = Percent.decode(String(parameter.prefix { $0 != "=" }))
            return name != "identity_provider" && name != "idp_identifier"
        }.joined(separator: "&")
    }

    /// Sends the browser to a provider.
    func begin(_ provider: OIDCProvider, _ authorization: AuthorizationRequest) async -> HostedResponse {
        let metadata: ProviderMetadata
        do throws(UserPools.ProviderFailure) {
            metadata = try await pools.published(by: provider).metadata
        } catch {
            pools.services.noteProviderFailure(provider.name, error.reason)
            return login(authorization, error: "\(provider.name) cannot be reached. Please try again later.")
        }
        let state = FederationState(provider, request.parameters, pools.randomness, now: pools.now)
        let sealed = state.sealed(by: pools.sealer)
        guard sealed.utf8.count <= FederationState.bytesMax else {
            return .redirect(
                authorization.redirect([
                    ("error", "invalid_request"), ("error_description", "The parameters are too long."),
                ]))
        }
        let challenge = Base64.encodeURL(Array(SHA256.hash(data: Array(state.codeVerifier.utf8))))
        var parameters = [
            ("client_id", provider.clientID), ("redirect_uri", callbackURL), ("response_type", "code"),
            ("scope", provider.scopes.joined(separator: " ")), ("state", state.id), ("nonce", state.nonce),
            ("code_challenge", challenge), ("code_challenge_method", "S256"),
        ]
        if provider.answersByForm { parameters.append(("response_mode", "form_post")) }
        if let hint = authorization.loginHint { parameters.append(("login_hint", hint)) }
        if !authorization.prompt.isEmpty, authorization.prompt != ["none"] {
            parameters.append(("prompt", authorization.prompt.joined(separator: " ")))
        }
        let query = parameters.map { "\($0.0)=\(Percent.encode($0.1))" }.joined(separator: "&")
        let mark = metadata.authorizationEndpoint.contains("?") ? "&" : "?"
        return .redirect(
            metadata.authorizationEndpoint + mark + query,
            [federationCookie(sealed, seconds: FederationState.lifetime / 1_000, isForForm: provider.answersByForm)])
    }

    /// Where providers send the browser back to; to be registered with each. It follows the `Host` of the request only where that
    /// is a host of the configuration, or the configuration says nothing of the hosts by which browsers come.
    private var callbackURL: String { "\(callbackBase)/oauth2/idpresponse" }

    private var callbackBase: String {
        let name = request.host.prefix { $0 != ":" }.lowercased()
        guard let publicURL = pools.publicURL, !request.isOwnHost, !pools.directory.isConfigured(host: name) else {
            return request.caller.baseURL
        }
        return publicURL
    }

    /// A form that another site sends comes without cookies of the usual kind.
    private func federationCookie(
        _ value: String, seconds: Int64, isForForm: Bool
    ) -> (name: String, value: String) {
        guard isForForm, request.isSecure else { return cookie(FederationState.cookieName, value, seconds: seconds) }
        return (
            "Set-Cookie",
            "\(FederationState.cookieName)=\(value); Path=/; Max-Age=\(seconds); HttpOnly; SameSite=None; Secure"
        )
    }

    /// `/oauth2/idpresponse`: a provider's answer, which belongs to a sign-in that this browser has begun.
    func finishFederation() async -> HostedResponse {
        let answer = request.method == "POST" ? request.form : request.parameters
        func over() -> HostedResponse {
            page(
                PageContent(
                    title: "This sign-in is over",
                    message:
                        "It took too long, or was begun in another browser. Please go back to the app and try again."
                ), nil, status: 400)
        }
        guard let state = FederationState(request.cookies[FederationState.cookieName], pools.sealer, now: pools.now),
            let id = answer["state"], ConstantTime.isEqual(id, state.id), pools.singleUse.isUsable(state.id)
        else { return over() }
        var original = request
        original.parameters = state.parameters
        original.query = state.parameters.sorted { $0.key < $1.key }
            .map { "\($0.key)=\(Percent.encode($0.value))" }.joined(separator: "&")
        let pages = HostedPages(pools: pools, request: original)
        guard let authorization = try? AuthorizationRequest(original, in: pools),
            let provider = authorization.client.providers(of: authorization.pool).first(where: {
                $0.name == state.provider
            })
        else {
            return page(
                PageContent(title: "This link cannot be used", message: "The client or the provider is gone."), nil,
                status: 400)
        }
        // Before the state is marked as used, which takes memory until it expires.
        guard
            pools.rates.take(
                "provider:\(request.caller.network)", max: pools.limits.signUpsPerAddressPerHour, now: pools.now)
        else {
            return .redirect(
                authorization.redirect([
                    ("error", "temporarily_unavailable"),
                    ("error_description", CognitoError.limitExceeded.message ?? ""),
                ]))
        }
        guard pools.singleUse.use(state.id, expires: state.expires, now: pools.now) else { return over() }
        var response = await pages.signIn(by: provider, authorization, answer, state, callbackURL: callbackURL)
        response.fields.append(federationCookie("", seconds: 0, isForForm: provider.answersByForm))
        return response
    }

    private func signIn(
        by provider: OIDCProvider, _ authorization: AuthorizationRequest, _ answer: [String: String],
        _ state: FederationState, callbackURL: String
    ) async -> HostedResponse {
        func refuse(_ error: String, _ description: String) -> HostedResponse {
            .redirect(authorization.redirect([("error", error), ("error_description", description)]))
        }
        do throws(UserPools.ProviderFailure) {
            try await pools.published(by: provider).metadata.check(responseIssuer: answer["iss"])
        } catch {
            pools.services.noteProviderFailure(provider.name, error.reason)
            return refuse("server_error", "\(provider.name) did not confirm the sign-in.")
        }
        if let error = answer["error"] {
            let isDenied = ["access_denied", "user_cancelled_authorize"].contains(error)
            return refuse(isDenied ? "access_denied" : "server_error", answer["error_description"] ?? error)
        }
        guard let code = answer["code"], !code.isEmpty else {
            return refuse("server_error", "\(provider.name) sent no code.")
        }
        var token: IDToken
        do throws(UserPools.ProviderFailure) {
            token = try await pools.claims(for: code, from: provider, state, redirectURI: callbackURL)
        } catch {
            pools.services.noteProviderFailure(provider.name, error.reason)
            return refuse("server_error", "\(provider.name) did not confirm the sign-in.")
        }
        if provider.type == .apple { token = token.adding(Self.appleNames(answer["user"])) }
        do throws(CognitoError) {
            let user = try await pools.user(token, of: provider, in: authorization.pool, by: authorization.client)
            return await finish(authorization, user, origin: BrowserSession.Origin(provider))
        } catch {
            return refuse("invalid_request", Self.text(error))
        }
    }

    /// The names that Apple sends beside the code, and only at a person's first sign-in.
    private static func appleNames(_ user: String?) -> JSONObject {
        guard let user, user.utf8.count <= 4_096, let name = (try? JSONReader.read(user))?["name"]?.objectValue else {
            return [:]
        }
        return JSONObject(name.filter { ["firstName", "lastName"].contains($0.key) && $0.value.stringValue != nil })
    }
}
