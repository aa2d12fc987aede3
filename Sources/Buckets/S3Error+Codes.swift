extension S3Error {
    // MARK: Access

    /// The caller may not do this.
    public static let accessDenied = S3Error("AccessDenied", 403, "Access Denied")
    /// The resource does not support the method.
    static let methodNotAllowed = S3Error(
        "MethodNotAllowed", 405, "The specified method is not allowed against this resource.")

    // MARK: Missing resources

    static func noSuchBucket(_ name: String) -> S3Error {
        S3Error("NoSuchBucket", 404, "The specified bucket does not exist", [Detail("BucketName", name)])
    }

    static func noSuchKey(_ key: String) -> S3Error {
        S3Error("NoSuchKey", 404, "The specified key does not exist.", [Detail("Key", key)])
    }

    static func noSuchUpload(_ id: String) -> S3Error {
        S3Error(
            "NoSuchUpload", 404,
            "The specified upload does not exist. The upload ID may be invalid, or the upload may have been aborted or completed.",
            [Detail("UploadId", id)])
    }

    static func noSuchCORSConfiguration(_ bucket: String) -> S3Error {
        S3Error(
            "NoSuchCORSConfiguration", 404, "The CORS configuration does not exist", [Detail("BucketName", bucket)])
    }

    // MARK: The request

    static func invalidArgument(_ message: String, _ name: String, _ value: String) -> S3Error {
        S3Error(
            "InvalidArgument", 400, message, [Detail("ArgumentName", name), Detail("ArgumentValue", value)])
    }

    static func invalidRequest(_ message: String) -> S3Error { S3Error("InvalidRequest", 400, message) }

    static func notImplemented(_ what: String) -> S3Error {
        S3Error(
            "NotImplemented", 501,
            "A header or parameter you provided implies functionality that is not implemented: \(what)")
    }

    static let malformedXML = S3Error(
        "MalformedXML", 400,
        "The XML you provided was not well-formed or did not validate against our published schema")
    static let invalidURI = S3Error("InvalidURI", 400, "Couldn't parse the specified URI.")
    /// S3 has no code for it; the status is HTTP's.
    public static let uriTooLong = S3Error("InvalidURI", 414, "The specified URI is longer than the server reads.")
    /// A head that exceeds a bound of the HTTP layer.
    public static let headerSectionTooLarge = S3Error(
        "RequestHeaderSectionTooLarge", 400, "Your request header section exceeds the maximum allowed size.")
    /// A header of HTTP itself that the server does not implement.
    public static func notImplemented(header message: String) -> S3Error { S3Error("NotImplemented", 501, message) }
    static let invalidBucketName = S3Error("InvalidBucketName", 400, "The specified bucket is not valid.")
    static let keyTooLong = S3Error("KeyTooLongError", 400, "Your key is too long")
    static let metadataTooLarge = S3Error(
        "MetadataTooLarge", 400, "Your metadata headers exceed the maximum allowed metadata size")
    static let invalidTagging = invalidArgument(
        "The header 'x-amz-tagging' shall be encoded as UTF-8 then URLEncoded URL query parameters without tag name duplicates.",
        ObjectTags.header, "")
    static let systemTag = S3Error("InvalidTag", 400, "System tags cannot be added/updated by requester")
    static let invalidTag = S3Error("InvalidTag", 400, "The TagKey or TagValue you have provided is invalid")

    // MARK: The body

    static let missingContentLength = S3Error(
        "MissingContentLength", 411, "You must provide the Content-Length HTTP header.")
    /// The body ended early.
    public static let incompleteBody = S3Error(
        "IncompleteBody", 400,
        "You did not provide the number of bytes specified by the Content-Length HTTP header")
    /// The body takes too long to arrive.
    public static let requestTimeout = S3Error(
        "RequestTimeout", 400,
        "Your socket connection to the server was not read from or written to within the timeout period.")
    static let invalidDigest = S3Error("InvalidDigest", 400, "The Content-MD5 you specified was invalid.")
    static let badMD5 = S3Error(
        "BadDigest", 400, "The Content-MD5 you specified did not match what we received.")
    static let contentHashMismatch = S3Error(
        "XAmzContentSHA256Mismatch", 400,
        "The provided 'x-amz-content-sha256' header does not match what was computed.")
    static let signatureDoesNotMatch = S3Error(
        "SignatureDoesNotMatch", 403,
        "The request signature we calculated does not match the signature you provided. Check your key and signing method."
    )

    static func badChecksum(_ algorithm: ChecksumAlgorithm) -> S3Error {
        S3Error(
            "BadDigest", 400, "The \(algorithm.rawValue) you specified did not match the calculated checksum.")
    }

    static func invalidChecksum(_ algorithm: ChecksumAlgorithm) -> S3Error {
        invalidRequest("Value for \(algorithm.header) header is invalid.")
    }

    /// - Parameter size: nil if the client has not said how much it sends.
    static func entityTooLarge(_ size: Int?, max: Int) -> S3Error {
        S3Error(
            "EntityTooLarge", 400, "Your proposed upload exceeds the maximum allowed size",
            (size.map { [Detail("ProposedSize", String($0))] } ?? []) + [Detail("MaxSizeAllowed", String(max))])
    }

    // MARK: Conditions and ranges

    static func preconditionFailed(_ condition: String) -> S3Error {
        S3Error(
            "PreconditionFailed", 412, "At least one of the pre-conditions you specified did not hold",
            [Detail("Condition", condition)])
    }

    static func invalidRange(_ range: String, size: Int) -> S3Error {
        var error = S3Error(
            "InvalidRange", 416, "The requested range is not satisfiable",
            [Detail("RangeRequested", range), Detail("ActualObjectSize", String(size))])
        error.unsatisfiedRangeSize = size
        return error
    }

    // MARK: Multipart uploads

    static let invalidPart = S3Error(
        "InvalidPart", 400,
        "One or more of the specified parts could not be found. The part may not have been uploaded, or the specified entity tag may not match the part's entity tag."
    )
    static let invalidPartOrder = S3Error(
        "InvalidPartOrder", 400,
        "The list of parts was not in ascending order. The parts list must be specified in order by part number.")

    static func entityTooSmall(_ size: Int, min: Int, part: Int, etag: String) -> S3Error {
        S3Error(
            "EntityTooSmall", 400, "Your proposed upload is smaller than the minimum allowed size",
            [
                Detail("ProposedSize", String(size)), Detail("MinSizeAllowed", String(min)),
                Detail("PartNumber", String(part)), Detail("ETag", etag),
            ])
    }

    // MARK: Buckets

    static func bucketAlreadyOwnedByYou(_ name: String) -> S3Error {
        S3Error(
            "BucketAlreadyOwnedByYou", 409,
            "Your previous request to create the named bucket succeeded and you already own it.",
            [Detail("BucketName", name)])
    }

    static func bucketAlreadyExists(_ name: String) -> S3Error {
        S3Error(
            "BucketAlreadyExists", 409,
            "The requested bucket name is not available. The bucket namespace is shared by all users of the system. Please select a different name and try again.",
            [Detail("BucketName", name)])
    }

    static func bucketNotEmpty(_ name: String) -> S3Error {
        S3Error(
            "BucketNotEmpty", 409, "The bucket you tried to delete is not empty", [Detail("BucketName", name)])
    }

    // MARK: The server

    /// Too many requests are in progress.
    public static let slowDown = S3Error("SlowDown", 503, "Please reduce your request rate.")
    /// The server failed.
    public static let internalError = S3Error(
        "InternalError", 500, "We encountered an internal error. Please try again.")
    /// A configured limit of what is stored is reached. Clients do not retry it.
    ///
    /// - Parameter limit: The key of the limit in the configuration.
    private static func quotaExceeded(_ message: String, _ limit: String) -> S3Error {
        S3Error("QuotaExceeded", 403, "\(message) The limit is \(limit).", [Detail("Limit", limit)])
    }

    static let tooManyBytes = quotaExceeded(
        "The bytes that may be stored on this server are used up.", "storageBytesMax")
    static let tooManyObjects = quotaExceeded(
        "The number of objects that may be stored on this server is reached.", "storageObjectsMax")

    /// - Parameter subject: Whose uploads they are.
    static func tooManyUploads(_ subject: String, _ limit: String) -> S3Error {
        quotaExceeded("Too many multipart uploads \(subject) are in progress. Complete or abort some of them.", limit)
    }
    /// The disk is full. Clients do not retry a 507 (RFC 4918 §11.5).
    static let insufficientStorage = S3Error(
        "InsufficientStorage", 507, "The disk that keeps the objects is full.")

    init(_ error: BlobError) {
        switch error {
        case .diskFull: self = .insufficientStorage
        case .busy: self = .slowDown
        case .missing, .system: self = .internalError
        }
    }

    /// Runs work on blobs and maps its errors to S3's.
    static func of<Success>(_ body: () throws(BlobError) -> Success) throws(S3Error) -> Success {
        do throws(BlobError) {
            return try body()
        } catch {
            throw S3Error(error)
        }
    }
}
