/// An app whose events are accepted.
public struct AnalyticsApp: Sendable, Hashable {
    /// Pinpoint's application id.
    public let id: String
    /// Its display name.
    public let name: String

    /// Creates an app.
    public init(id: String, name: String) { (self.id, self.name) = (id, name) }

    /// Whether a text is valid as an app's id: 1 to 64 letters, digits, `.`, `_` and `-`.
    public static func isID(_ id: String) -> Bool {
        (1...64).contains(id.utf8.count)
            && id.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "-"):
                    true
                default: false
                }
            }
    }
}
