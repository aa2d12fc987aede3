import Encodings
import JSON

extension UserPools {
    /// Where a message to a user goes.
    struct Delivery: Sendable {
        /// `email` or `phone_number`.
        var attribute: String
        var address: String

        var medium: String { attribute == "email" ? "EMAIL" : "SMS" }

        /// `CodeDeliveryDetailsType` (reference: auth, "Objects").
        var json: JSONValue {
            [
                "Destination": .string(destination), "DeliveryMedium": .string(medium),
                "AttributeName": .string(attribute),
            ]
        }

        /// The masked address: `j***@e***` for `jane@example.com`, the last four digits of a telephone number.
        var destination: String {
            guard attribute == "email" else { return "+*******\(address.suffix(4))" }
            let shown = shownLetters
            return "\(shown.first.map(String.init) ?? "")***@\(shown.last.map(String.init) ?? "")***"
        }

        /// What the mask of a mail address shows: the first letters of its parts. They are in lower case, for users are found
        /// in any case, and `*` beyond ASCII, so that the decoy of a `sub` can carry them.
        var shownLetters: [Character] {
            address.split(separator: "@", maxSplits: 1).map { part in
                let letter = CanonicalForm.key(of: String(part), ignoresCase: true).first
                return letter?.isASCII == true ? letter ?? "*" : "*"
            }
        }
    }

    /// How long a code is valid, in milliseconds.
    static func lifetime(_ purpose: Code.Purpose) -> Int64 {
        switch purpose {
        case .signUp, .attribute: 86_400_000
        case .password: 3_600_000
        }
    }

    /// The hash under which a user's code is stored.
    func hash(_ code: String, _ user: User, _ purpose: Code.Purpose) -> String {
        Base64.encodeURL(sealer.authenticationCode(of: "code:\(user.reference):\(purpose.text):\(code)"))
    }

    /// Makes a code and sends it.
    ///
    /// - Parameter isPending: Whether the address becomes the user's with the code.
    func sendCode(
        to user: User, _ delivery: Delivery, for purpose: Code.Purpose, in pool: UserPool, client: UserPoolClient?,
        trigger: String, metadata: [String: String], from caller: Caller, isPending: Bool = false
    ) async throws(CognitoError) {
        try checkMessageRate(delivery, to: user, from: caller)
        let text = try await store(newCodeOf: user, delivery, for: purpose, isPending: isPending)
        try await send(
            code: text, to: user, delivery, in: pool, client: client, trigger: trigger, metadata: metadata)
    }

    /// Makes a code that anyone who knows the user's name can request, and sends it.
    func sendRequestedCode(
        to user: User, _ delivery: Delivery, for purpose: Code.Purpose, in pool: UserPool, client: UserPoolClient,
        trigger: String, metadata: [String: String], from caller: Caller
    ) async throws(CognitoError) {
        let isSent = try takeRequestedMessage(delivery, to: user, client, from: caller)
        let text = try await store(newCodeOf: user, delivery, for: purpose)
        guard isSent else { return await writeDecoy(in: pool.id) }
        try await send(
            code: text, to: user, delivery, in: pool, client: client, trigger: trigger, metadata: metadata)
    }

    /// Makes a code that replaces the user's earlier one for this purpose.
    private func store(
        newCodeOf user: User, _ delivery: Delivery, for purpose: Code.Purpose, isPending: Bool = false
    ) async throws(CognitoError) -> String {
        let text = randomness.code()
        var code = Code(
            user: user.reference, purpose: purpose, hash: hash(text, user, purpose),
            expires: now + Self.lifetime(purpose), attribute: delivery.attribute, address: delivery.address)
        code.isPending = isPending
        if purpose == .password || isPending { code.generation = user.credentialGeneration }
        try await records.put(code, user.reference, purpose.text)
        return text
    }

    // MARK: Limits of messages

    /// Enforces the message limits of the recipient and of the caller's network.
    func checkMessageRate(_ delivery: Delivery, to user: User, from caller: Caller) throws(CognitoError) {
        try takeMessage(Self.recipient(delivery, user), from: caller)
    }

    /// Enforces the limits of the codes of a second factor. They follow a right password, so they are counted apart: what
    /// anyone can request for a user does not keep the user from signing in. To an address that the user has not verified,
    /// those of all users count together.
    func checkSecondFactorRate(_ delivery: Delivery, to user: User, from caller: Caller) throws(CognitoError) {
        let recipient = Self.hasVerified(delivery, user) ? user.countedName : Self.recipient(delivery, user)
        try takeMessage("second-factor:\(recipient)", from: caller)
    }

    /// Throws if a message would be refused now, without counting one.
    func requireMessageRate(_ delivery: Delivery, to user: User, from caller: Caller) throws(CognitoError) {
        try requireMessage(Self.recipient(delivery, user), from: caller)
    }

    /// The counter of messages to an address. Anyone can sign up with an address, or change to it. Messages to users who have
    /// not verified it are counted apart, so that they do not use up those of the user who has.
    ///
    /// An address is one recipient in any letter case: few servers of mail distinguish it. Each pool counts for itself, so that
    /// those who sign up with one app take nothing from the users of another.
    private static func recipient(_ delivery: Delivery, _ user: User) -> String {
        let address = CanonicalForm.key(of: delivery.address, ignoresCase: true)
        return "\(hasVerified(delivery, user) ? "to" : "unverified"):\(user.poolID):\(address)"
    }

    private static func hasVerified(_ delivery: Delivery, _ user: User) -> Bool {
        user.isVerified(delivery.attribute) && user[delivery.attribute]?.isExactly(delivery.address) == true
    }

    /// Enforces the limits of the codes that are requested for a user, or for a name that no user has, and of the caller's
    /// network. Codes for a new password, a sign-up and a first factor count together, whether or not they are sent.
    func checkCodeRate(of counted: String, from caller: Caller) throws(CognitoError) {
        try takeMessage("codes:\(counted)", from: caller)
    }

    /// Counts a code that was requested for a user.
    ///
    /// - Returns: Whether it is sent. Beyond the limit of the recipient, whom other users may share, a client that prevents
    ///   user existence errors is answered as if it were: a name that no user has reaches no such limit.
    func takeRequestedMessage(
        _ delivery: Delivery, to user: User, _ client: UserPoolClient, from caller: Caller
    ) throws(CognitoError) -> Bool {
        try checkCodeRate(of: user.countedName, from: caller)
        if rates.take(Self.recipient(delivery, user), max: limits.messagesPerRecipientPerHour, now: now) { return true }
        guard client.preventsUserExistenceErrors else { throw .limitExceeded }
        return false
    }

    private func takeMessage(_ counter: String, from caller: Caller) throws(CognitoError) {
        try requireMessage(counter, from: caller)
        // A network beyond its limit uses up nothing of a recipient's.
        guard rates.take("messages:\(caller.network)", max: limits.messagesPerAddressPerHour, now: now),
            rates.take(counter, max: limits.messagesPerRecipientPerHour, now: now)
        else { throw .limitExceeded }
    }

    private func requireMessage(_ counter: String, from caller: Caller) throws(CognitoError) {
        guard rates.allows("messages:\(caller.network)", max: limits.messagesPerAddressPerHour, now: now),
            rates.allows(counter, max: limits.messagesPerRecipientPerHour, now: now)
        else { throw .limitExceeded }
    }

    // MARK: Codes that come back

    /// Verifies a code: only the last one sent for this purpose is valid, until it expires or was tried too often.
    ///
    /// - Parameter hidesUser: Whether a user without a code is answered like an unknown one, who may have requested a code
    ///   that nobody received.
    /// - Returns: The stored code; its `attribute` names the address that received it.
    func checkCode(
        _ text: String, of user: User, for purpose: Code.Purpose, from caller: Caller, hidesUser: Bool = false
    ) async throws(CognitoError) -> Code {
        try checkWrongCodes(of: user.countedName, for: purpose, from: caller)
        // Counted before the comparison, so that concurrent attempts are bounded like sequential ones.
        let now = now
        let counted = try await records.update(Code.self, user.reference, purpose.text) { code throws(CognitoError) in
            // Before the comparison: `DecoyCodes` answers alike.
            guard code.expires > now else { throw .expiredCode }
            guard code.attemptCount < Code.attemptsMax else { throw .limitExceeded }
            code.attemptCount += 1
        }
        guard let code = counted else {
            guard hidesUser else { throw .expiredCode }
            throw await decoyCodeError(of: user.countedName, for: purpose, in: user.poolID, from: caller, hasRead: true)
        }
        guard ConstantTime.isEqual(code.hash, hash(text, user, purpose)) else {
            countWrongCode(of: user.countedName, for: purpose, from: caller)
            throw .codeMismatch
        }
        guard code.isOf(user) else { throw .expiredCode }
        guard code.isPending || user[code.attribute]?.isExactly(code.address) == true else { throw .expiredCode }
        return code
    }

    /// Throws if too many codes of a user for this purpose, or of the caller's network, were wrong.
    func checkWrongCodes(
        of counted: String, for purpose: Code.Purpose, from caller: Caller
    ) throws(CognitoError) {
        // A new code allows new attempts, and can be requested at will.
        guard rates.allows("failures:\(caller.network)", max: limits.failuresPerAddressPerHour, now: now),
            rates.allows(Self.wrongCodes(of: counted, for: purpose), max: Code.wrongPerHourMax, now: now)
        else { throw .limitExceeded }
    }

    func countWrongCode(of counted: String, for purpose: Code.Purpose, from caller: Caller) {
        _ = rates.take("failures:\(caller.network)", max: limits.failuresPerAddressPerHour, now: now)
        _ = rates.take(Self.wrongCodes(of: counted, for: purpose), max: Code.wrongPerHourMax, now: now)
    }

    /// The counter of wrong codes. Each purpose has one, so that codes that anyone can try do not use up those that need an
    /// access token.
    private static func wrongCodes(of counted: String, for purpose: Code.Purpose) -> String {
        // A prefix and not a suffix: a name may have any end.
        "wrong-codes:\(purpose.text):\(counted)"
    }

    /// Consumes a verified code, once.
    func take(_ code: Code) async throws(CognitoError) {
        guard try await records.delete(code) else { throw .expiredCode }
    }

    /// Where a code to confirm a sign-up goes: to the addresses that the pool verifies, telephone first.
    func signUpDelivery(of user: User, in pool: UserPool) -> Delivery? {
        for attribute in ["phone_number", "email"] where pool.autoVerifiedAttributes.contains(attribute) {
            if let delivery = user.delivery(to: attribute) { return delivery }
        }
        return nil
    }

    /// Where a code to set a new password goes: to a verified address, first that of the attribute, then the telephone.
    func recoveryDelivery(of user: User, preferring preferred: String? = nil) -> Delivery? {
        for attribute in [preferred, "phone_number", "email"].compactMap(\.self) where user.isVerified(attribute) {
            if let delivery = user.delivery(to: attribute) { return delivery }
        }
        return nil
    }
}

extension User {
    /// Where messages to one of the user's addresses go; nil without an address.
    func delivery(to attribute: String) -> UserPools.Delivery? {
        guard let address = self[attribute], !address.isEmpty else { return nil }
        return UserPools.Delivery(attribute: attribute, address: address)
    }
}
