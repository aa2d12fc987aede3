import JSON
import Tables

/// Attributes by the names of their fields; an absent one is null.
typealias Fields = [String: JSONValue]

/// What a server of DataStore must store and answer (reference: datastore-sync, "Outcomes of mutations"), in the
/// plainest form: a dictionary, without schema, statements or threads. One `Note` has `title`, `body`, `shelf`, which
/// are texts, and `tags`, a list of texts.
struct ReferenceServer {
    static let fieldNames = ["body", "shelf", "tags", "title"]

    enum Kind: String { case create, update, delete }

    struct Row: Equatable {
        var fields: Fields
        var version: Int64
        var isDeleted = false
        /// The kind of mutation that made this version, which is also whose subscribers hear of it.
        var madeBy: Kind
        /// The place of the change among all changes of the store.
        var change = 0

        /// Whether it is reported as this item.
        func isTold(as item: Fields) -> Bool {
            item["_version"]?.intValue == version && (item["_deleted"]?.boolValue ?? false) == isDeleted
                && ReferenceServer.fieldNames.allSatisfy { (item[$0] ?? .null) == (fields[$0] ?? .null) }
        }
    }

    struct Request {
        var kind: Kind
        var id: String
        /// The fields of the input; null is an explicit null.
        var fields: Fields = [:]
        var expected: Int64?
        /// The condition `{shelf: {eq: …}}`.
        var shelf: String?
    }

    enum Answer: Equatable {
        case item(Row)
        /// With what the error shows.
        case conditionFailed(Row?)
        case conflict(Row)
        case conflictError
    }

    let handler: ConflictHandler
    /// Every version of every item, the first at 0.
    private(set) var history: [String: [Row]] = [:]
    private(set) var changeCount = 0

    init(_ handler: ConflictHandler) { self.handler = handler }

    func current(_ id: String) -> Row? { history[id]?.last }

    func row(_ id: String, version: Int64) -> Row? {
        guard let rows = history[id], version >= 1, version <= rows.count else { return nil }
        return rows[Int(version) - 1]
    }

    /// The answers to requests that arrive together. What a function is asked about waits for its answer, behind the
    /// others.
    mutating func answers(to requests: [Request]) -> [Answer] {
        var answers = [Answer?](repeating: nil, count: requests.count)
        var waiting = requests.enumerated().map { (index: $0.offset, request: $0.element, replaces: false) }
        while !waiting.isEmpty {
            var decided: [(index: Int, request: Request, replaces: Bool)] = []
            for (index, request, replaces) in waiting {
                let answer = answer(request, replaces: replaces)
                guard handler == .lambda, case .conflict(let row) = answer else {
                    answers[index] = answer
                    continue
                }
                switch ConflictRule.decide(row, requests[index]) {
                case .reject: answers[index] = .conflict(row)
                case .fail: answers[index] = .conflictError
                case .remove:
                    var next = request
                    next.expected = row.version
                    decided.append((index, next, false))
                case .resolve(let fields):
                    var next = request
                    (next.fields, next.expected) = (fields, row.version)
                    decided.append((index, next, true))
                }
            }
            waiting = decided
        }
        return answers.compactMap { $0 }
    }

    /// - Parameter replaces: The fields are all there are, as a function's are.
    private mutating func answer(_ request: Request, replaces: Bool) -> Answer {
        let row = current(request.id)
        if request.kind == .create {
            guard row == nil else { return .conditionFailed(nil) }
            return .item(
                store(request.id, Row(fields: request.fields.filter { !$0.value.isNull }, version: 0, madeBy: .create)))
        }
        guard var next = row, let row else { return .conditionFailed(nil) }
        let isExpected = request.expected == row.version
        guard isExpected || (handler == .automerge && request.kind == .update) else { return .conflict(row) }
        if let shelf = request.shelf, row.fields["shelf"] != .string(shelf) { return .conditionFailed(row) }
        next.madeBy = request.kind
        switch request.kind {
        case .create: break
        case .delete: next.isDeleted = true
        case .update where !isExpected: next.fields = Self.merged(row.fields, request.fields)
        case .update:
            if replaces { next.fields = [:] }
            next.fields.merge(request.fields) { $1 }
            next.fields = next.fields.filter { !$0.value.isNull }
        }
        return .item(store(request.id, next))
    }

    /// Puts the items back to these: with the next version each, and deleted where there is none.
    mutating func restore(_ rows: [String: Row]) {
        for id in history.keys.sorted() {
            guard var row = current(id) else { continue }
            (row.fields, row.isDeleted) = rows[id].map { ($0.fields, $0.isDeleted) } ?? (row.fields, true)
            _ = store(id, row)
        }
    }

    private mutating func store(_ id: String, _ row: Row) -> Row {
        var row = row
        changeCount += 1
        (row.version, row.change) = (row.version + 1, changeCount)
        history[id, default: []].append(row)
        return row
    }

    /// AUTOMERGE: lists grow, what is there stays, what is not is taken.
    private static func merged(_ stored: Fields, _ incoming: Fields) -> Fields {
        var merged = stored
        for (name, value) in incoming where !value.isNull {
            switch (stored[name], value) {
            case (.array(let old)?, .array(let new)): merged[name] = .array(old + new)
            case (nil, _): merged[name] = value
            case (_?, _): break
            }
        }
        return merged
    }
}

/// The function of the strategy LAMBDA in the simulations: it decides by the stored version, so that all of its answers
/// come, and each by chance.
enum ConflictRule: Equatable {
    case resolve(Fields)
    case reject
    case remove
    case fail

    static func decide(_ row: ReferenceServer.Row, _ request: ReferenceServer.Request) -> ConflictRule {
        var item = row.fields
        item.merge(request.fields) { $1 }
        return decide(version: row.version, newItem: item.filter { !$0.value.isNull }, kind: request.kind)
    }

    static func decide(version: Int64, newItem: Fields, kind: ReferenceServer.Kind) -> ConflictRule {
        switch version {
        case _ where version % 5 == 0: return .reject
        case _ where version % 7 == 3: return .fail
        default:
            guard kind == .update else { return .remove }
            var item = newItem
            item["body"] = .string("resolved at \(version)")
            if version % 3 == 0 { item["tags"] = nil }
            return .resolve(item)
        }
    }

    /// The function as the server calls it: an event in, an answer out.
    static func answer(_ event: JSONValue) -> [UInt8]? {
        guard let version = event["existingItem"]?["_version"]?.intValue, let newItem = event["newItem"] else {
            return Array("the event lacks its items".utf8)
        }
        var fields: Fields = [:]
        for name in ReferenceServer.fieldNames { if let value = newItem[name], !value.isNull { fields[name] = value } }
        let isDelete = event["resolver"]?["field"] == "deleteNote"
        switch decide(version: version, newItem: fields, kind: isDelete ? .delete : .update) {
        case .fail: return nil
        case .reject: return Array(#"{"action":"REJECT"}"#.utf8)
        case .remove: return Array(#"{"action":"REMOVE"}"#.utf8)
        case .resolve(let item):
            let item = JSONValue.object(JSONObject(item.map { ($0.key, $0.value) }))
            return Array(#"{"action":"RESOLVE","item":\#(item)}"#.utf8)
        }
    }
}
