import Tables

/// The filter of `ListUsers`: `name = "value"` or `name ^= "value"` (reference: auth, "User-pool operations").
struct UserFilter: Sendable, Hashable {
    /// The filter as it was given.
    let text: String
    private var attribute: String?
    private var value = ""
    private var isPrefix = false

    /// How the users are found.
    enum Condition: Sendable, Hashable {
        case all
        case none
        /// The user of this user name.
        case username(String)
        /// Users whose user names, as names are compared, begin with this.
        case usernamePrefix(String)
        case index(String, String, isPrefix: Bool)
    }

    private static let names: Set<String> = [
        "username", "email", "phone_number", "name", "given_name", "family_name", "preferred_username",
        "cognito:user_status", "status", "sub",
    ]

    init(_ text: String) throws(CognitoError) {
        self.text = text
        var rest = text[...]
        func skipSpace() { while rest.first == " " { rest = rest.dropFirst() } }
        skipSpace()
        if rest.isEmpty { return }
        var name = String(rest.prefix { $0 != " " && $0 != "=" && $0 != "^" })
        rest = rest.dropFirst(name.count)
        if name.hasPrefix("\""), name.hasSuffix("\""), name.count > 1 { name = String(name.dropFirst().dropLast()) }
        skipSpace()
        if rest.hasPrefix("^=") {
            (isPrefix, rest) = (true, rest.dropFirst(2))
        } else if rest.hasPrefix("=") {
            rest = rest.dropFirst()
        } else {
            throw Self.malformed
        }
        skipSpace()
        guard Self.names.contains(name), rest.first == "\"" else { throw Self.malformed }
        rest = rest.dropFirst()
        var isClosed = false
        while let character = rest.popFirst() {
            if character == "\\" {
                guard let escaped = rest.popFirst() else { throw Self.malformed }
                value.append(escaped)
            } else if character == "\"" {
                isClosed = true
                break
            } else {
                value.append(character)
            }
        }
        skipSpace()
        guard isClosed, rest.isEmpty else { throw Self.malformed }
        attribute = name
    }

    private static let malformed = CognitoError.invalidParameter("Error while parsing filter expression.")

    func condition(in pool: UserPool) -> Condition {
        guard let attribute else { return .all }
        switch attribute {
        case "username": return isPrefix ? .usernamePrefix(pool.usernameKey(value)) : .username(value)
        case "sub": return .index("bySub", value, isPrefix: isPrefix)
        case "status":
            // "Enabled" and "Disabled", in either case.
            let words = ["Enabled", "Disabled"].filter {
                isPrefix ? $0.lowercased().hasPrefix(value.lowercased()) : $0.lowercased() == value.lowercased()
            }
            if words.count == 2 { return .all }
            return words.first.map { .index("byEnabled", $0, isPrefix: false) } ?? .none
        case "cognito:user_status":
            return .index("byStatus", isPrefix ? value.uppercased() : "\(value.uppercased())#", isPrefix: true)
        default: return .index("by_\(attribute)", value, isPrefix: isPrefix)
        }
    }
}
