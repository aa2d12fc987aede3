import JSON

extension UserPools {
    /// Registers a user, and sends a code if the pool verifies one of the user's addresses.
    func signUp(
        _ registration: Registration, in pool: UserPool, by client: UserPoolClient, from caller: Caller
    ) async throws(CognitoError) -> (user: User, delivery: Delivery?) {
        guard !pool.allowsAdminCreateUserOnly else {
            throw .notAuthorized("SignUp is not permitted for this user pool")
        }
        guard let password = registration.password else {
            throw .invalidParameter(
                "1 validation error detected: Value at 'password' failed to satisfy constraint: Member must not be null"
            )
        }
        try Self.checkNew(username: registration.username)
        // Names of federated users are reserved for the people who sign in by that provider.
        if let provider = pool.identityProviders.first(where: {
            registration.username.lowercased().hasPrefix($0.username("").lowercased())
        }) {
            throw .invalidParameter(
                "User names that begin with \(provider.username("")) are those of a provider's users.")
        }
        let attributes = try Self.signInAttributes(registration.username, registration.attributes, pool)
        try pool.passwordPolicy.check(password)
        try Self.check(attributes, in: pool, by: client, isNew: true)
        // Before the answer says whether the name is taken.
        guard rates.take("sign-up:\(caller.network)", max: limits.signUpsPerAddressPerHour, now: now) else {
            throw .limitExceeded
        }
        try await refuseTaken(registration.username, in: pool, isAdministration: false)
        var user = newUser(registration.username, Self.normalized(attributes), status: .unconfirmed, in: pool)
        let response = try await call(
            .preSignUp, "PreSignUp_SignUp", for: user, in: pool, client: client,
            request: [
                "userAttributes": .object(JSONObject(user.attributes.map { ($0.name, JSONValue.string($0.value)) })),
                "validationData": Self.json(registration.validationData),
                "clientMetadata": Self.json(registration.metadata),
            ],
            response: ["autoConfirmUser": false, "autoVerifyEmail": false, "autoVerifyPhone": false])
        let isConfirmed = try response.bool("autoConfirmUser") == true
        if isConfirmed { user.status = .confirmed }
        for (member, attribute) in [("autoVerifyEmail", "email"), ("autoVerifyPhone", "phone_number")] {
            guard try response.bool(member) == true else { continue }
            guard user[attribute] != nil else {
                throw CognitoError("InvalidLambdaResponseException", "The user has no \(attribute) to verify.")
            }
            user["\(attribute)_verified"] = "true"
        }
        user.password = seal(password: password, of: user, in: pool)
        user.passwordSetAt = now
        // A user who is stored without a code could not sign up again.
        if !isConfirmed, let delivery = signUpDelivery(of: user, in: pool) {
            try requireMessageRate(delivery, to: user, from: caller)
        }
        do throws(CognitoError) {
            guard try await insert(user, in: pool) else { throw Self.usernameExists }
        } catch {
            throw error.name == "AliasExistsException" && !pool.usernameAttributes.isEmpty
                ? CognitoError("UsernameExistsException", error.message) : error
        }
        if isConfirmed {
            try await callPostConfirmation(user, in: pool, client, registration.metadata)
            return (user, nil)
        }
        guard let delivery = signUpDelivery(of: user, in: pool) else { return (user, nil) }
        try await sendCode(
            to: user, delivery, for: .signUp, in: pool, client: client, trigger: "CustomMessage_SignUp",
            metadata: registration.metadata, from: caller)
        return (user, delivery)
    }

    private static let usernameExists = CognitoError("UsernameExistsException", "User already exists")

    /// Creates a user in memory, without storing it.
    func newUser(_ username: String, _ attributes: [Attribute], status: User.Status, in pool: UserPool) -> User {
        let sub = randomness.uuid()
        let name = pool.usernameAttributes.isEmpty ? username : sub
        var user = User(
            poolID: pool.id, usernameKey: pool.usernameKey(name), username: name, sub: sub, status: status, created: now
        )
        user.attributes = attributes
        return user
    }

    /// The attributes of a new user. In a pool with `usernameAttributes`, the given user name is one of them.
    static func signInAttributes(
        _ username: String, _ attributes: [Attribute], _ pool: UserPool
    ) throws(CognitoError) -> [Attribute] {
        let isEmail = EmailAddress.isValid(username)
        let isPhone = PhoneNumber.isValid(username)
        guard !pool.usernameAttributes.isEmpty else {
            if isEmail, pool.aliasAttributes.contains("email") {
                throw .invalidParameter(
                    "Username cannot be of email format, since user pool is configured for email alias.")
            }
            if isPhone, pool.aliasAttributes.contains("phone_number") {
                throw .invalidParameter(
                    "Username cannot be of phone number format, since user pool is configured for phone number alias.")
            }
            try NamePattern.check(username, "username")
            return attributes
        }
        let attribute: String
        switch (pool.usernameAttributes.contains("email"), pool.usernameAttributes.contains("phone_number")) {
        case (true, _) where isEmail: attribute = "email"
        case (_, true) where isPhone: attribute = "phone_number"
        case (true, true): throw .invalidParameter("Username should be either an email or a phone number.")
        case (true, false): throw .invalidParameter("Username should be an email.")
        default: throw .invalidParameter("Username should be a phone number.")
        }
        return attributes.filter { $0.name != attribute } + [Attribute(name: attribute, value: username)]
    }

    /// Throws unless a name can be that of a new user: of at most 128 characters, and without `::`, which joins the parts of
    /// owner claims.
    static func checkNew(username: String) throws(CognitoError) {
        _ = try OperationInput(["Username": .string(username)], for: [.username])
        guard !NamePattern.hasSeparator(username) else {
            throw .invalidParameter("A user name cannot have \"::\", which joins the parts of owner claims.")
        }
    }

    /// Throws if the user name is taken.
    func refuseTaken(_ username: String, in pool: UserPool, isAdministration: Bool) async throws(CognitoError) {
        guard pool.usernameAttributes.isEmpty else {
            for attribute in pool.usernameAttributes {
                guard try await !storedAliases(attribute, username, pool).isEmpty else { continue }
                if isAdministration { throw CognitoError("UsernameExistsException", "User account already exists") }
                throw CognitoError("UsernameExistsException", CognitoError.aliasExists(attribute).message)
            }
            return
        }
        // A name that already resolves to another user would direct sign-ins and admin calls to the wrong account.
        guard try await isTaken(username, in: pool) else { return }
        throw isAdministration
            ? CognitoError("UsernameExistsException", "User account already exists") : Self.usernameExists
    }

    /// Confirms a sign-up by the code that was sent. Clients that prevent user existence errors receive the errors of a code
    /// that nobody was sent for unknown users, and for those who are confirmed already.
    ///
    /// - Returns: The user who is confirmed now, as it was before.
    func confirmSignUp(
        of known: User?, named username: String, code: String, in pool: UserPool, by client: UserPoolClient,
        takesOver: Bool, metadata: [String: String], from caller: Caller
    ) async throws(CognitoError) -> User {
        // Derived for everybody, so that the answer takes the same time for users and for nobody.
        let counted = countedName(of: known, named: username, in: pool)
        let user: User
        do throws(CognitoError) {
            guard let known else { throw .combinationNotFound }
            guard known.status == .unconfirmed else { throw Self.cannotConfirm(known) }
            user = known
        } catch {
            guard client.preventsUserExistenceErrors else { throw error }
            throw await decoyCodeError(of: counted, for: .signUp, in: pool.id, from: caller)
        }
        let checked = try await checkCode(
            code, of: user, for: .signUp, from: caller, hidesUser: client.preventsUserExistenceErrors)
        let attribute = checked.attribute
        // Checked before the code is used, so that the code stays valid if an alias is taken.
        var confirmed = user
        (confirmed.status, confirmed["\(attribute)_verified"]) = (.confirmed, "true")
        for alias in pool.usernameAttributes.isEmpty ? aliases(of: confirmed, pool) : [] {
            // The code proves the address that it was sent to, and nothing else.
            if takesOver, alias.attribute == attribute { continue }
            let known = try await storedAliases(alias.attribute, user[alias.attribute] ?? "", pool)
            guard let taken = known.first, !known.contains(where: { $0.target.isExactly(user.usernameKey) }),
                try await records.get(User.self, pool.id, taken.target) != nil
            else { continue }
            guard alias.attribute == attribute else { throw .aliasExists(alias.attribute) }
            throw CognitoError(
                "AliasExistsException", "An account with the \(attribute) already exists.")
        }
        try await take(checked)
        try await confirm(
            user, in: pool, client: client, verifying: Delivery(attribute: attribute, address: checked.address),
            takingOver: takesOver ? [attribute] : [], metadata: metadata)
        return user
    }

    private static func cannotConfirm(_ user: User) -> CognitoError {
        .notAuthorized("User cannot be confirmed. Current status is \(user.status.rawValue)")
    }

    /// Confirms a user.
    /// - Parameter verified: The address that received a code.
    func confirm(
        _ user: User, in pool: UserPool, client: UserPoolClient?, verifying verified: Delivery?,
        takingOver proven: Set<String> = [],
        metadata: [String: String]
    ) async throws(CognitoError) {
        let confirmed = try await update(user, in: pool, takingOver: proven) { user throws(CognitoError) in
            guard user.status == .unconfirmed else { throw Self.cannotConfirm(user) }
            user.status = .confirmed
            guard let verified else { return }
            guard user[verified.attribute]?.isExactly(verified.address) == true else { throw .expiredCode }
            user["\(verified.attribute)_verified"] = "true"
        }
        try await callPostConfirmation(confirmed, in: pool, client, metadata)
    }

    func callPostConfirmation(
        _ user: User, in pool: UserPool, _ client: UserPoolClient?, _ metadata: [String: String],
        source: String = "PostConfirmation_ConfirmSignUp"
    ) async throws(CognitoError) {
        _ = try await call(
            .postConfirmation, source, for: user, in: pool, client: client,
            request: ["userAttributes": Self.triggerAttributes(user), "clientMetadata": Self.json(metadata)],
            response: [:])
    }

    /// Sends a new code to confirm a sign-up.
    func resendCode(
        to known: User?, named username: String, in pool: UserPool, by client: UserPoolClient,
        metadata: [String: String], from caller: Caller
    ) async throws(CognitoError) -> Delivery {
        let (user, delivery): (User, Delivery)
        do throws(CognitoError) {
            guard let known else { throw .combinationNotFound }
            guard known.status == .unconfirmed else { throw .invalidParameter("User is already confirmed.") }
            guard let address = signUpDelivery(of: known, in: pool) else {
                throw .invalidParameter("Cannot resend codes. Auto verification not turned on.")
            }
            (user, delivery) = (known, address)
        } catch {
            guard client.preventsUserExistenceErrors else { throw error }
            return try await sendDecoyCode(to: known, named: username, for: .signUp, in: pool, from: caller)
        }
        try await sendRequestedCode(
            to: user, delivery, for: .signUp, in: pool, client: client, trigger: "CustomMessage_ResendCode",
            metadata: metadata, from: caller)
        return client.preventsUserExistenceErrors ? shownDelivery(to: user, named: username, in: pool) : delivery
    }
}
