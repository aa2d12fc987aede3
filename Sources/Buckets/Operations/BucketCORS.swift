import Tables

extension OperationCall {
    /// GetBucketCors.
    func getBucketCORS() throws(S3Error) -> S3Response {
        try authorizeOperator()
        let rules = try buckets.directory.bucket(bucket).corsRules
        guard !rules.isEmpty else { throw .noSuchCORSConfiguration(bucket) }
        return S3Response(
            XMLWriter(root: "CORSConfiguration") { xml in
                for rule in rules { rule.write(into: &xml) }
            })
    }

    /// PutBucketCors: rules that replace those in the configuration.
    func putBucketCORS() async throws(S3Error) -> S3Response {
        try authorizeOperator()
        try await setRules(
            try CORSRule.read(try await document("CORSConfiguration", bytesMax: buckets.limits.settingsBytesMax)))
        return S3Response(200)
    }

    /// DeleteBucketCors: afterwards the rules in the configuration apply again. A bucket that was created by a request has none
    /// then, so other origins have no access.
    func deleteBucketCORS() async throws(S3Error) -> S3Response {
        try authorizeOperator()
        try await setRules(nil)
        return S3Response(204)
    }

    /// - Parameter rules: Nil for those in the configuration.
    private func setRules(_ rules: [CORSRule]?) async throws(S3Error) {
        let name = bucket
        let stored = try await buckets.metadata.read { reader throws(S3Error) in
            try reader.record(BucketRecord.self, .text(BucketRecord.all), .text(name))
        }
        guard var record = stored else { throw .noSuchBucket(bucket) }
        record.corsRules = rules
        guard try await buckets.commit([.replace(record)]) else { throw .slowDown }
        record.revision += 1
        buckets.directory.set(record)
    }

    /// The preflight of a browser, which is never signed (Fetch Standard, "CORS-preflight request").
    func preflight() throws(S3Error) -> S3Response {
        guard let origin = request.header("origin") else {
            throw S3Error("BadRequest", 400, "Insufficient information. Origin request header needed.")
        }
        guard let method = request.header("access-control-request-method") else {
            throw S3Error(
                "BadRequest", 400, "Insufficient information. Access-Control-Request-Method request header needed.")
        }
        let headers = (request.header("access-control-request-headers") ?? "").split(separator: ",")
            .map { $0.trimmingBlanks }.filter { !$0.isEmpty }
        let rules = try buckets.directory.bucket(bucket).corsRules
        guard let rule = rules.first(where: { $0.allows(origin, method, headers: headers) }) else {
            throw S3Error(
                "AccessForbidden", 403,
                "CORSResponse: This CORS request is not allowed. This is usually because the evalution of Origin, request method / Access-Control-Request-Method or Access-Control-Request-Headers are not whitelisted by the resource's CORS spec."
            )
        }
        var lines = rule.headers(for: origin, answering: [])
        lines.append(("Access-Control-Allow-Methods", rule.allowedMethods.joined(separator: ", ")))
        if !headers.isEmpty { lines.append(("Access-Control-Allow-Headers", headers.joined(separator: ", "))) }
        if let age = rule.maxAgeSeconds { lines.append(("Access-Control-Max-Age", String(age))) }
        return S3Response(200, lines)
    }
}
