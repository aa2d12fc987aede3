import JSON

extension Operation {
    /// DescribeUserPoolDomain: whose pages a name is for (reference: auth, "User-pool operations").
    static let describeUserPoolDomain = Operation(
        "DescribeUserPoolDomain", .signed, [.string("Domain", 1...63).required]
    ) { call throws(CognitoError) in
        let domain = call.input.required("Domain")
        guard let pool = call.pools.directory.pools.first(where: { $0.domain == domain }) else {
            return ["DomainDescription": [:]]
        }
        return [
            "DomainDescription": [
                "UserPoolId": .string(pool.id), "Domain": .string(domain), "Status": "ACTIVE",
                "AWSAccountId": "000000000000", "Version": "1",
            ]
        ]
    }
}
