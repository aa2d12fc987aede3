import Tables

/// What a client stores with an object besides its bytes.
public struct ObjectHeaders: Sendable {
    /// `Content-Type`.
    public var contentType: String?
    /// `Cache-Control`, `Content-Disposition`, `Content-Encoding`, `Content-Language` and `Expires`, by these names.
    public var system: [(name: String, value: String)] = []
    /// User metadata: names in lower case without `x-amz-meta-`.
    public var metadata: [(name: String, value: String)] = []

    /// No headers.
    public init() {}

    /// The type of objects that were stored without one.
    public static let defaultContentType = "binary/octet-stream"

    /// The headers that are stored beside the type, as they are written.
    static let systemNames = [
        "Cache-Control", "Content-Disposition", "Content-Encoding", "Content-Language", "Expires",
    ]
    /// The headers that are stored and are no user metadata, in lower case.
    static let names = Set((["Content-Type"] + systemNames).map(\.asciiLowercased))
}

extension ObjectHeaders {
    init(_ document: RecordDocument) {
        contentType = document.string("contentType")
        system = document.pairs("headers")
        metadata = document.pairs("metadata")
    }

    func store(in document: inout RecordDocument) {
        document.set("contentType", contentType)
        document.set("headers", system)
        document.set("metadata", metadata)
    }

    /// The lines of an answer.
    var lines: [(name: String, value: String)] {
        [("Content-Type", contentType ?? Self.defaultContentType)] + system
            + metadata.map { ("x-amz-meta-\($0.name)", $0.value) }
    }
}
