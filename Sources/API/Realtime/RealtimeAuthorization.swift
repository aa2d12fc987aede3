import JSON

/// AppSync's authorization header object: a flat JSON object of strings, its keys in any case.
///
/// It comes with the upgrade, with `connection_init` or with a `start`
/// (reference: appsync-protocol, "Realtime connection"), and is read by the `Authenticator`. Bounded in bytes by
/// `RealtimeLimits.authorizationBytesMax`, and in its members.
public struct RealtimeAuthorization: Sendable, Hashable {
    private struct Field: Sendable, Hashable {
        /// In lower case.
        var name: String
        var value: String
    }

    private var fields: [Field] = []
    private static let fieldCountMax = 100

    /// The fields of a request, its own headers or what stands for them.
    public init(_ fields: some Sequence<(name: String, value: String)>) {
        for (name, value) in fields.prefix(Self.fieldCountMax) { append(name.lowercased(), value) }
    }

    /// Reads an object of strings; nil for anything else, for one that has a name twice in any case, and for one that is longer
    /// than `bytesMax`.
    init?(object json: UnsafeRawBufferPointer, bytesMax: Int = .max) {
        guard json.count <= bytesMax else { return nil }
        do throws(JSONError) {
            var scanner = unsafe JSONScanner(json, depthMax: 1)
            try scanner.beginObject()
            while let key = try scanner.nextKey() {
                let name = scanner.string(key).lowercased()
                guard fields.count < Self.fieldCountMax, self[name] == nil else { return nil }
                append(name, scanner.string(try scanner.readString()))
            }
            try scanner.finish()
        } catch { return nil }
    }

    /// What Apollo's and other clients put into `connection_init`: their `connectionParams`, of which the strings count,
    /// and those of an object `headers` in it. Of a name that occurs twice the first counts. Nil if these strings have more than
    /// `bytesMax` bytes.
    init?(connectionParams json: UnsafeRawBufferPointer?, bytesMax: Int) {
        guard let json = unsafe json else { return }
        var byteCount = 0
        do throws(JSONError) {
            var scanner = unsafe JSONScanner(json, depthMax: RealtimeMessage.depthMax)
            try scanner.beginObject()
            while let key = try scanner.nextKey() {
                if try scanner.peekKind() == .object, scanner.string(key).lowercased() == "headers" {
                    try scanner.beginObject()
                    while let key = try scanner.nextKey() {
                        try appendString(key, &scanner, &byteCount, bytesMax)
                    }
                } else {
                    try appendString(key, &scanner, &byteCount, bytesMax)
                }
                guard byteCount <= bytesMax else { return nil }
            }
        } catch { fields = [] }
    }

    private mutating func appendString(
        _ key: JSONText, _ scanner: inout JSONScanner, _ byteCount: inout Int, _ bytesMax: Int
    ) throws(JSONError) {
        guard try scanner.peekKind() == .string, fields.count < Self.fieldCountMax, byteCount <= bytesMax else {
            try scanner.skipValue()
            return
        }
        let value = try scanner.readString()
        // Nothing is made of what is too long: it is counted, and refused.
        byteCount += key.range.count + value.range.count
        let name = scanner.string(key).lowercased()
        guard byteCount <= bytesMax, self[name] == nil else { return }
        append(name, scanner.string(value))
    }

    /// - Parameter name: In lower case.
    private mutating func append(_ name: String, _ value: String) {
        fields.append(Field(name: name, value: value))
    }

    /// The first field of this name, which is given in lower case.
    public subscript(name: String) -> String? { fields.first { $0.name == name }?.value }

    /// The fields in their order, names in lower case.
    public var headers: [(name: String, value: String)] { fields.map { ($0.name, $0.value) } }

    /// Whether there are no fields.
    public var isEmpty: Bool { fields.isEmpty }

    /// The fields that identify the caller, or the operator who asks for explanations, and no others.
    var credentials: RealtimeAuthorization {
        var credentials = RealtimeAuthorization([])
        credentials.fields = fields.filter { Self.credentialNames.contains($0.name) }
        return credentials
    }

    private static let credentialNames = ["x-api-key", "authorization", "x-syncline-explain", "x-syncline-operator"]

    /// Whether one of the fields that identify the caller is there.
    public var hasCredentials: Bool { self["x-api-key"] != nil || self["authorization"] != nil }
}
