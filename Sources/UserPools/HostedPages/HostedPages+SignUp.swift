import JSON

extension HostedPages {
    /// The field of an attribute.
    static func attributeField(_ name: String) -> PageContent.Field {
        let labels = [
            "email": "Email", "phone_number": "Phone number", "name": "Name", "given_name": "Given name",
            "family_name": "Family name", "birthdate": "Birthdate", "address": "Address", "gender": "Gender",
            "preferred_username": "Preferred username", "nickname": "Nickname", "middle_name": "Middle name",
            "locale": "Locale", "zoneinfo": "Time zone", "website": "Website", "profile": "Profile",
            "picture": "Picture",
        ]
        let completions = [
            "email": "email", "phone_number": "tel", "name": "name", "given_name": "given-name",
            "family_name": "family-name", "birthdate": "bday", "address": "street-address", "nickname": "nickname",
            "website": "url",
        ]
        var field = PageContent.Field(
            name: "requiredAttributes[\(name)]", label: labels[name] ?? name, autocomplete: completions[name] ?? "off")
        field.type = ["email": "email", "phone_number": "tel", "birthdate": "date", "website": "url"][name] ?? "text"
        return field
    }

    func signUp(_ authorization: AuthorizationRequest, error: String? = nil) -> HostedResponse {
        let pool = authorization.pool
        guard !pool.allowsAdminCreateUserOnly else {
            return login(authorization, error: "Accounts are made by an administrator here.")
        }
        var content = PageContent(title: "Sign up", error: error)
        content.action = "/signup?\(authorization.query)"
        var username = PageContent.Field(
            name: "username", label: Self.usernameLabel(pool), value: request.form["username"] ?? "",
            autocomplete: pool.usernameAttributes.isEmpty ? "username" : "email")
        if pool.usernameAttributes == ["email"] { username.type = "email" }
        // Required attributes, and the address that a code is sent to.
        let asked = pool.schema.map(\.name).filter { name in
            guard !pool.usernameAttributes.contains(name) else { return false }
            return pool.attribute(name)?.isRequired == true || pool.autoVerifiedAttributes.contains(name)
        }
        let attributes = asked.map { name in
            var field = Self.attributeField(name)
            field.value = request.form[field.name] ?? ""
            return field
        }
        content.fields = [username] + attributes + [Self.newPassword(pool, label: "Password")]
        content.button = "Sign up"
        content.links = [("Already have an account? Sign in", "/login?\(authorization.query)")]
        return page(content, pool)
    }

    func submitSignUp(_ authorization: AuthorizationRequest) async -> HostedResponse {
        let form = request.form
        let attributes = form.filter {
            $0.key.hasPrefix("requiredAttributes[") && $0.key.hasSuffix("]") && !$0.value.isEmpty
        }
        .map { Attribute(name: String($0.key.dropFirst(19).dropLast()), value: $0.value) }.sorted { $0.name < $1.name }
        let username = form["username"] ?? ""
        guard !username.isEmpty else {
            return signUp(authorization, error: "\(Self.usernameLabel(authorization.pool)) is missing.")
        }
        do throws(CognitoError) {
            let registration = Registration(
                username: username, password: form["password"] ?? "", attributes: attributes, validationData: [:],
                metadata: [:])
            let (user, delivery) = try await pools.signUp(
                registration, in: authorization.pool, by: authorization.client, from: request.caller)
            guard user.status == .confirmed else {
                return confirm(authorization, username: username, newUser: user, delivery: delivery)
            }
            return await next(
                authorization, try await authentication(authorization).continueAfterFirstFactor(user, deviceKey: nil))
        } catch {
            return signUp(authorization, error: Self.text(error))
        }
    }

    // MARK: Confirmation

    /// The page that asks for the code of a sign-up.
    ///
    /// - Parameter newUser: The user who has just registered in this browser, who is signed in after the code.
    func confirm(
        _ authorization: AuthorizationRequest, username: String, newUser: User? = nil,
        delivery: UserPools.Delivery? = nil,
        error: String? = nil, info: String? = nil
    ) -> HostedResponse {
        var content = PageContent(title: "Confirm your account", error: error)
        content.message =
            info ?? delivery.map { "A code was sent to \($0.destination)." } ?? "Enter the code that was sent to you."
        content.action = "/confirmUser?\(authorization.query)"
        content.hidden = [("username", username)]
        var proof = request.form["proof"]
        if let newUser {
            proof = pools.seal(
                pools.makeState(
                    "SIGN_UP", newUser, authorization.pool, authorization.client, .hosted, minutes: 15))
        }
        if let proof { content.hidden.append(("proof", proof)) }
        content.fields = [Self.code]
        content.button = "Confirm"
        content.secondAction = ("Send a new code", "/resendCode?\(authorization.query)")
        content.links = [("Back to sign in", "/login?\(authorization.query)")]
        return page(content, authorization.pool)
    }

    func submitConfirmation(_ authorization: AuthorizationRequest) async -> HostedResponse {
        let username = request.form["username"] ?? ""
        do throws(CognitoError) {
            let user = try await pools.confirmSignUp(
                of: try await pools.findUser(username, in: authorization.pool), named: username,
                code: request.form["code"] ?? "", in: authorization.pool, by: authorization.client, takesOver: false,
                metadata: [:], from: request.caller)
            guard let state = try? pools.open(session: request.form["proof"], authorization.client, .hosted),
                state.challenge == "SIGN_UP", state.usernameKey.isExactly(user.usernameKey), state.sub == user.sub,
                let confirmed = try await pools.records.get(User.self, authorization.pool.id, user.usernameKey)
            else {
                return login(authorization, info: "Your account is confirmed. Sign in to continue.", username: username)
            }
            try pools.use(state)
            return await next(
                authorization,
                try await authentication(authorization).continueAfterFirstFactor(confirmed, deviceKey: nil))
        } catch {
            let shown = error.name == "UserNotFoundException" ? CognitoError.expiredCode : error
            return confirm(authorization, username: username, error: Self.text(shown))
        }
    }

    func resend(_ authorization: AuthorizationRequest) async -> HostedResponse {
        let username = request.form["username"] ?? ""
        do throws(CognitoError) {
            _ = try await pools.resendCode(
                to: try await pools.findUser(username, in: authorization.pool), named: username,
                in: authorization.pool, by: authorization.client, metadata: [:], from: request.caller)
            return confirm(authorization, username: username, info: "A new code was sent.")
        } catch {
            if error.name == "UserNotFoundException" {
                return confirm(authorization, username: username, info: "A new code was sent.")
            }
            return confirm(authorization, username: username, error: Self.text(error))
        }
    }

    // MARK: A forgotten password

    func forgot(_ authorization: AuthorizationRequest, error: String? = nil, username: String? = nil) -> HostedResponse
    {
        var content = PageContent(title: "Forgot your password?", error: error)
        content.message = "A code to set a new password will be sent to you."
        content.action = "/forgotPassword?\(authorization.query)"
        content.fields = [
            PageContent.Field(
                name: "username", label: Self.usernameLabel(authorization.pool),
                value: username ?? request.form["username"] ?? "", autocomplete: "username")
        ]
        content.button = "Send the code"
        content.links = [("Back to sign in", "/login?\(authorization.query)")]
        return page(content, authorization.pool)
    }

    func submitForgot(_ authorization: AuthorizationRequest) async -> HostedResponse {
        let username = request.form["username"] ?? ""
        do throws(CognitoError) {
            let user = try await pools.findUser(username, in: authorization.pool)
            let delivery = try await pools.forgotPassword(
                user, named: username, in: authorization.pool, by: authorization.client, metadata: [:],
                from: request.caller)
            return reset(authorization, username, "A code was sent to \(delivery.destination).")
        } catch {
            if error.name == "UserNotFoundException" {
                return forgot(authorization, error: "The account was not found.")
            }
            return forgot(authorization, error: Self.text(error))
        }
    }

    private func reset(
        _ authorization: AuthorizationRequest, _ username: String, _ message: String?, error: String? = nil
    ) -> HostedResponse {
        var content = PageContent(title: "Set a new password", message: message, error: error)
        content.action = "/confirmForgotPassword?\(authorization.query)"
        content.hidden = [("username", username)]
        content.fields = [Self.code, Self.newPassword(authorization.pool)]
        content.button = "Set the password"
        content.links = [("Back to sign in", "/login?\(authorization.query)")]
        return page(content, authorization.pool)
    }

    func submitReset(_ authorization: AuthorizationRequest) async -> HostedResponse {
        let username = request.form["username"] ?? ""
        do throws(CognitoError) {
            try authorization.pool.passwordPolicy.check(request.form["password"] ?? "")
            try await pools.resetPassword(
                of: try await pools.findUser(username, in: authorization.pool), named: username,
                code: request.form["code"] ?? "", to: request.form["password"] ?? "", in: authorization.pool,
                by: authorization.client, metadata: [:], from: request.caller)
            return login(authorization, info: "Your password was changed. Sign in to continue.", username: username)
        } catch {
            let shown = error.name == "UserNotFoundException" ? CognitoError.expiredCode : error
            return reset(authorization, username, nil, error: Self.text(shown))
        }
    }
}
