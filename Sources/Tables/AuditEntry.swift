/// What an operator did: an entry of the audit log, which is only ever added to.
public struct AuditEntry: Sendable, Hashable {
    /// The place in the log, from 1 on; 0 before it is stored.
    public var number: Int64 = 0
    /// When it was done, in milliseconds since 1970.
    public var milliseconds: Int64
    /// Who did it.
    public var `operator`: String
    /// The role by which it was allowed.
    public var role: String
    /// What was done, such as `operators.create`.
    public var action: String
    /// What it was done to; empty when the action says it all.
    public var target: String
    /// The names of the fields that were changed.
    public var fields: [String]
    /// The request by which it was done.
    public var requestID: String
    /// Where the request came from.
    public var address: String

    /// An entry that is not stored yet.
    public init(
        milliseconds: Int64, operator: String, role: String, action: String, target: String = "",
        fields: [String] = [], requestID: String, address: String
    ) {
        self.milliseconds = milliseconds
        self.operator = `operator`
        self.role = role
        self.action = action
        self.target = target
        self.fields = fields
        self.requestID = requestID
        self.address = address
    }

    /// How long entries are kept, in seconds: a year.
    public static let keptSeconds: Int64 = 365 * 86_400
    /// Entries that are kept; the oldest leave first.
    public static let countMax: Int64 = 100_000
    /// Bytes of each text of an entry; longer ones are cut.
    static let textBytesMax = 4_096
}
