import Analytics
import HTTP
import JSON

/// A call about the items of models: `/data…`.
enum DataCall: Sendable, Equatable {
    /// Which items are listed or counted.
    struct Selection: Sendable, Equatable {
        var model: String
        /// As the API's `Model…FilterInput`; nil for all items.
        var filter: JSONValue?
        /// Whether deleted items are included; nil for only them.
        var includesDeleted: Bool? = false
    }

    /// Which part of them is listed.
    struct Window: Sendable, Equatable {
        var order: String?
        var isDescending = false
        var limit = 100
        var after: String?
        var offset = 0
    }

    /// What the caller expects an item to be.
    struct Expectation: Sendable, Equatable {
        var version: Int64?
        /// By field; null for an attribute that is absent.
        var values: JSONObject = [:]
    }

    case sources
    case list(Selection, Window)
    case count(Selection, isExact: Bool)
    case get(model: String, key: [String])
    case access(model: String, key: [String], OperatorGraphQLCall.Caller)
    case create(model: String, values: JSONObject)
    case update(model: String, key: [String], set: JSONObject, unset: [String], Expectation)
    case delete(model: String, key: [String], Expectation)

    /// Maximum number of items in a list.
    static let listCountMax = 500
    /// Maximum number of items that are passed over.
    static let offsetMax = Int64(Int32.max)
    /// Where a count stops unless an exact one is asked for.
    static let countMax = 10_000

    /// The action of the audit log, what it is done to, and the fields; nil for what changes nothing.
    var audited: (action: String, target: String, fields: [String])? {
        switch self {
        case .sources, .list, .count, .get, .access: nil
        case .create(let model, let values): ("data.create", model, values.map(\.key))
        case .update(let model, let key, let set, let unset, _):
            ("data.update", "\(model) \(key.joined(separator: ","))", set.map(\.key) + unset)
        case .delete(let model, let key, _): ("data.delete", "\(model) \(key.joined(separator: ","))", [])
        }
    }

    var method: String {
        switch self {
        case .sources, .list, .count, .get, .access: "GET"
        case .create: "POST"
        case .update: "PATCH"
        case .delete: "DELETE"
        }
    }

    /// - Parameters:
    ///   - parts: Those of the path after `data`, percent-encoded.
    ///   - body: The body; nil if the request has none.
    init(
        _ method: Method, _ parts: [Substring], _ parameters: [ReportParameter], _ body: JSONObject?
    ) throws(OperatorProblem) {
        guard let first = parts.first else {
            guard method == .get else { throw .unknownPath }
            self = .sources
            return
        }
        guard let model = OperatorCall.decoded(first), parts.count >= 2 else { throw .unknownPath }
        switch (method, String(parts[1]), parts.count) {
        case (.get, "items", 2):
            self = .list(try Selection(model, parameters), try Window(parameters))
        case (.get, "count", 2):
            self = .count(try Selection(model, parameters), isExact: try OperatorCall.flag("exact", of: parameters))
        case (.post, "items", 2):
            guard let body else { throw .invalid("The body is a JSON object.", field: nil) }
            self = .create(model: model, values: body)
        case (.get, "items", 3): self = .get(model: model, key: try Self.key(parts[2]))
        case (.get, "items", 4) where parts[3] == "access":
            guard let caller = OperatorGraphQLCall.Caller(parameters.first { $0.name == "as" }?.value ?? "admin") else {
                throw .invalid(OperatorGraphQLCall.Caller.forms("as"), field: "as")
            }
            self = .access(model: model, key: try Self.key(parts[2]), caller)
        case (.patch, "items", 3):
            guard let body else { throw .invalid("The body is a JSON object.", field: nil) }
            let set = body["set"] ?? .object([:])
            guard let members = set.objectValue else { throw .invalid("'set' is an object.", field: "set") }
            let unset = body["unset"] ?? .array([])
            guard let names = unset.arrayValue?.compactMap(\.stringValue), names.count == unset.arrayValue?.count else {
                throw .invalid("'unset' is a list of fields.", field: "unset")
            }
            self = .update(
                model: model, key: try Self.key(parts[2]), set: members, unset: names, try Expectation(body))
        case (.delete, "items", 3):
            self = .delete(model: model, key: try Self.key(parts[2]), try Expectation(body ?? [:]))
        default: throw .unknownPath
        }
    }

    /// Key parts are percent-encoded and joined by commas.
    static func key(_ part: Substring) throws(OperatorProblem) -> [String] {
        try part.split(separator: ",", omittingEmptySubsequences: false).map { part throws(OperatorProblem) in
            guard let text = OperatorCall.decoded(part) else { throw .unknownPath }
            return text
        }
    }
}

extension DataCall.Selection {
    init(_ model: String, _ parameters: [ReportParameter]) throws(OperatorProblem) {
        self.model = model
        for parameter in parameters {
            let value = parameter.value
            switch parameter.name {
            case "filter":
                guard let filter = try? JSONReader.read(value), filter.objectValue != nil else {
                    throw .invalid("'filter' is a JSON object.", field: "filter")
                }
                self.filter = filter
            case "deleted":
                switch value {
                case "exclude": includesDeleted = false
                case "include": includesDeleted = true
                case "only": includesDeleted = nil
                default: throw .invalid("'deleted' is exclude, include or only.", field: "deleted")
                }
            default: break
            }
        }
    }
}

extension DataCall.Window {
    init(_ parameters: [ReportParameter]) throws(OperatorProblem) {
        for parameter in parameters {
            let value = parameter.value
            switch parameter.name {
            case "order": order = value
            case "direction":
                guard ["asc", "desc"].contains(value) else {
                    throw .invalid("'direction' is asc or desc.", field: "direction")
                }
                isDescending = value == "desc"
            case "limit":
                guard let limit = Int(value), (1...DataCall.listCountMax).contains(limit) else {
                    throw .invalid("'limit' is a number from 1 to \(DataCall.listCountMax).", field: "limit")
                }
                self.limit = limit
            case "offset":
                guard let offset = Int(value), (0...Int(DataCall.offsetMax)).contains(offset) else {
                    throw .invalid("'offset' is a number from 0.", field: "offset")
                }
                self.offset = offset
            case "after": after = value
            default: break
            }
        }
    }
}

extension DataCall.Expectation {
    fileprivate init(_ body: JSONObject) throws(OperatorProblem) {
        let expect = body["expect"] ?? .object([:])
        guard let members = expect.objectValue else { throw .invalid("'expect' is an object.", field: "expect") }
        if let given = members["version"] {
            guard let number = given.intValue else { throw .invalid("'expect.version' is a number.", field: "expect") }
            version = number
        }
        guard let values = (members["values"] ?? .object([:])).objectValue else {
            throw .invalid("'expect.values' is an object.", field: "expect")
        }
        self.values = values
    }
}
