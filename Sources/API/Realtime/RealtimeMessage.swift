import JSON

/// A message of a client, read as far as all dialects agree: `type`, `id`, and where its `payload` is.
///
/// It refers to the bytes of the text and lives no longer than they do.
///
/// Memory safety: a session reads a message inside the call that borrows its text, and copies what it keeps. Ranges come from
/// the scanner that read the same bytes.
@safe struct RealtimeMessage {
    /// The types that a client may send, by the words of the three protocols.
    enum Kind: String {
        case connectionInit = "connection_init"
        case connectionTerminate = "connection_terminate"
        case start, stop
        case subscribe, complete, ping, pong
    }

    /// Levels of a message: those of variables, and what is around them.
    static let depthMax = 80

    /// Bytes of the whole message.
    let byteCount: Int
    /// Nil for a type that no dialect has, or none.
    private(set) var kind: Kind?
    /// Nil where it is no string or an empty one.
    private(set) var id: String?
    /// The JSON text of the payload.
    private(set) var payload: UnsafeRawBufferPointer?

    /// Reads one object; of equal members the last counts.
    init(_ text: UnsafeRawBufferPointer) throws(JSONError) {
        byteCount = text.count
        var scanner = unsafe JSONScanner(text, depthMax: Self.depthMax)
        try scanner.beginObject()
        while let key = try scanner.nextKey() {
            if scanner.isEqual(key, "type") {
                kind = try Self.string(&scanner).flatMap(Kind.init)
            } else if scanner.isEqual(key, "id") {
                id = try Self.string(&scanner).flatMap { $0.isEmpty ? nil : $0 }
            } else if scanner.isEqual(key, "payload") {
                unsafe payload = unsafe UnsafeRawBufferPointer(rebasing: text[try scanner.skipValue()])
            } else {
                try scanner.skipValue()
            }
        }
        try scanner.finish()
    }

    /// The payload when it is an object, as bytes of their own.
    var objectPayload: [UInt8]? {
        guard let payload = unsafe payload, unsafe payload.first == UInt8(ascii: "{") else { return nil }
        return unsafe [UInt8](payload)
    }

    private static func string(_ scanner: inout JSONScanner) throws(JSONError) -> String? {
        guard try scanner.peekKind() == .string else {
            try scanner.skipValue()
            return nil
        }
        return scanner.string(try scanner.readString())
    }
}

extension RealtimeMessage {
    /// The payload of AppSync's `start`: an envelope inside a string, and who is asking
    /// (reference: appsync-protocol, "Starting and stopping a subscription").
    struct AppSyncStart {
        /// The JSON envelope of the request; nil where `data` is no string.
        var envelope: [UInt8]?
        /// Nil where it is missing.
        var authorization: RealtimeAuthorization?
        /// Whether there is one that is no flat object of strings.
        var hasUnreadableAuthorization = false
    }

    /// What AppSync's `start` brings; an empty one where the payload is no object.
    /// - Parameter authorizationBytesMax: Bytes of an authorization that is read.
    func appSyncStart(authorizationBytesMax: Int) -> AppSyncStart {
        var start = AppSyncStart()
        guard let payload = unsafe payload else { return start }
        do throws(JSONError) {
            var scanner = unsafe JSONScanner(payload, depthMax: Self.depthMax)
            try scanner.beginObject()
            while let key = try scanner.nextKey() {
                if scanner.isEqual(key, "data"), try scanner.peekKind() == .string {
                    var envelope: [UInt8] = []
                    scanner.append(try scanner.readString(), to: &envelope)
                    start.envelope = envelope
                } else if scanner.isEqual(key, "extensions"), try scanner.peekKind() == .object {
                    try unsafe Self.readExtensions(
                        &scanner, of: payload, into: &start, authorizationBytesMax)
                } else {
                    try scanner.skipValue()
                }
            }
        } catch { return AppSyncStart() }
        return start
    }

    private static func readExtensions(
        _ scanner: inout JSONScanner, of payload: UnsafeRawBufferPointer, into start: inout AppSyncStart,
        _ authorizationBytesMax: Int
    ) throws(JSONError) {
        try scanner.beginObject()
        while let key = try scanner.nextKey() {
            let isAuthorization = scanner.isEqual(key, "authorization")
            let value = unsafe UnsafeRawBufferPointer(rebasing: payload[try scanner.skipValue()])
            guard isAuthorization else { continue }
            start.authorization = unsafe RealtimeAuthorization(object: value, bytesMax: authorizationBytesMax)
            start.hasUnreadableAuthorization = start.authorization == nil
        }
    }

    /// Whether the payload is an object with a `query` that is a string, as the other two protocols demand.
    var hasQuery: Bool {
        guard let payload = unsafe payload else { return false }
        do throws(JSONError) {
            var scanner = unsafe JSONScanner(payload, depthMax: Self.depthMax)
            try scanner.beginObject()
            while let key = try scanner.nextKey() {
                if scanner.isEqual(key, "query") { return try scanner.peekKind() == .string }
                try scanner.skipValue()
            }
        } catch { return false }
        return false
    }
}

extension RealtimeMessage {
    /// The list of `{"errors":[…]}` as JSON, and the message of its first entry.
    static func errors(of answer: UnsafeRawBufferPointer) -> (list: [UInt8], firstMessage: String) {
        var list: [UInt8] = []
        var firstMessage = ""
        do throws(JSONError) {
            var scanner = unsafe JSONScanner(answer)
            try scanner.beginObject()
            while let key = try scanner.nextKey() {
                let isErrors = scanner.isEqual(key, "errors")
                let range = try scanner.skipValue()
                guard isErrors else { continue }
                list = unsafe [UInt8](answer[range])
                firstMessage = try JSONReader.read(list).arrayValue?.first?["message"]?.stringValue ?? ""
            }
        } catch { preconditionFailure("The API answers JSON: \(error.message)") }
        return (list, firstMessage)
    }
}
