import JSON

extension Operation {
    /// CreateUserPoolDomain: gives the hosted pages of a pool a name (reference: auth, "User-pool operations").
    static let createUserPoolDomain = Operation(
        "CreateUserPoolDomain", .signed, [.string("Domain", 1...63).required, .userPoolID]
    ) { call throws(CognitoError) in
        let domain = call.input.required("Domain")
        guard
            domain.utf8.allSatisfy({
                $0.isLowercaseLetter || $0.isDigit || $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: ".")
            })
        else { throw .invalidParameter("Domain \(domain) is not a valid domain name.") }
        if let other = call.pools.directory.pools.first(where: { $0.domain == domain || $0.hosts.contains(domain) }) {
            throw .invalidParameter(
                other.id == call.input.required("UserPoolId")
                    ? "Domain already associated with the user pool." : "Domain already exists.")
        }
        let pool = try await call.changePool { pool, _ in pool.domain = domain }
        return ["CloudFrontDomain": .string(pool.domain ?? "")]
    }
}
