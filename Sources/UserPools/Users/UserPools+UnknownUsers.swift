import Encodings

/// What answers requests with names that no user has, for clients that prevent user existence errors (AWS Cognito Developer
/// Guide, "Managing user existence error responses"). It follows from the name, and takes the time of the real answer.
extension UserPools {
    /// The user name that an unknown user appears to have: the name itself, or a `sub` where users are found by addresses.
    func decoyUsername(of name: String, in pool: UserPool) -> String {
        let key = pool.usernameKey(name)
        let isAddress =
            pool.aliasAttributes.contains("email") && EmailAddress.isValid(name)
            || pool.aliasAttributes.contains("phone_number") && PhoneNumber.isValid(name)
        guard !pool.usernameAttributes.isEmpty || isAddress, key != decoySub(of: key, in: pool) else { return key }
        return decoySub(of: key, in: pool)
    }

    /// A UUID of version 4, as a `sub` is. That of a decoy is the decoy itself.
    private func decoySub(of key: String, in pool: UserPool) -> String {
        func code(_ text: String) -> ArraySlice<UInt8> {
            sealer.authenticationCode(of: "\(text):\(pool.id)").prefix(16)
        }
        func decoy(_ start: ArraySlice<UInt8>) -> String {
            var bytes = Array(start.prefix(12))
            bytes[6] = bytes[6] & 0x0F | 0x40
            bytes[8] = bytes[8] & 0x3F | 0x80
            return Hexadecimal.uuid(of: bytes + code("decoy:\(Hexadecimal.text(of: bytes))").prefix(4))
        }
        if let bytes = Hexadecimal.bytes(of: String(key.filter { $0 != "-" })), bytes.count == 16,
            decoy(bytes[...]) == key
        {
            return key
        }
        return decoy(code("sub:\(key)"))
    }

    /// The reference under which attempts with an unknown name are counted.
    func decoyReference(of name: String, in pool: UserPool) -> String {
        User.reference(poolID: pool.id, usernameKey: pool.usernameKey(decoyUsername(of: name, in: pool)))
    }

    /// Where a code for an unknown user appears to go: to the address if the name is one, else to a medium that the pool
    /// verifies.
    func decoyDelivery(of name: String, by attribute: String? = nil, in pool: UserPool) -> Delivery {
        if let typed = Self.typedDelivery(name), attribute ?? typed.attribute == typed.attribute { return typed }
        let key = pool.usernameKey(name)
        let bytes = sealer.authenticationCode(of: "delivery:\(pool.id):\(key)")
        let verified = attribute.map { [$0] } ?? ["email", "phone_number"].filter(pool.autoVerifiedAttributes.contains)
        let mediums = verified.isEmpty ? ["email"] : verified
        if mediums[Int(bytes[0]) % mediums.count] == "phone_number" {
            return Delivery(
                attribute: "phone_number", address: String(bytes[1..<5].map { Character("\($0 % 10)") }))
        }
        let text = bytes[1..<3].map { Character(Unicode.Scalar(0x61 + $0 % 26)) }
        return Delivery(attribute: "email", address: "\(text[0])@\(text[1])")
    }

    /// Where a code appears to go in the answer to a client that prevents user existence errors: to the address that was
    /// given, else to the same one in each operation, whether or not a code is sent there.
    ///
    /// - Parameter attribute: The attribute that the operation sends its code to, if there is one alone.
    func shownDelivery(
        to user: User?, named name: String, by attribute: String? = nil, in pool: UserPool
    ) -> Delivery {
        if let typed = Self.typedDelivery(name), attribute ?? typed.attribute == typed.attribute { return typed }
        guard let user else { return decoyDelivery(of: name, by: attribute, in: pool) }
        // A `sub` is answered like the address that people sign in with.
        if let only = attribute ?? Self.onlyUsernameAttribute(pool) {
            return user.delivery(to: only) ?? decoyDelivery(of: user.username, by: only, in: pool)
        }
        return recoveryDelivery(of: user) ?? signUpDelivery(of: user, in: pool) ?? user.delivery(to: "phone_number")
            ?? user.delivery(to: "email") ?? decoyDelivery(of: user.username, in: pool)
    }

    /// The attribute that people of a pool sign in with, if there is one alone.
    static func onlyUsernameAttribute(_ pool: UserPool) -> String? {
        pool.usernameAttributes.count == 1 ? pool.usernameAttributes[0] : nil
    }

    /// The address that was given instead of a user name; nil if it is none.
    static func typedDelivery(_ name: String) -> Delivery? {
        if EmailAddress.isValid(name) { return Delivery(attribute: "email", address: name) }
        return PhoneNumber.isValid(name) ? Delivery(attribute: "phone_number", address: name) : nil
    }

    /// Answers a request for a code that nobody receives.
    ///
    /// - Parameter purpose: What the code is for; nil for that of a challenge, which only the challenge's session accepts.
    func sendDecoyCode(
        to user: User?, named name: String, for purpose: Code.Purpose?, by attribute: String? = nil, in pool: UserPool,
        from caller: Caller
    ) async throws(CognitoError) -> Delivery {
        let reference = user?.reference ?? decoyReference(of: name, in: pool)
        try checkCodeRate(of: reference, from: caller)
        // One write for the code, if it is stored, and one for the message.
        if let purpose {
            decoyCodes.request(reference, for: purpose, now: now)
            await writeDecoy(in: pool.id)
        }
        await writeDecoy(in: pool.id)
        return shownDelivery(to: user, named: name, by: attribute, in: pool)
    }

    /// The error of an attempt with a code that nobody received.
    func decoyCodeError(
        _ user: User?, named name: String, for purpose: Code.Purpose, in pool: UserPool, from caller: Caller
    ) async -> CognitoError {
        await decoyCodeError(
            of: user?.reference ?? decoyReference(of: name, in: pool), for: purpose, in: pool.id, from: caller)
    }

    func decoyCodeError(
        of reference: String, for purpose: Code.Purpose, in poolID: String, from caller: Caller
    ) async -> CognitoError {
        do throws(CognitoError) {
            try checkWrongCodes(of: reference, from: caller)
        } catch {
            return error
        }
        let error = decoyCodes.attempt(reference, for: purpose, now: now)
        if error == .codeMismatch {
            await writeDecoy(in: poolID)
            countWrongCode(of: reference, from: caller)
        }
        return error
    }

    /// Writes a record that means nothing. There are few of them.
    func writeDecoy(in poolID: String) async {
        // No user has an empty name.
        let user = User.reference(poolID: poolID, usernameKey: "")
        let purpose = Code.Purpose.attribute("decoy\(randomness.bytes(1).first ?? 0)")
        let code = Code(user: user, purpose: purpose, hash: "", expires: now, attribute: "", address: "")
        try? await records.put(code, user, purpose.text)
    }
}
