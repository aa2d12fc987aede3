import Transformer

/// The properties of a caller that a plan depends on: its mode, the groups that gates require, the policy of a signed request,
/// and the fields that a Lambda authorizer denies. Callers of one class share plans.
///
/// In most APIs all callers are of one class: the API has one mode, and no type or field names another. Rare properties are
/// behind one reference, so that comparing classes costs a request a comparison of two words.
struct CallerClass: Sendable, Hashable {
    /// How a signed request was authorized.
    enum Signer: UInt8, Sendable, Hashable {
        /// It is not signed, or there is no policy for its role.
        case unrestricted
        case authenticated
        case unauthenticated
        /// The caller is an operator, to whom every field is open.
        case administrator
    }

    /// What distinguishes callers with the same mode.
    private final class Details: Sendable, Hashable {
        let groupGates: [Int]
        let resources: [String]
        let deniedFields: Set<FieldCoordinate>

        init(_ groupGates: [Int], _ resources: [String], _ deniedFields: Set<FieldCoordinate>) {
            (self.groupGates, self.resources, self.deniedFields) = (groupGates, resources, deniedFields)
        }

        static func == (left: Details, right: Details) -> Bool {
            left === right
                || (left.groupGates == right.groupGates && left.resources == right.resources
                    && left.deniedFields == right.deniedFields)
        }

        func hash(into hasher: inout Hasher) {
            hasher.combine(groupGates)
            hasher.combine(resources)
            hasher.combine(deniedFields)
        }
    }

    let mode: Identity.Mode
    let signer: Signer
    private let details: Details?

    init(
        mode: Identity.Mode, signer: Signer = .unrestricted, groupGates: [Int] = [], resources: [String] = [],
        deniedFields: Set<FieldCoordinate> = []
    ) {
        (self.mode, self.signer) = (mode, signer)
        let hasNone = groupGates.isEmpty && resources.isEmpty && deniedFields.isEmpty
        details = hasNone ? nil : Details(groupGates, resources, deniedFields)
    }

    /// The gates with groups that admit the caller, as indices into `SchemaGates`.
    var groupGates: [Int] { details?.groupGates ?? [] }
    /// The root fields that the role of an access key may call, as patterns such as `Query.*`; empty for all.
    var resources: [String] { details?.resources ?? [] }
    /// The fields that a Lambda authorizer denies.
    var deniedFields: Set<FieldCoordinate> { details?.deniedFields ?? [] }

    /// A number that differs between most classes, for hashing.
    var mark: UInt64 {
        let mark = (UInt64(mode.rawValue) << 2 | UInt64(signer.rawValue)) &* 0x9E37_79B9_7F4A_7C15
        return details.map { mark ^ UInt64(truncatingIfNeeded: $0.hashValue) } ?? mark
    }

    /// The only class of an API without gates.
    static let only = CallerClass(mode: .apiKey)
}
