import GraphQL
import JSON
import Transformer

/// The access to the fields of a schema before any rule is evaluated: the modes of `@aws_*`, the policies of signed requests,
/// and the fields that a Lambda authorizer denies (reference: authorization, "Service directives").
///
/// Evaluated per plan, not per request: callers of one class share plans. Created once for each generation of the API.
final class SchemaGates: Sendable {
    private let gates: ModeGates
    private let signedAccess: SignedAccess
    private let groupLists: [[ExactText]]
    private let rootTypes: Set<String>

    /// - Returns: Nil for an API in which all callers have access to the same fields.
    init?(_ definition: APIDefinition) {
        let modes = Set(definition.authModes)
        guard modes.count > 1 || !definition.gates.isEmpty || modes.contains(.iam) || modes.contains(.lambda) else {
            return nil
        }
        gates = definition.gates
        signedAccess = definition.signedAccess
        groupLists = definition.gates.groupLists
        let schema = definition.schema
        rootTypes = Set(
            [schema.queryType, schema.mutationType, schema.subscriptionType].compactMap { $0.map { schema[$0].name } })
    }

    /// The class of a caller.
    func callerClass(of identity: Identity) -> CallerClass {
        switch identity.mode {
        case .apiKey:
            return CallerClass(mode: .apiKey, signer: identity.isAdministrator ? .administrator : .unrestricted)
        case .oidc: return CallerClass(mode: .oidc)
        case .userPools:
            guard !groupLists.isEmpty else { return CallerClass(mode: .userPools) }
            let groups = identity.groups
            return CallerClass(
                mode: .userPools,
                groupGates: groupLists.indices.filter { place in
                    groupLists[place].contains { groups.contains(where: $0.text.isExactly) }
                })
        case .iam:
            // An admin role has access by rules, and still no more fields than its access key lists.
            guard !identity.isAdmin else { return CallerClass(mode: .iam, resources: identity.resources) }
            switch identity.poolRole {
            case .authenticated: return CallerClass(mode: .iam, signer: .authenticated)
            case .unauthenticated: return CallerClass(mode: .iam, signer: .unauthenticated)
            case nil: return CallerClass(mode: .iam, resources: identity.resources)
            }
        case .lambda: return CallerClass(mode: .lambda, deniedFields: identity.deniedFields)
        }
    }

    /// Why callers of a class have no access to a field.
    enum Refusal {
        case lambdaAuthorizer
        /// The policy of the role, or the resources of the access key.
        case policy
        case mode
        /// The caller is in none of these groups.
        case groups([String])
    }

    /// Whether callers of a class have access to a field.
    func admits(_ caller: CallerClass, to field: FieldCoordinate) -> Bool { refusal(of: caller, field) == nil }

    /// The first check that callers of a class fail at a field; nil if they have access.
    func refusal(of caller: CallerClass, _ field: FieldCoordinate) -> Refusal? {
        guard caller.signer != .administrator else { return nil }
        guard !caller.deniedFields.contains(field) else { return .lambdaAuthorizer }
        guard isPermitted(field, to: caller) else { return .policy }
        let gate = gates.gate(type: field.type, field: field.field)
        guard gate.modes.contains(caller.mode) else { return .mode }
        guard caller.mode == .userPools, let groups = gate.groups else { return nil }
        let place = groupLists.firstIndex(of: groups.map(ExactText.init(_:)))
        let hasGroup = place.map(caller.groupGates.contains) ?? false
        return hasGroup ? nil : .groups(groups)
    }

    /// Whether the policy of a signed request permits a field. The resources of an access key list only root fields.
    func isPermitted(_ field: FieldCoordinate, to caller: CallerClass) -> Bool {
        guard caller.signer != .administrator else { return true }
        let isRoot = rootTypes.contains(field.type)
        if caller.signer == .unrestricted {
            return !isRoot || caller.resources.isEmpty || caller.resources.contains { $0.covers(field) }
        }
        let grant =
            isRoot
            ? signedAccess.grant(type: field.type, field: field.field)
            : signedAccess.readGrant(type: field.type, field: field.field)
        return caller.signer == .authenticated ? grant.authenticated : grant.unauthenticated
    }
}

extension String {
    /// Whether `Type.field`, in which each part may be `*`, names a field.
    fileprivate func covers(_ field: FieldCoordinate) -> Bool {
        guard self != "*" else { return true }
        let parts = split(separator: ".", omittingEmptySubsequences: false)
        return parts.count == 2 && (parts[0] == "*" || parts[0] == field.type)
            && (parts[1] == "*" || parts[1] == field.field)
    }
}
