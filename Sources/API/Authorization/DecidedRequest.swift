import GraphQL
import Transformer

/// A request that the rules have decided, kept with its report so that somebody may ask why.
final class DecidedRequest: Sendable {
    private let schema: ExecutableSchema
    private let plan: Plan
    private let identity: Identity

    init(_ schema: ExecutableSchema, _ plan: Plan, _ identity: Identity) {
        (self.schema, self.plan, self.identity) = (schema, plan, identity)
    }

    /// - Parameters:
    ///   - errors: Those of the answer.
    ///   - includesRoots: Whether root fields without an error are explained too.
    func explanation(of errors: [FieldError], includesRoots: Bool) -> AuthorizationExplanation {
        let explainer = AuthorizationExplainer(schema, identity)
        var refused: [(field: FieldCoordinate, names: [String])] = []
        for error in errors.prefix(Self.errorCountMax) {
            guard let found = refusal(error),
                !refused.contains(where: { $0.field == found.field && $0.names == found.names })
            else { continue }
            refused.append(found)
        }
        var entries: [AuthorizationExplanation.Entry] = []
        if includesRoots {
            for root in plan.roots.prefix(Self.errorCountMax) {
                let field = FieldCoordinate(type: root.parentName, field: root.fieldName)
                guard !refused.contains(where: { $0.field == field }) else { continue }
                entries.append(explainer.entry(field))
            }
        }
        entries += refused.map { explainer.entry($0.field, refused: true, names: $0.names) }
        return AuthorizationExplanation(entries: entries)
    }

    private static let errorCountMax = 32

    /// What an error `Unauthorized` refuses: a field, or fields of a mutation's input.
    private func refusal(_ error: FieldError) -> (field: FieldCoordinate, names: [String])? {
        guard case .resolver(let cause, _) = error.cause, cause.errorType == "Unauthorized" else { return nil }
        if let denied = cause.deniedField { return (denied, []) }
        guard case .key(let key)? = error.reversedPath.last,
            let root = plan.roots.first(where: { $0.responseKey == key })
        else { return nil }
        return (FieldCoordinate(type: root.parentName, field: root.fieldName), cause.deniedNames)
    }
}

extension ResolverError {
    private static let fieldStart = "Not Authorized to access "
    private static let fieldMiddle = " on type "
    private static let namesStart = "Unauthorized on ["

    /// The field that `unauthorized(_:)` was made for.
    fileprivate var deniedField: FieldCoordinate? {
        guard message.hasPrefix(Self.fieldStart), let middle = message.firstRange(of: Self.fieldMiddle) else {
            return nil
        }
        let start = message.index(message.startIndex, offsetBy: Self.fieldStart.count)
        return FieldCoordinate(
            type: String(message[middle.upperBound...]), field: String(message[start..<middle.lowerBound]))
    }

    /// The names of the input's fields that it was made for.
    fileprivate var deniedNames: [String] {
        guard message.hasPrefix(Self.namesStart) else { return [] }
        return message.dropFirst(Self.namesStart.count).dropLast().split(separator: ",").map {
            String($0.drop { $0 == " " })
        }
    }
}
