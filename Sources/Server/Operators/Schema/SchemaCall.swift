import HTTP
import JSON
import SchemaEdit

/// A call about the schema: `/schema…`.
enum SchemaCall: Sendable, Equatable {
    case read
    case check(SchemaText)
    /// The whole body, which `EditRequest` reads.
    case edit(JSONValue)
    case merge(base: SchemaText, files: SchemaText)
    case readDraft
    case writeDraft(SchemaDraft)
    case removeDraft

    var method: String {
        switch self {
        case .read, .readDraft: "GET"
        case .writeDraft: "PUT"
        case .removeDraft: "DELETE"
        case .check, .edit, .merge: "POST"
        }
    }

    /// - Parameters:
    ///   - parts: Those of the path after `schema`.
    ///   - body: The body; nil if the request has none.
    init(_ method: Method, _ parts: [Substring], _ body: () throws(OperatorProblem) -> JSONObject)
        throws(OperatorProblem)
    {
        switch (method, parts.first.map(String.init), parts.count) {
        case (.get, nil, 0): self = .read
        case (.post, "check", 1): self = .check(try SchemaText(try body()["files"]))
        case (.post, "edit", 1): self = .edit(.object(try body()))
        case (.post, "merge", 1):
            let body = try body()
            self = .merge(base: try SchemaText(body["base"], "base"), files: try SchemaText(body["files"]))
        case (.get, "draft", 1): self = .readDraft
        case (.put, "draft", 1): self = .writeDraft(try SchemaDraft(try body()))
        case (.delete, "draft", 1): self = .removeDraft
        default: throw .unknownPath
        }
    }
}
