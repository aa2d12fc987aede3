import JSON

/// The libraries whose sync engines are simulated.
enum Engine: CaseIterable {
    case swift, javaScript, android
}

/// A request as a library puts it on the wire (reference: datastore-sync, "What clients send").
struct DeviceRequest {
    var document: String
    var variables: JSONValue
    var body: String { Service.body(document, variables.description) }

    /// - Parameter variables: Name, type and value, in the order of the library.
    private init(_ engine: Engine, _ operation: String, _ field: String, _ arguments: [Argument], _ selection: String) {
        let definitions = arguments.map { "$\($0.name): \($0.type)" }.joined(separator: ", ")
        let uses = arguments.map { "\($0.name): $\($0.name)" }.joined(separator: ", ")
        let name = engine == .javaScript ? "operation" : field.prefix(1).uppercased() + field.dropFirst()
        document =
            arguments.isEmpty
            ? "\(operation) \(name) { \(field) { \(selection) } }"
            : "\(operation) \(name)(\(definitions)) { \(field)(\(uses)) { \(selection) } }"
        variables = .object(JSONObject(arguments.map { ($0.name, $0.value) }))
    }

    private typealias Argument = (name: String, type: String, value: JSONValue)

    private static func selection(_ engine: Engine) -> String {
        switch engine {
        case .swift:
            "id body createdAt shelf tags title updatedAt __typename _version _deleted _lastChangedAt"
        case .javaScript:
            "id title body shelf tags createdAt updatedAt _version _lastChangedAt _deleted"
        case .android:
            "__typename _deleted _lastChangedAt _version body createdAt id shelf tags title updatedAt"
        }
    }

    static func mutation(_ request: ReferenceServer.Request, by engine: Engine) -> DeviceRequest {
        let kind = request.kind.rawValue
        var input = JSONObject([("id", .string(request.id))])
        for name in ReferenceServer.fieldNames { if let value = request.fields[name] { input[name] = value } }
        if engine == .android, request.kind == .create { input["createdAt"] = .null }
        if let version = request.expected { input["_version"] = .number(String(version)) }
        let inputType = "\(kind.prefix(1).uppercased() + kind.dropFirst())NoteInput!"
        var arguments: [Argument] = [("input", inputType, .object(input))]
        let condition: JSONValue? = request.shelf.map { ["shelf": ["eq": .string($0)]] }
        if condition != nil || (engine == .javaScript && request.kind != .create) {
            arguments.append(("condition", "ModelNoteConditionInput", condition ?? .null))
        }
        if engine == .swift { arguments.sort { $0.name < $1.name } }
        return DeviceRequest(engine, "mutation", "\(kind)Note", arguments, selection(engine))
    }

    static func sync(
        lastSync: Int64?, shelf: String?, limit: Int, nextToken: String?, by engine: Engine
    ) -> DeviceRequest {
        // Swift and Android put a lone predicate into a group; JavaScript always has one.
        let filter: JSONValue? = shelf.map { ["and": [["shelf": ["eq": .string($0)]]]] }
        var arguments: [Argument] = [("limit", "Int", .number(String(limit)))]
        let isWhole = engine == .javaScript
        if isWhole || nextToken != nil {
            arguments.append(("nextToken", "String", nextToken.map { .string($0) } ?? .null))
        }
        if isWhole || lastSync != nil {
            arguments.append(("lastSync", "AWSTimestamp", .number(String(lastSync ?? 0))))
        }
        if isWhole || filter != nil { arguments.append(("filter", "ModelNoteFilterInput", filter ?? .null)) }
        if engine == .swift { arguments.sort { $0.name < $1.name } }
        let page = "items { \(selection(engine)) } nextToken startedAt"
        return DeviceRequest(engine, "query", "syncNotes", arguments, page)
    }

    static func get(_ id: String, by engine: Engine) -> DeviceRequest {
        DeviceRequest(engine, "query", "getNote", [("id", "ID!", .string(id))], selection(engine))
    }

    static func subscription(_ kind: ReferenceServer.Kind, by engine: Engine) -> DeviceRequest {
        let name = kind.rawValue
        return DeviceRequest(
            engine, "subscription", "on\(name.prefix(1).uppercased() + name.dropFirst())Note", [], selection(engine))
    }
}
