import Analytics
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
    case plan(SchemaText, [SchemaRename])
    case deploy(SchemaDeployment)
    case deployments(after: Int?, limit: Int)
    case deployment(number: Int)
    case readDiagram
    case changeDiagram(DiagramChange)

    var method: String {
        switch self {
        case .read, .readDraft, .deployments, .deployment, .readDiagram: "GET"
        case .changeDiagram: "PATCH"
        case .writeDraft: "PUT"
        case .removeDraft: "DELETE"
        case .check, .edit, .merge, .plan, .deploy: "POST"
        }
    }

    /// - Parameters:
    ///   - parts: Those of the path after `schema`.
    ///   - body: Reads the body.
    init(
        _ method: Method, _ parts: [Substring], _ parameters: [ReportParameter],
        _ body: () throws(OperatorProblem) -> JSONObject
    )
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
        case (.get, "diagram", 1): self = .readDiagram
        case (.patch, "diagram", 1): self = .changeDiagram(try DiagramChange(try body()))
        case (.post, "plan", 1):
            let body = try body()
            self = .plan(try SchemaText(body["files"]), try [SchemaRename](body["renames"]))
        case (.post, "deploy", 1): self = .deploy(try SchemaDeployment(try body()))
        case (.get, "deployments", 1):
            func number(_ name: String, _ range: ClosedRange<Int>) throws(OperatorProblem) -> Int? {
                guard let text = parameters.first(where: { $0.name == name })?.value else { return nil }
                guard let number = Int(text), range.contains(number) else {
                    throw .invalid("'\(name)' is a number from \(range.lowerBound).", field: name)
                }
                return number
            }
            self = .deployments(
                after: try number("after", 0...Int(Int32.max)), limit: try number("limit", 1...500) ?? 50)
        case (.get, "deployments", 2):
            guard let number = Int(parts[1]) else { throw .unknownPath }
            self = .deployment(number: number)
        default: throw .unknownPath
        }
    }
}
