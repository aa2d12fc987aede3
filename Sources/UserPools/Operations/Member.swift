/// A member of an operation's input, with what the service model says of it.
struct Member: Sendable {
    enum Kind: Sendable {
        /// A text of so many characters.
        case string(ClosedRange<Int>)
        /// One of these texts.
        case enumeration([String])
        case boolean
        case integer(ClosedRange<Int64>)
        case list
        case object
    }

    let name: String
    let kind: Kind
    var isRequired = false

    /// The same, required.
    var required: Member { Member(name: name, kind: kind, isRequired: true) }

    static func string(_ name: String, _ length: ClosedRange<Int> = 1...131_072) -> Member {
        Member(name: name, kind: .string(length))
    }
    static func enumeration(_ name: String, _ values: [String]) -> Member {
        Member(name: name, kind: .enumeration(values))
    }
    static func boolean(_ name: String) -> Member { Member(name: name, kind: .boolean) }
    static func integer(_ name: String, _ range: ClosedRange<Int64> = 0...Int64.max) -> Member {
        Member(name: name, kind: .integer(range))
    }
    static func list(_ name: String) -> Member { Member(name: name, kind: .list) }
    static func object(_ name: String) -> Member { Member(name: name, kind: .object) }

    static let clientID = string("ClientId", 1...128).required
    static let userPoolID = string("UserPoolId", 1...55).required
    static let username = string("Username", 1...128).required
    static let secretHash = string("SecretHash", 1...128)
    static let accessToken = string("AccessToken").required
    static let session = string("Session", 20...2_048)
    static let groupName = string("GroupName", 1...128).required
    static let deviceKey = string("DeviceKey", 1...55).required
    static let limit = integer("Limit", 0...60)
}
