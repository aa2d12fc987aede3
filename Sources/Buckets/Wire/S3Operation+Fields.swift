extension S3Operation {
    /// Refuses a request whose query has a parameter that no operation, or not this one, serves.
    ///
    /// - Parameter operation: nil if the method and the sub-resource name no operation.
    static func checkParameters(_ request: S3Request, of operation: S3Operation?) throws(S3Error) {
        let served = operation.map { ServedFields[$0].parameters } ?? ServedFields.parametersOfAll
        for (index, (name, value)) in request.parameters.enumerated() {
            if ignoresParameter(name) { continue }
            let isServed =
                served.contains(name) || isAmazonName(name)
                || ServedFields.signatureOfVersion2.contains(name) && request.has("AWSAccessKeyId")
            guard isServed else { throw .notImplemented("?\(name)") }
            guard !request.parameters[..<index].contains(where: { $0.name == name }) else {
                throw .invalidArgument("The query parameter \(name) is given more than once", name, value)
            }
        }
    }

    /// Parameters of a custom log are ignored; SDKs send `x-id` (Amazon S3 User Guide, "Amazon S3 server access log
    /// format", "Custom access log information"). Those that begin with `x-amz-` are checked as headers.
    static func ignoresParameter(_ name: String) -> Bool { name.hasBytePrefix("x-") && !isAmazonName(name) }

    /// Refuses headers, and parameters that stand for headers, that this operation does not serve. A header that states the
    /// default is accepted. Each operation checks them once the caller is authorized.
    func checkHeaders(_ request: S3Request) throws(S3Error) {
        // Something else would be stored, or compared with what is stored.
        for name in request.undecodedHeaders
        where !isRead
            && (Self.isAmazonName(name) || Self.isConditionName(name) || ObjectHeaders.names.contains(name))
        {
            if name == ObjectTags.header { throw .invalidTagging }
            throw .invalidArgument("The value of \(name) is not UTF-8", name, "")
        }
        let served = ServedFields[self]
        for (name, value) in request.headers {
            guard Self.isAmazonName(name) || Self.isConditionName(name) else { continue }
            let name = name.asciiLowercased
            let isServed =
                served.headers.contains(name) || served.conditions.contains(name) || ServedFields.common.contains(name)
                || storesMetadata && ServedFields.isMetadata(name)
            guard isServed else { throw .notImplemented(name) }
            try Self.checkValue(name, value.trimmingBlanks)
        }
        for (name, value) in request.parameters where Self.isAmazonName(name) {
            if ServedFields.signature.contains(name) { continue }
            let name = name.asciiLowercased
            guard
                served.fields.contains(name) || ServedFields.common.contains(name)
                    || storesMetadata && ServedFields.isMetadata(name)
            else { throw .notImplemented("?\(name)") }
            try Self.checkValue(name, value)
        }
    }

    /// Whether it reads an object.
    private var isRead: Bool { self == .getObject || self == .headObject }

    /// Whether the operation stores the user metadata of a request.
    private var storesMetadata: Bool { [.putObject, .copyObject, .createMultipartUpload].contains(self) }

    private static func isAmazonName(_ name: String) -> Bool { name.hasBytePrefix(lowercased: "x-amz-") }

    private static func isConditionName(_ name: String) -> Bool { name.hasBytePrefix(lowercased: "if-") }

    /// Refuses values that ask for more than the default.
    private static func checkValue(_ name: String, _ value: String) throws(S3Error) {
        let isDefault =
            switch name {
            case "x-amz-acl": ["private", "bucket-owner-full-control"].contains(value)
            case "x-amz-storage-class": value == "STANDARD"
            case "x-amz-object-ownership": value == "BucketOwnerEnforced"
            case "x-amz-bucket-object-lock-enabled": value.asciiLowercased == "false"
            // No bucket is one whose requesters pay, for which S3 ignores this confirmation.
            case "x-amz-request-payer": value == "requester"
            case "x-amz-expected-bucket-owner", "x-amz-source-expected-bucket-owner":
                if value == BucketOwner.account { true } else { throw .accessDenied }
            default: true
            }
        guard isDefault else { throw .notImplemented("\(name): \(value)") }
    }
}
