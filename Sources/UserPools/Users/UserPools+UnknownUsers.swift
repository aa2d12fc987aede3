import Encodings
import JSON

/// The answers to requests with names that no user has, for clients that prevent user existence errors (AWS Cognito Developer
/// Guide, "Managing user existence error responses"). An answer is derived from the name, and takes as long as the real one.
extension UserPools {
    /// The user name that an unknown user appears to have: the name itself, or a `sub` where users are found by addresses.
    func decoyUsername(of name: String, in pool: UserPool) -> String {
        let key = pool.usernameKey(name)
        if let name = Self.providerName(name, in: pool) { return name }
        let address = Self.typedDelivery(name)
        let isAlias = address.map { pool.aliasAttributes.contains($0.attribute) } ?? false
        // A user is answered with the `sub` that was given, and so is nobody.
        guard !pool.usernameAttributes.isEmpty || isAlias, Self.bytes(ofUUID: key) == nil else { return key }
        guard var address else { return decoySub(of: key, nil, in: pool) }
        // Users are found by their mail addresses in any letter case.
        if address.attribute == "email" { address.address = CanonicalForm.key(of: name, ignoresCase: true) }
        return decoySub(of: address.address, address, in: pool)
    }

    /// The user name in the answer to a sign-in name. The one for an unknown user is derived for a known user too, so that both
    /// answers take the same time.
    func username(of user: User?, named name: String, in pool: UserPool) -> String {
        let decoy = decoyUsername(of: name, in: pool)
        return user?.username ?? decoy
    }

    /// A name as that of a provider's user is, which pools of all kinds have; nil for any other. The provider is spelled as it is
    /// configured; what follows is kept, because most subjects have no capital letters.
    private static func providerName(_ name: String, in pool: UserPool) -> String? {
        let composed = CanonicalForm.composed(name)
        for provider in pool.identityProviders {
            let prefix = provider.username("")
            let given = composed.prefix(prefix.count)
            guard pool.usernameKey(String(given)).isExactly(pool.usernameKey(prefix)), composed.count > given.count
            else {
                continue
            }
            return prefix + composed.dropFirst(prefix.count)
        }
        return nil
    }

    // MARK: Decoys of a sub

    /// A UUID of version 4, as a `sub` is, with random bits that follow from the name. It carries how the address is masked
    /// that the name is, so that codes for either appear to go to one place:
    ///
    ///     bytes 0 to 9    random bits of the name, with the version and the variant
    ///     bytes 10, 11    the mask, encrypted with the bytes before it
    ///     bytes 12 to 15  an authentication code of the bytes before it, by which the server recognizes a decoy
    private func decoySub(of key: String, _ address: Delivery?, in pool: UserPool) -> String {
        var bytes = Array(decoyCode("sub", of: key, in: pool).prefix(10))
        bytes[6] = bytes[6] & 0x0F | 0x40
        bytes[8] = bytes[8] & 0x3F | 0x80
        let mask = address.map(Self.packedMask) ?? 0
        let stream = decoyCode("mask", of: Hexadecimal.text(of: bytes), in: pool)
        bytes += [UInt8(mask >> 8) ^ stream[0], UInt8(mask & 0xFF) ^ stream[1]]
        return Hexadecimal.uuid(of: bytes + decoyCode("decoy", of: Hexadecimal.text(of: bytes), in: pool).prefix(4))
    }

    /// The address whose mask the decoy of a `sub` carries; nil for any other name.
    private func decoyAddress(of key: String, in pool: UserPool) -> Delivery? {
        guard let bytes = Self.bytes(ofUUID: key) else { return nil }
        let (code, stream) = (
            decoyCode("decoy", of: Hexadecimal.text(of: bytes[..<12]), in: pool),
            decoyCode("mask", of: Hexadecimal.text(of: bytes[..<10]), in: pool)
        )
        guard code.prefix(4).elementsEqual(bytes[12...]) else { return nil }
        return Self.maskedDelivery(UInt16(bytes[10] ^ stream[0]) << 8 | UInt16(bytes[11] ^ stream[1]))
    }

    /// The bytes of a UUID in lower case, as a `sub` is written; nil for any other name.
    private static func bytes(ofUUID key: String) -> [UInt8]? {
        guard let bytes = Hexadecimal.bytes(of: key.filter { $0 != "-" }), bytes.count == 16,
            Hexadecimal.uuid(of: bytes).isExactly(key)
        else { return nil }
        return bytes
    }

    private func decoyCode(_ use: String, of text: String, in pool: UserPool) -> [UInt8] {
        sealer.authenticationCode(of: "\(use):\(text):\(pool.id)")
    }

    /// What a masked address shows in 16 bits: 1 and two letters of seven bits, or 2 and a number of four digits. 0 for
    /// a shorter number.
    private static func packedMask(_ address: Delivery) -> UInt16 {
        if address.attribute == "phone_number" {
            let digits = address.address.suffix(4)
            guard digits.utf8.count == 4, digits.utf8.allSatisfy(\.isDigit) else { return 0 }
            return UInt16(digits).map { 2 << 14 | $0 } ?? 0
        }
        let shown = address.shownLetters.compactMap(\.asciiValue)
        return shown.count == 2 ? 1 << 14 | UInt16(shown[0]) << 7 | UInt16(shown[1]) : 0
    }

    /// An address with this mask.
    private static func maskedDelivery(_ mask: UInt16) -> Delivery? {
        func letter(_ bits: UInt16) -> Character { Character(Unicode.Scalar(UInt8(bits & 0x7F))) }
        switch mask >> 14 {
        case 1: return Delivery(attribute: "email", address: "\(letter(mask >> 7))@\(letter(mask))")
        case 2:
            let digits = String(mask & 0x3FFF)
            return Delivery(
                attribute: "phone_number", address: String(repeating: "0", count: 4 - digits.count) + digits)
        default: return nil
        }
    }

    /// The name under which attempts and requests are counted, of a user or of a name that no user has. Takes the same time for
    /// both.
    func countedName(of user: User?, named name: String, in pool: UserPool) -> String {
        let reference = decoyReference(of: name, in: pool)
        let decoy = User.countedName(sub: nobodySub(of: reference), reference)
        return user?.countedName ?? decoy
    }

    /// What stands for the `sub` of an unknown name: that of no user, and the same in each request.
    func nobodySub(of reference: String) -> String {
        Hexadecimal.uuid(of: sealer.authenticationCode(of: "nobody:\(reference)").prefix(16))
    }

    /// The reference of an unknown name, as if it were that of a user.
    func decoyReference(of name: String, in pool: UserPool) -> String {
        User.reference(poolID: pool.id, usernameKey: pool.usernameKey(decoyUsername(of: name, in: pool)))
    }

    /// Where a code for an unknown user appears to go: to the address if the name is one or the decoy of its `sub`, else to a
    /// medium that the pool verifies.
    func decoyDelivery(of name: String, by attribute: String? = nil, in pool: UserPool) -> Delivery {
        if let typed = Self.typedDelivery(name), attribute ?? typed.attribute == typed.attribute { return typed }
        let username = decoyUsername(of: name, in: pool)
        if let carried = decoyAddress(of: username, in: pool), attribute ?? carried.attribute == carried.attribute {
            return carried
        }
        let bytes = sealer.authenticationCode(of: "delivery:\(pool.id):\(pool.usernameKey(username))")
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
        // Derived for users too, so that both take the same time.
        let decoy = decoyDelivery(of: name, by: attribute, in: pool)
        guard let user else { return decoy }
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
        let counted = countedName(of: user, named: name, in: pool)
        try checkCodeRate(of: counted, from: caller)
        // One write for the code, if it is stored, and one for the message.
        if let purpose {
            decoyCodes.request(counted, for: purpose, now: now)
            await writeDecoy(in: pool.id)
        }
        await writeDecoy(in: pool.id)
        return shownDelivery(to: user, named: name, by: attribute, in: pool)
    }

    /// The error of an attempt with a code that nobody received. It takes the reads and writes of one with a code that was sent.
    ///
    /// - Parameter hasRead: Whether the bounds were checked and the code was looked up before, as for a user without a code.
    func decoyCodeError(
        of counted: String, for purpose: Code.Purpose, in poolID: String, from caller: Caller, hasRead: Bool = false
    ) async -> CognitoError {
        if !hasRead {
            do throws(CognitoError) {
                try checkWrongCodes(of: counted, for: purpose, from: caller)
            } catch {
                return error
            }
        }
        let error = decoyCodes.attempt(counted, for: purpose, now: now)
        if error == .codeMismatch {
            await writeDecoy(in: poolID)
            countWrongCode(of: counted, for: purpose, from: caller)
        } else if !hasRead {
            _ = try? await records.get(Code.self, counted, purpose.text)
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
