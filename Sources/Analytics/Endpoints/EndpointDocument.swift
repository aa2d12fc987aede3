import JSON

/// A stored endpoint: the merged members of all updates.
struct EndpointDocument: Sendable, Hashable {
    private(set) var members: JSONObject = [:]

    /// An endpoint without members.
    init() {}

    /// Parses a stored document.
    init(_ text: String) { members = (try? JSONReader.read(text))?.objectValue ?? [:] }

    /// The stored form of the document.
    var text: String { JSONValue.object(members).description }

    /// The user of the endpoint; nil if no user is signed in.
    var userID: String? {
        guard let id = members["User"]?["UserId"]?.stringValue, !id.isEmpty else { return nil }
        return id
    }

    /// The maps whose names clients choose, by the names that messages have for them.
    var maps: [(name: String, members: JSONObject)] {
        let maps = [
            ("Attributes", members["Attributes"]), ("Metrics", members["Metrics"]),
            ("User.UserAttributes", members["User"]?["UserAttributes"]),
        ]
        return maps.map { ($0.0, $0.1?.objectValue ?? [:]) }
    }

    /// Merges a change: members of the change replace stored ones, an empty list removes one, others are kept. If the user
    /// changes, the attributes of the previous user are removed.
    mutating func apply(_ change: EndpointChange) {
        if let id = change.members["User"]?["UserId"]?.stringValue, id != userID ?? "" { members["User"] = nil }
        members = Self.merged(members, change.members)
    }

    private static func merged(_ old: JSONValue?, _ new: JSONValue) -> JSONValue? {
        // A nil literal would be JSON's null here.
        if case .array(let elements) = new { return elements.isEmpty ? .none : .some(new) }
        guard case .object(let changes) = new else { return new }
        return .object(merged(old?.objectValue ?? [:], changes))
    }

    private static func merged(_ old: JSONObject, _ changes: JSONObject) -> JSONObject {
        var members = old
        var removed: Set<ExactText> = []
        for (name, value) in changes {
            if let value = merged(members[name], value) {
                members[name] = value
            } else {
                removed.insert(ExactText(name))
            }
        }
        members.removeMembers(named: removed)
        return members
    }
}

extension EndpointDocument {
    /// Pinpoint's `EndpointResponse`.
    ///
    /// - Parameter created: In milliseconds since 1970.
    func response(id: String, app: String, created: String, cohort: Int) -> JSONObject {
        var response = members
        response["ApplicationId"] = .string(app)
        response["CohortId"] = .string(String(cohort))
        response["CreationDate"] = .string(created)
        if response["EndpointStatus"] == nil { response["EndpointStatus"] = "ACTIVE" }
        response["Id"] = .string(id)
        if response["OptOut"] == nil { response["OptOut"] = "NONE" }
        return response
    }
}
