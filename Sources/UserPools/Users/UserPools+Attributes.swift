import JSON

extension UserPools {
    /// Validates attributes from a user or an operator against the pool's schema.
    ///
    /// - Parameters:
    ///   - client: The client that the user calls with; nil for an operator.
    ///   - isNew: Whether the call creates the user, which makes required attributes mandatory.
    static func check(
        _ attributes: [Attribute], in pool: UserPool, by client: UserPoolClient?, isNew: Bool,
        username: String? = nil
    ) throws(CognitoError) {
        for attribute in attributes {
            if attribute.name == "sub" {
                throw .invalidParameter("user.sub: Attribute cannot be updated.\n")
            }
            guard let schema = pool.attribute(attribute.name) else {
                throw .invalidParameter(
                    "Attributes did not conform to the schema: \(attribute.name): Attribute does not exist in the schema.\n"
                )
            }
            if let client {
                // The claim says by which providers a user signs in.
                if attribute.name == "identities" {
                    throw .invalidParameter("user.identities: Attribute cannot be updated.\n")
                }
                guard client.mayWrite(attribute.name), !schema.isDeveloperOnly else {
                    throw .notAuthorized("A client attempted to write unauthorized attribute")
                }
            }
            if !isNew, !schema.isMutable {
                throw .invalidParameter("user.\(attribute.name): Attribute cannot be updated.\n")
            }
            // Names by which users are found and addresses are shown, in logs and on terminals as well.
            if ["email", "phone_number", "preferred_username"].contains(attribute.name),
                NamePattern.hasHidden(attribute.value)
            {
                throw .invalidParameter(
                    "Attributes did not conform to the schema: \(attribute.name): Invalid characters\n")
            }
            if let problem = schema.problem(of: attribute.value) {
                throw .invalidParameter(
                    problem.hasSuffix("\n") ? "Attributes did not conform to the schema: \(problem)" : problem)
            }
            if !isNew, schema.isRequired, attribute.value.isEmpty { throw required([schema.name]) }
        }
        guard isNew else { return }
        let missing = pool.schema.filter { schema in
            schema.isRequired && !attributes.contains { $0.name == schema.name && !$0.value.isEmpty }
        }
        if !missing.isEmpty { throw required(missing.map(\.name)) }
    }

    /// Throws if a user's attributes have become too long for an id token that the head of a request can carry.
    ///
    /// - Parameter old: The stored user; nil for a new one. One stored by an earlier version may exceed the limit, as long as the
    ///   change does not make it larger.
    func checkAttributeBytes(of user: User, besides old: User?) throws(CognitoError) {
        let byteCount = user.attributeByteCount
        guard byteCount > limits.attributeBytesPerUserMax, byteCount > old?.attributeByteCount ?? 0 else { return }
        throw .invalidParameter(
            "The attributes of a user have at most \(limits.attributeBytesPerUserMax) bytes together, because an id token "
                + "has all of them. These have \(byteCount).")
    }

    private static func required(_ names: [String]) -> CognitoError {
        .invalidParameter(
            "Attributes did not conform to the schema: "
                + names.map { "\($0): The attribute is required\n" }.joined())
    }

    /// Attributes in the form in which they are stored: `…_verified` in lower case.
    static func normalized(_ attributes: [Attribute]) -> [Attribute] {
        attributes.map { attribute in
            attribute.name.hasSuffix("_verified")
                ? Attribute(name: attribute.name, value: attribute.value.lowercased()) : attribute
        }
    }

    /// The attributes that a client may read, as `AttributeListType`.
    static func json(_ attributes: [Attribute], readBy client: UserPoolClient?) -> JSONValue {
        .array(
            attributes.filter { $0.name == "sub" || client?.mayRead($0.name) ?? true }.map { attribute in
                ["Name": .string(attribute.name), "Value": .string(attribute.value)]
            })
    }
}
