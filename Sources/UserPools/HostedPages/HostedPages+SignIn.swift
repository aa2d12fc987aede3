import Encodings
import JSON

extension HostedPages {
    /// How the field of the user name is called where people sign in by an address.
    static func usernameLabel(_ pool: UserPool) -> String {
        switch pool.usernameAttributes {
        case []: "Username"
        case ["email"]: "Email"
        case ["phone_number"]: "Phone number"
        default: "Email or phone number"
        }
    }

    private func usernameField(_ pool: UserPool, _ value: String) -> PageContent.Field {
        var field = PageContent.Field(
            name: "username", label: Self.usernameLabel(pool), value: value, autocomplete: "username")
        if pool.usernameAttributes == ["email"] { field.type = "email" }
        if pool.usernameAttributes == ["phone_number"] { field.type = "tel" }
        return field
    }

    private static let password = PageContent.Field(
        name: "password", label: "Password", type: "password", autocomplete: "current-password")

    static func newPassword(_ pool: UserPool, label: String = "New password") -> PageContent.Field {
        PageContent.Field(
            name: "password", label: label, type: "password", autocomplete: "new-password",
            hint: "The password needs: " + pool.passwordPolicy.sentences.joined(separator: ", ").lowercased() + ".")
    }

    static let code = PageContent.Field(
        name: "code", label: "Code", autocomplete: "one-time-code", inputMode: "numeric")

    // MARK: Sign-in

    func login(
        _ authorization: AuthorizationRequest, error: String? = nil, info: String? = nil, username: String? = nil
    ) -> HostedResponse {
        let pool = authorization.pool
        var content = PageContent(title: "Sign in", message: info, error: error)
        content.providers = providerLinks(authorization)
        guard authorization.client.allowsPasswords else { return page(content, pool) }
        content.action = "/login?\(authorization.query)"
        content.fields = [
            usernameField(pool, username ?? request.form["username"] ?? authorization.loginHint ?? ""), Self.password,
        ]
        content.button = "Sign in"
        content.links = [("Forgot your password?", "/forgotPassword?\(authorization.query)")]
        if !pool.allowsAdminCreateUserOnly {
            content.links.append(("Need an account? Sign up", "/signup?\(authorization.query)"))
        }
        return page(content, pool)
    }

    func submitLogin(_ authorization: AuthorizationRequest) async -> HostedResponse {
        let (username, password) = (request.form["username"] ?? "", request.form["password"] ?? "")
        do throws(CognitoError) {
            let output = try await authentication(authorization).signIn(
                username: username, password: password, deviceKey: nil)
            return await next(authorization, output)
        } catch {
            switch error.name {
            case "UserNotConfirmedException": return confirm(authorization, username: username)
            case "PasswordResetRequiredException":
                return forgot(authorization, error: "You have to set a new password.", username: username)
            case "UserNotFoundException": return login(authorization, error: CognitoError.wrongCredentials.message)
            default: return login(authorization, error: Self.text(error))
            }
        }
    }

    /// What follows a step of the sign-in: the next page, or the way back to the client.
    func next(_ authorization: AuthorizationRequest, _ output: JSONObject, error: String? = nil) async -> HostedResponse
    {
        if let key = output["HostedUser"]?.stringValue {
            guard let user = try? await pools.records.get(User.self, authorization.pool.id, key) else {
                return login(authorization, error: CognitoError.wrongCredentials.message)
            }
            return await finish(authorization, user, origin: .own)
        }
        guard let challenge = output["ChallengeName"]?.stringValue, let session = output["Session"]?.stringValue else {
            return login(authorization, error: "Something went wrong. Please try again.")
        }
        let parameters = output["ChallengeParameters"]?.objectValue ?? [:]
        let username = parameters["USER_ID_FOR_SRP"]?.stringValue ?? ""
        var content = PageContent(title: "", error: error)
        content.action = "/challenge?\(authorization.query)"
        content.hidden = [("challenge", challenge), ("session", session), ("username", username)]
        content.button = "Continue"
        switch challenge {
        case "NEW_PASSWORD_REQUIRED":
            content.title = "Choose a new password"
            content.fields = [Self.newPassword(authorization.pool)] + Self.missingAttributes(parameters)
        case "SOFTWARE_TOKEN_MFA":
            content.title = "Enter the code of your app"
            content.message = "Open your authenticator app and enter the code that it shows."
            content.fields = [Self.code]
        case "SMS_MFA", "EMAIL_OTP":
            let destination = parameters["CODE_DELIVERY_DESTINATION"]?.stringValue ?? ""
            content.title = "Enter the code"
            content.message = "A code was sent to \(destination)."
            content.fields = [Self.code]
        case "SELECT_MFA_TYPE":
            let names = [
                "SMS_MFA": "A code by text message", "EMAIL_OTP": "A code by mail",
                "SOFTWARE_TOKEN_MFA": "An authenticator app",
            ]
            let choices = (try? JSONReader.read(parameters["MFAS_CAN_CHOOSE"]?.stringValue ?? "[]"))?.arrayValue ?? []
            content.title = "How do you want to be verified?"
            content.choices = choices.compactMap(\.stringValue).map { ($0, names[$0] ?? $0) }
        case "MFA_SETUP": return await setUp(authorization, content, session, username)
        default:
            return login(authorization, error: "This account cannot sign in here: \(challenge).")
        }
        return page(content, authorization.pool)
    }

    private static func missingAttributes(_ parameters: JSONObject) -> [PageContent.Field] {
        let names = (try? JSONReader.read(parameters["requiredAttributes"]?.stringValue ?? "[]"))?.arrayValue ?? []
        return names.compactMap(\.stringValue).map { attributeField(String($0.drop { $0 != "." }.dropFirst())) }
    }

    /// The page on which an authenticator app is set up.
    private func setUp(
        _ authorization: AuthorizationRequest, _ page: PageContent, _ session: String, _ username: String
    ) async -> HostedResponse {
        guard var state = try? pools.open(session: session, authorization.client, .hosted),
            let user = try? await pools.user(of: state)
        else { return login(authorization, error: "Something went wrong. Please try again.") }
        guard authorization.pool.enabledMFAs.contains(.softwareToken) else {
            return login(authorization, error: "This account needs a second factor. Please ask an administrator.")
        }
        var secret = pools.totpSecret(state.totpSecret, of: user)
        if secret == nil {
            state.totpSecret = pools.makeTOTPSecret(of: user).sealed
            secret = pools.totpSecret(state.totpSecret, of: user)
        }
        let text = TOTP.base32(secret ?? [])
        var content = page
        content.hidden = [("challenge", "MFA_SETUP"), ("session", pools.seal(state)), ("username", username)]
        content.title = "Set up an authenticator app"
        content.message = "Add this key to your authenticator app, and enter the code that it shows."
        content.secret = stride(from: 0, to: text.count, by: 4).map { start in
            String(text.dropFirst(start).prefix(4))
        }.joined(separator: " ")
        let issuer = Percent.encode(authorization.pool.name)
        content.secretLink = "otpauth://totp/\(issuer):\(Percent.encode(username))?secret=\(text)&issuer=\(issuer)"
        content.fields = [Self.code]
        return self.page(content, authorization.pool)
    }

    /// A form of a challenge.
    func submitChallenge(_ authorization: AuthorizationRequest) async -> HostedResponse {
        let form = request.form
        let (challenge, session) = (form["challenge"] ?? "", form["session"] ?? "")
        let authentication = authentication(authorization)
        do throws(CognitoError) {
            let state = try pools.open(session: session, authorization.client, .hosted)
            guard state.challenge == challenge,
                let user = try await pools.user(of: state)
            else { throw .sessionExpired }
            try authentication.checkState(of: user)
            do throws(CognitoError) {
                switch challenge {
                case "NEW_PASSWORD_REQUIRED":
                    var responses = ["NEW_PASSWORD": form["password"] ?? ""]
                    // Only what the page asks for: a form may contain anything.
                    for name in Self.missing(user, authorization.pool) {
                        responses["userAttributes.\(name)"] = form["requiredAttributes[\(name)]"]
                    }
                    return await next(authorization, try await authentication.setNewPassword(state, user, responses))
                case "SMS_MFA", "EMAIL_OTP":
                    let name = challenge == "SMS_MFA" ? "SMS_MFA_CODE" : "EMAIL_OTP_CODE"
                    return await next(
                        authorization, try await authentication.verifySentCode(state, user, [name: form["code"] ?? ""]))
                case "SOFTWARE_TOKEN_MFA":
                    return await next(
                        authorization,
                        try await authentication.verifySoftwareToken(
                            state, user, ["SOFTWARE_TOKEN_MFA_CODE": form["code"] ?? ""]))
                case "SELECT_MFA_TYPE":
                    return await next(
                        authorization,
                        try await authentication.selectFactor(state, user, ["ANSWER": form["choice"] ?? ""]))
                case "MFA_SETUP":
                    guard authorization.pool.enabledMFAs.contains(.softwareToken) else { throw .softwareTokenIsOff }
                    try await pools.verifySoftwareToken(
                        form["code"] ?? "", state.totpSecret, nil, of: user, in: authorization.pool,
                        from: request.caller, isFirst: true)
                    var verified = state
                    (verified.challenge, verified.id) = ("VERIFIED", pools.randomness.uuid())
                    try pools.use(state)
                    return await next(authorization, try await authentication.finishSetup(verified, user))
                default: throw .sessionExpired
                }
            } catch {
                guard pools.singleUse.isUsable(state.id), error.name != "NotAuthorizedException" else { throw error }
                // The same page again, for another attempt.
                let output: JSONObject = [
                    "ChallengeName": .string(challenge), "Session": .string(session),
                    "ChallengeParameters": [
                        "USER_ID_FOR_SRP": .string(form["username"] ?? ""),
                        "requiredAttributes": .string(
                            JSONValue.array(
                                Self.missing(user, authorization.pool).map { .string("userAttributes.\($0)") }
                            ).description),
                    ],
                ]
                return await next(authorization, output, error: Self.text(error))
            }
        } catch {
            return login(authorization, error: Self.text(error))
        }
    }

    /// The required attributes that a user lacks.
    private static func missing(_ user: User, _ pool: UserPool) -> [String] {
        pool.schema.filter { $0.isRequired && (user[$0.name] ?? "").isEmpty }.map(\.name)
    }
}
