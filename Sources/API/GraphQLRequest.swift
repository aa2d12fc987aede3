import JSON

/// The JSON envelope of a request: what to run, with which variables. GraphQL over HTTP, §"Request Parameters".
struct GraphQLRequest: Sendable {
    /// The document as UTF-8.
    var query: [UInt8] = []
    var operationName: String?
    var variables: JSONObject?

    /// Reads `{"query": …, "variables": …, "operationName": …, "extensions": …}`; other members are passed over.
    /// The document's buffer is kept from request to request.
    mutating func read(_ body: UnsafeRawBufferPointer, depthMax: Int) throws(EnvelopeError) {
        query.removeAll(keepingCapacity: true)
        operationName = nil
        variables = nil
        guard !body.isEmpty else { throw .emptyBody }
        var hasQuery = false
        do throws(JSONError) {
            var scanner = JSONScanner(body, depthMax: depthMax + 1)
            try scanner.beginObject()
            while let key = try scanner.nextKey() {
                if scanner.isEqual(key, "query") {
                    query.removeAll(keepingCapacity: true)
                    scanner.append(try scanner.readString(), to: &query)
                    hasQuery = true
                } else if scanner.isEqual(key, "variables") {
                    variables = try scanner.peekKind() == .null ? skipNull(&scanner) : scanner.readObject()
                } else if scanner.isEqual(key, "operationName") {
                    if try scanner.peekKind() == .null {
                        operationName = try skipNull(&scanner)
                    } else {
                        operationName = scanner.string(try scanner.readString())
                    }
                } else {
                    try scanner.skipValue()
                }
            }
            try scanner.finish()
        } catch { throw Self.isBatch(body) ? .batch : .unreadable }
        guard hasQuery, !query.isEmpty else {
            let value = try? JSONReader.read(body, depthMax: depthMax + 1)
            throw Self.namesPersistedQuery(value?["extensions"]) ? .persistedQueryNotSupported : .unreadable
        }
    }

    /// Whether a body that is no object is an array.
    private static func isBatch(_ body: UnsafeRawBufferPointer) -> Bool {
        body.first { ![UInt8(ascii: " "), 0x09, 0x0A, 0x0D].contains($0) } == UInt8(ascii: "[")
    }

    /// Whether `extensions` names a query that the server is to know by its hash (Apollo, "Automatic persisted
    /// queries").
    static func namesPersistedQuery(_ extensions: JSONValue?) -> Bool {
        extensions?["persistedQuery"]?.objectValue != nil
    }

    private func skipNull<Value>(_ scanner: inout JSONScanner) throws(JSONError) -> Value? {
        try scanner.readNull()
        return nil
    }
}

/// A body that is no GraphQL request; HTTP 400 (appsync-protocol §1.5).
public struct EnvelopeError: Error, Sendable, Hashable {
    /// AppSync's word for it, also for `x-amzn-ErrorType`.
    public var errorType: String
    /// What the caller reads.
    public var message: String
    /// What kind of body it is.
    public var kind: Kind

    /// What a body is that is no GraphQL request; the caller reads the same of the first two.
    public enum Kind: Sendable, Hashable {
        /// Anything else.
        case malformed
        /// An array, as of clients that send several requests at once.
        case batch
        /// A query's hash without the query. Apollo's clients send both after the answer that it is not supported.
        case persistedQuery
    }

    static let emptyBody = malformed("Request body is empty.")
    static let unreadable = malformed("Unable to parse GraphQL query.")
    static let batch = EnvelopeError(
        errorType: unreadable.errorType, message: unreadable.message, kind: .batch)
    static let persistedQueryNotSupported = EnvelopeError(
        errorType: "PersistedQueryNotSupported", message: "PersistedQueryNotSupported", kind: .persistedQuery)

    private static func malformed(_ message: String) -> EnvelopeError {
        EnvelopeError(errorType: "MalformedHttpRequestException", message: message, kind: .malformed)
    }
}
