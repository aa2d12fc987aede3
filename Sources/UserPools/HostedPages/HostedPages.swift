import Encodings
import JSON

/// The hosted pages and the endpoints of OAuth 2.0 (reference: auth, "Hosted pages"): one answer to one request.
struct HostedPages: Sendable {
    let pools: UserPools
    let request: HostedRequest

    /// The paths, each with its methods.
    static let paths: [String: [String]] = [
        "/oauth2/authorize": ["GET"], "/login": ["GET", "POST"], "/signup": ["GET", "POST"],
        "/confirmUser": ["GET", "POST"], "/resendCode": ["POST"], "/forgotPassword": ["GET", "POST"],
        "/confirmForgotPassword": ["POST"], "/challenge": ["POST"], "/logout": ["GET"], "/oauth2/token": ["POST"],
        "/oauth2/userInfo": ["GET", "POST"], "/oauth2/revoke": ["POST"],
        "/oauth2/idpresponse": ["GET", "POST"],
    ]

    func response() async -> HostedResponse {
        switch request.path {
        case "/oauth2/token": return await token()
        case "/oauth2/userInfo": return await userInfo()
        case "/oauth2/revoke": return await revoke()
        case "/logout": return logout()
        case "/oauth2/idpresponse": return await finishFederation()
        default: break
        }
        let authorization: AuthorizationRequest
        do throws(AuthorizationRequest.Refusal) {
            authorization = try AuthorizationRequest(request, in: pools)
        } catch {
            return page(PageContent(title: "This link cannot be used", message: error.message), nil, status: 400)
        }
        if let problem = authorization.problem(request.parameters) {
            return .redirect(
                authorization.redirect([("error", problem.error), ("error_description", problem.description)]))
        }
        if request.method == "POST", !isFormOurs(authorization.client.id) {
            return login(authorization, error: "The form was too old. Please try again.")
        }
        if request.path != "/oauth2/authorize", request.path != "/login" || request.method == "POST",
            !authorization.client.allowsPasswords
        {
            return login(authorization, error: "People do not sign in with a password here.")
        }
        if request.method == "POST", let problem = fieldProblem {
            return request.path == "/signup"
                ? signUp(authorization, error: problem) : login(authorization, error: problem, username: "")
        }
        switch (request.path, request.method) {
        case ("/oauth2/authorize", _): return await authorize(authorization)
        case ("/login", "GET"): return login(authorization)
        case ("/login", _): return await submitLogin(authorization)
        case ("/signup", "GET"): return signUp(authorization)
        case ("/signup", _): return await submitSignUp(authorization)
        case ("/confirmUser", "GET"): return confirm(authorization, username: request.parameters["username"] ?? "")
        case ("/confirmUser", _): return await submitConfirmation(authorization)
        case ("/resendCode", _): return await resend(authorization)
        case ("/forgotPassword", "GET"): return forgot(authorization)
        case ("/forgotPassword", _): return await submitForgot(authorization)
        case ("/confirmForgotPassword", _): return await submitReset(authorization)
        default: return await submitChallenge(authorization)
        }
    }

    /// What is wrong with a form's fields that are longer than the members of operations are.
    private var fieldProblem: String? {
        for (name, member) in [
            ("username", Member.username), ("password", .string("Password", 0...256)),
            ("code", .string("Code", 0...2_048)),
        ] {
            guard let value = request.form[name], !value.isEmpty else { continue }
            do throws(CognitoError) {
                _ = try OperationInput([member.name: .string(value)], for: [member])
            } catch {
                return Self.text(error)
            }
        }
        return nil
    }

    // MARK: Cookies

    /// The cookie of the forms. With `__Host-` no other host of the domain can set it (RFC 6265bis), which browsers
    /// accept by TLS alone.
    private var csrfCookie: String { request.isSecure ? "__Host-XSRF-TOKEN" : "XSRF-TOKEN" }

    /// The random value of this browser's cookie; nil for one that no page has set.
    private var csrfValue: String? {
        request.cookies[csrfCookie].flatMap { $0.utf8.count == 43 && Self.isToken($0) ? $0 : nil }
    }

    /// The token of a client's forms for a cookie: the server authenticates it, so the cookie's value alone makes none.
    func csrfToken(_ value: String, _ clientID: String) -> String {
        Base64.encodeURL(pools.sealer.authenticationCode(of: "csrf:\(value):\(clientID)"))
    }

    /// Whether the form has the token of this browser's cookie and of the client.
    private func isFormOurs(_ clientID: String) -> Bool {
        guard let value = csrfValue, let field = request.form["_csrf"] else { return false }
        return ConstantTime.isEqual(csrfToken(value, clientID), field)
    }

    func cookie(_ name: String, _ value: String, seconds: Int64) -> (name: String, value: String) {
        let secure = request.isSecure ? "; Secure" : ""
        return ("Set-Cookie", "\(name)=\(value); Path=/; Max-Age=\(seconds); HttpOnly; SameSite=Lax\(secure)")
    }

    // MARK: Pages

    /// Responds with a page. Its policy allows the page's own style sheet and the pool's logo, and no script.
    func page(_ content: PageContent, _ pool: UserPool?, status: Int = 200) -> HostedResponse {
        let csrf = csrfValue ?? Base64.encodeURL(pools.randomness.bytes(32))
        let style = PageStyle(pool)
        let token = csrfToken(csrf, request.parameters["client_id"] ?? "")
        let html = PageWriter(style, content, csrf: token).html
        let images = "img-src \(style.logo == nil ? "" : "'self' https: ")data:; "
        // No form-action: browsers apply it to the redirect after a form, which may lead to an app's custom scheme.
        let policy =
            "default-src 'none'; style-src 'sha256-\(style.hash)'; \(images)base-uri 'none'; frame-ancestors 'none'"
        return HostedResponse(
            status: status, contentType: "text/html;charset=UTF-8",
            fields: [
                ("Content-Security-Policy", policy), ("X-Frame-Options", "DENY"),
                ("X-Content-Type-Options", "nosniff"), ("Referrer-Policy", "no-referrer"),
                ("Cache-Control", "no-store"), cookie(csrfCookie, csrf, seconds: 86_400),
            ], body: Array(html.utf8))
    }

    private static func isToken(_ text: String) -> Bool {
        text.utf8.allSatisfy {
            $0.isDigit || $0.isLowercaseLetter || $0.isUppercaseLetter || $0 == UInt8(ascii: "-")
                || $0 == UInt8(ascii: "_")
        }
    }

    /// What people are shown of an error.
    static func text(_ error: CognitoError) -> String {
        switch error.name {
        case "InternalErrorException": "Something went wrong. Please try again."
        case "TooManyRequestsException": "The server is busy. Please try again in a moment."
        default: error.message ?? "Something went wrong. Please try again."
        }
    }

    func authentication(_ authorization: AuthorizationRequest) -> Authentication {
        Authentication(
            pools: pools, pool: authorization.pool, client: authorization.client, caller: request.caller,
            channel: .hosted, metadata: [:])
    }
}

extension UserPools {
    /// The paths of the hosted pages and of OAuth 2.0, each with its methods.
    public static var hostedPaths: [String: [String]] { HostedPages.paths }

    /// Answers a request to the hosted pages or to an endpoint of OAuth 2.0.
    public func respond(to request: HostedRequest) async -> HostedResponse {
        await HostedPages(pools: self, request: request).response()
    }
}
