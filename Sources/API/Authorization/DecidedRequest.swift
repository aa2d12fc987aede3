import GraphQL
import JSON
import Transformer

/// A request with its authorization decisions, kept with its report so that they can be explained.
final class DecidedRequest: Sendable {
    private enum Subject {
        case plan(Plan)
        /// A request that was not planned, because its caller has access to none of these root fields.
        case fields([FieldCoordinate])
    }

    private let schema: ExecutableSchema
    private let subject: Subject
    private let identity: Identity
    /// The values of the request; nil if they are not known.
    private let variables: VariableValues?
    /// Whether the whole request was refused, so that conditions on items and arguments did not hold.
    private let isRefused: Bool

    init(
        _ schema: ExecutableSchema, _ plan: Plan, _ identity: Identity, _ variables: VariableValues? = nil,
        isRefused: Bool = false
    ) {
        (self.schema, subject, self.identity) = (schema, .plan(plan), identity)
        (self.variables, self.isRefused) = (variables, isRefused)
    }

    /// A request that was refused before it was planned.
    init(_ schema: ExecutableSchema, forbidden fields: [FieldCoordinate], _ identity: Identity) {
        (self.schema, subject, self.identity) = (schema, .fields(fields), identity)
        (variables, isRefused) = (nil, true)
    }

    /// The root fields, and their keys in the response, if there is one.
    private var roots: [(field: FieldCoordinate, key: String?)] {
        switch subject {
        case .plan(let plan):
            plan.roots.map { (FieldCoordinate(type: $0.parentName, field: $0.fieldName), $0.responseKey) }
        case .fields(let fields): fields.map { ($0, nil) }
        }
    }

    /// - Parameters:
    ///   - errors: The errors of the response.
    ///   - includesRoots: Whether root fields without an error are explained too.
    func explanation(of errors: [FieldError], includesRoots: Bool) -> AuthorizationExplanation {
        let explainer = AuthorizationExplainer(schema, identity)
        var refused: [(field: FieldCoordinate, names: [String])] = []
        // Each denied field once: a list has the same error for each of its items.
        for error in errors where refused.count < Self.denialsMax {
            guard let found = refusal(error),
                !refused.contains(where: { $0.field == found.field && $0.names == found.names })
            else { continue }
            refused.append(found)
        }
        var entries: [AuthorizationExplanation.Entry] = []
        if includesRoots {
            for (field, _) in roots.prefix(Self.rootsMax) {
                guard !refused.contains(where: { $0.field == field }) else { continue }
                entries.append(explainer.entry(field, refused: isRefused))
            }
        }
        entries += refused.map { explainer.entry($0.field, refused: true, names: $0.names) }
        var explanation = AuthorizationExplanation(entries: entries)
        if includesRoots { explanation.metRules = metRules(explainer, refused: refused.map(\.field)) }
        return explanation
    }

    /// The rules that allowed something: for the root fields, and for the subjects within those that were not refused.
    private func metRules(_ explainer: AuthorizationExplainer, refused: [FieldCoordinate]) -> Set<ExactText> {
        let allowed = roots.map(\.field).filter { !refused.contains($0) }
        guard !allowed.isEmpty, case .plan(let plan) = subject else { return [] }
        let touched = TouchedFields(plan, variables)
        var rules = Set(allowed.flatMap { explainer.metRules($0, touching: touched) }.map(ExactText.init(_:)))
        for subject in plan.subjects {
            switch subject {
            case .operation: break
            case .field(let field) where refused.contains(field): break
            case .check(let model, let field)
            where refused.contains(FieldCoordinate(type: schema.definition.models[model].name, field: field)):
                break
            case .field, .check, .relation:
                rules.formUnion(explainer.metRules(subject, touching: touched).map(ExactText.init(_:)))
            }
        }
        return rules
    }

    /// Different denied fields, and root fields, that are explained.
    static let (denialsMax, rootsMax) = (32, 32)

    /// What an authorization error refuses: a field, or fields of a mutation's input.
    private func refusal(_ error: FieldError) -> (field: FieldCoordinate, names: [String])? {
        guard case .resolver(let cause, _) = error.cause, cause.errorType == "Unauthorized" || cause.isOfRules else {
            return nil
        }
        if case .field(let denied)? = cause.denial { return (denied, []) }
        guard case .key(let key)? = error.reversedPath.last,
            let root = roots.first(where: { $0.key == key })
        else { return nil }
        var names: [String] = []
        if case .inputFields(let denied)? = cause.denial { names = denied }
        return (root.field, names)
    }
}
