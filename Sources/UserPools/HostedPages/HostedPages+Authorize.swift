import Crypto
import Encodings
import JSON

extension HostedPages {
    /// `/oauth2/authorize`: back to the client at once where the browser is signed in, else to the sign-in page.
    func authorize(_ authorization: AuthorizationRequest) async -> HostedResponse {
        let session = browserSession
        if let session, session.poolID == authorization.pool.id, !authorization.prompt.contains("login"),
            session.isAccepted(
                by: authorization.client, in: authorization.pool, naming: request.parameters["identity_provider"],
                identifiedProvider: request.parameters["idp_identifier"] == nil ? nil : provider(authorization)?.name),
            let user = try? await pools.records.get(User.self, session.poolID, session.usernameKey),
            user.sub == session.sub, user.credentialGeneration == session.generation, user.isEnabled
        {
            return await finish(authorization, user, continuing: session, origin: session.origin)
        }
        if authorization.prompt.contains("none") {
            return .redirect(authorization.redirect([("error", "login_required")]))
        }
        if let provider = provider(authorization) { return await begin(provider, authorization) }
        return .redirect("/login?\(authorization.query)")
    }

    /// The session of the browser, unless it has ended.
    private var browserSession: BrowserSession? {
        let session = BrowserSession(request.cookies[BrowserSession.cookieName], pools.sealer, now: pools.now)
        return session.flatMap { pools.endedBrowserSessions.isUsable($0.id) ? $0 : nil }
    }

    /// Sends the browser back to the client with a code, or with tokens.
    ///
    /// - Parameters:
    ///   - known: The session that the browser has; nil after a sign-in.
    ///   - origin: `BrowserSession.origin`.
    func finish(
        _ authorization: AuthorizationRequest, _ user: User, continuing known: BrowserSession? = nil,
        origin: BrowserSession.Origin?
    ) async -> HostedResponse {
        let now = pools.now
        let session = BrowserSession(
            user, authenticated: known?.authenticated ?? now, origin: origin, id: known?.id ?? pools.randomness.uuid())
        let cookies = [
            cookie(
                BrowserSession.cookieName, session.sealed(by: pools.sealer), seconds: BrowserSession.lifetime / 1_000)
        ]
        do throws(CognitoError) {
            guard
                pools.rates.take(
                    "authorization-codes:\(user.sub)", max: pools.limits.authorizationCodesPerUserPerHour,
                    now: now)
            else { throw .limitExceeded }
            if authorization.responseType == "token" {
                var signIn = UserPools.SignIn(pool: authorization.pool, client: authorization.client)
                signIn.scopes = authorization.scopes
                (signIn.isOAuth, signIn.nonce) = (true, authorization.nonce)
                (signIn.source, signIn.authenticated) = ("TokenGeneration_HostedAuth", session.authenticated)
                let result = try await pools.beginSession(of: user, signIn)
                return .redirect(
                    authorization.redirect(
                        [
                            ("access_token", result["AccessToken"]?.stringValue),
                            ("id_token", result["IdToken"]?.stringValue), ("token_type", "Bearer"),
                            ("expires_in", String(authorization.client.accessTokenSeconds)),
                        ], inFragment: true), cookies)
            }
            let code = pools.randomness.uuid()
            var record = AuthorizationCode(
                hash: UserPools.hash(code), clientID: authorization.client.id, redirectURI: authorization.redirectURI,
                user: user.reference, sessionID: pools.randomness.uuid(), scopes: authorization.scopes,
                authenticated: session.authenticated, expires: now + AuthorizationCode.lifetime)
            (record.nonce, record.codeChallenge) = (authorization.nonce, authorization.codeChallenge)
            record.generation = user.credentialGeneration
            guard try await pools.records.insert(record) else { throw .internalError }
            return .redirect(authorization.redirect([("code", code)]), cookies)
        } catch {
            return login(authorization, error: Self.text(error))
        }
    }

    /// `/logout`: the browser is signed out, and goes to a registered address or back to the sign-in page.
    func logout() -> HostedResponse {
        guard let id = request.parameters["client_id"], let client = pools.directory.client(id),
            pools.serves(client, at: request.host)
        else {
            return page(
                PageContent(title: "This link cannot be used", message: "The client is not known."), nil, status: 400)
        }
        let pool = pools.directory.pool(client.poolID)
        if let uri = request.parameters["logout_uri"] {
            guard let registered = AuthorizationRequest.registered(uri, client.logoutURLs) else {
                return page(
                    PageContent(
                        title: "This link cannot be used",
                        message: "The address to go to after signing out is not registered for the client."), pool,
                    status: 400)
            }
            return .redirect(registered, [endBrowserSession()])
        }
        if let uri = request.parameters["redirect_uri"],
            AuthorizationRequest.registered(uri, client.callbackURLs) != nil
        {
            return .redirect("/login?\(request.query)", [endBrowserSession()])
        }
        var answer = page(PageContent(title: "You are signed out", message: "You can close this page."), pool)
        answer.fields.append(endBrowserSession())
        return answer
    }

    /// Ends the session of the browser, for copies of its cookie, too.
    ///
    /// - Returns: The field that removes the cookie.
    private func endBrowserSession() -> (name: String, value: String) {
        if let session = browserSession {
            _ = pools.endedBrowserSessions.use(session.id, expires: session.expires, now: pools.now)
        }
        return cookie(BrowserSession.cookieName, "", seconds: 0)
    }
}
