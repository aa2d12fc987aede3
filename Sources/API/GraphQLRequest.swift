public import JSON
public import Tables

/// The JSON envelope of a request: what to run, with which variables. GraphQL over HTTP, "Request Parameters".
/// `LoopContext.readRequest` makes one.
public struct GraphQLRequest: Sendable {
    /// The document as UTF-8.
    var query: [UInt8]
    var operationName: String?
    var variables: JSONObject?
    /// Returns what functions receive of the request: called once for each field with a function, and for each conflict that a
    /// function decides. Needed where `GraphQLAPI.callsFunctions`.
    public var details: (@Sendable () -> RequestDetails)?
    /// What the stored item of each write of the request has to meet, beside the condition that the document names. For the
    /// server's own requests; it may name any column.
    public var expectation: Tables.Condition?

    /// An empty request.
    /// - Parameter buffer: Room for the document.
    init(buffer: consuming [UInt8] = []) { query = buffer }

    /// A request from its JSON envelope, read as `LoopContext.readRequest` reads it.
    public init(envelope: UnsafeRawBufferPointer, depthMax: Int) throws(EnvelopeError) {
        self.init()
        try unsafe read(envelope, depthMax: depthMax)
    }

    /// A request from the query of a URL, read as `LoopContext.readRequest` reads it.
    public init(urlQuery: UnsafeRawBufferPointer?, depthMax: Int) throws(EnvelopeError) {
        self.init()
        try unsafe read(urlQuery: urlQuery, depthMax: depthMax)
    }

    /// The name of the operation for a log: the one that is asked for, or else that of the document's first operation; nil for
    /// what is no name.
    public var loggedOperationName: String? { OperationNames.name(in: self) }

    /// What an authorizer receives of the request: `queryString`, `operationName`, if there is one, and `variables` (AWS AppSync
    /// Developer Guide, "AWS_LAMBDA authorization").
    public var authorizerMembers: JSONObject {
        var members: JSONObject = ["queryString": .string(String(decoding: query, as: UTF8.self))]
        members["operationName"] = operationName.map(JSONValue.string)
        members["variables"] = .object(variables ?? [:])
        return members
    }

    /// Reads `{"query": …, "variables": …, "operationName": …, "extensions": …}`; other members are passed over.
    mutating func read(_ body: UnsafeRawBufferPointer, depthMax: Int) throws(EnvelopeError) {
        try unsafe read(body, depthMax: depthMax, keepsValues: true)
    }

    /// Checks an envelope as `read` does, and keeps nothing of it: for a caller who is not known yet.
    static func check(_ body: UnsafeRawBufferPointer, depthMax: Int) throws(EnvelopeError) {
        var request = GraphQLRequest()
        try unsafe request.read(body, depthMax: depthMax, keepsValues: false)
    }

    private mutating func read(
        _ body: UnsafeRawBufferPointer, depthMax: Int, keepsValues: Bool
    ) throws(EnvelopeError) {
        query.removeAll(keepingCapacity: true)
        operationName = nil
        variables = nil
        guard unsafe !body.isEmpty else { throw .emptyBody }
        var (hasQuery, namesPersistedQuery) = (false, false)
        do throws(JSONError) {
            var scanner = unsafe JSONScanner(body, depthMax: depthMax + 1)
            try scanner.beginObject()
            while let key = try scanner.nextKey() {
                if scanner.isEqual(key, "query") {
                    let text = try scanner.readString()
                    hasQuery = !text.range.isEmpty
                    query.removeAll(keepingCapacity: true)
                    if keepsValues { scanner.append(text, to: &query) }
                } else if scanner.isEqual(key, "variables") {
                    variables =
                        try scanner.peekKind() == .null
                        ? skipNull(&scanner) : keepsValues ? scanner.readObject() : skipObject(&scanner)
                } else if scanner.isEqual(key, "operationName") {
                    if try scanner.peekKind() == .null {
                        operationName = try skipNull(&scanner)
                    } else {
                        operationName = scanner.string(try scanner.readString())
                    }
                } else if scanner.isEqual(key, "extensions") {
                    namesPersistedQuery = try Self.namesPersistedQuery(&scanner)
                } else {
                    try scanner.skipValue()
                }
            }
            try scanner.finish()
        } catch { throw unsafe Self.isBatch(body) ? .batch : .unreadable }
        guard hasQuery else { throw namesPersistedQuery ? .persistedQueryNotSupported : .unreadable }
    }

    /// Reads `extensions`.
    private static func namesPersistedQuery(_ scanner: inout JSONScanner) throws(JSONError) -> Bool {
        guard try scanner.peekKind() == .object else {
            try scanner.skipValue()
            return false
        }
        var isNamed = false
        try scanner.beginObject()
        while let key = try scanner.nextKey() {
            if scanner.isEqual(key, "persistedQuery") { isNamed = try scanner.peekKind() == .object }
            try scanner.skipValue()
        }
        return isNamed
    }

    private func skipObject(_ scanner: inout JSONScanner) throws(JSONError) -> JSONObject? {
        try scanner.beginObject()
        while try scanner.nextKey() != nil { try scanner.skipValue() }
        return nil
    }

    /// Whether a body that is no object is an array.
    private static func isBatch(_ body: UnsafeRawBufferPointer) -> Bool {
        unsafe body.first { ![UInt8(ascii: " "), 0x09, 0x0A, 0x0D].contains($0) } == UInt8(ascii: "[")
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
