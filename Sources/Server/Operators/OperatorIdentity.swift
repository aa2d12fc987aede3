#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// The person that the credentials of an operator's request identify.
struct OperatorIdentity: Sendable, Hashable {
    let name: String
    let role: OperatorRole
    /// SHA-256 of the operator's token; nil for the user who runs the server.
    var tokenHash: [UInt8]?

    init(name: String, role: OperatorRole, tokenHash: [UInt8]? = nil) {
        (self.name, self.role, self.tokenHash) = (name, role, tokenHash)
    }

    init(_ found: Operator) { self.init(name: found.name, role: found.role, tokenHash: found.tokenHash) }

    /// The user of this process, who may do everything.
    static var user: OperatorIdentity { OperatorIdentity(name: "user \(getuid())", role: .owner) }
}
