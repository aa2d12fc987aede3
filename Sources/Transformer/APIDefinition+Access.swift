import GraphQL
public import JSON
import Tables

extension APIDefinition {
    /// What the enforced rules of version 1 ask, by the places of the models in `models`; nil of a model that is open.
    public var versionOneAccess: [VersionOneAccess?] { madeAccess?.versionOne ?? makeVersionOneAccess() }

    func makeVersionOneAccess() -> [VersionOneAccess?] {
        guard let rules = enforcedRules, transformerVersion == .v1 else {
            return Array(repeating: nil, count: models.count)
        }
        let ruled = Dictionary(grouping: rules, by: \.type)
        return models.map { model in
            let access = VersionOneAccess(
                model: model.name, rules: ruled[model.name] ?? [],
                redactsResults: sendsResults(declarations.model(named: model.name)))
            return access.isOpen ? nil : access
        }
    }

    /// Whether subscribers are sent the results of a model's mutations under rules.
    private func sendsResults(_ model: ModelDeclaration?) -> Bool {
        (model?.operations.subscriptionLevel ?? .on) == .on
    }

    /// What the enforced rules of version 2 allow, by the places of the models in `models`; nil of a model that has none,
    /// which is closed to everyone.
    public var modelAccess: [ModelAccess?] { madeAccess?.versionTwo ?? makeModelAccess() }

    func makeModelAccess() -> [ModelAccess?] {
        guard let rules = enforcedRules, transformerVersion == .v2 else {
            return Array(repeating: nil, count: models.count)
        }
        let ruled = Dictionary(grouping: rules, by: \.type)
        let declaredModels = Dictionary(
            declarations.models.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
        let access = models.map { model -> ModelAccess? in
            guard let own = ruled[model.name] else { return nil }
            let declared = declaredModels[model.name]
            return ModelAccess(
                model: model.name,
                // A join model is not declared: its rules are about all that it stores.
                fields: declared?.fields.map(\.name) ?? tables[model.table].columns.map(\.field), rules: own,
                redactsResults: sendsResults(declared))
        }
        return access.map { made in
            guard var made, let declared = declaredModels[made.model] else { return made }
            made.redactRelations(
                declared.fields.compactMap { field in
                    guard let target = model(named: field.type.namedType), let other = access[target] else {
                        return nil
                    }
                    return (field.name, field.type.isNonNull, other)
                }, inheriting: subscriptionsInheritPrimaryAuth)
            return made
        }
    }

    /// The fields that subscribers do not receive although the result of a mutation contains them, by the places of the models
    /// in `models`: nullable relations to models whose items not every subscriber may read, and fields that not every
    /// reader may read of a model without subscriptions, which only events of other models contain.
    public var fieldsWithheldFromEvents: [Set<String>] {
        guard enforcedRules != nil else { return Array(repeating: [], count: models.count) }
        let (one, two) = (versionOneAccess, modelAccess)
        return models.indices.map { place in
            guard let declared = declarations.model(named: models[place].name) else { return [] }
            var withheld: Set<String> = []
            if transformerVersion == .v2 {
                guard let own = two[place] else { return [] }
                if declared.operations.subscriptionLevel == .off { withheld.formUnion(own.readers.keys) }
                guard !subscriptionsInheritPrimaryAuth else { return withheld }
            }
            for field in declared.fields where !field.type.isNonNull {
                guard let target = model(named: field.type.namedType) else { continue }
                let isReadable =
                    if let own = two[place] {
                        two[target].map { own.isReadable($0, bySubscribersOf: field.name) } ?? false
                    } else {
                        one[target]?.isReadable(bySubscribersOf: one[place]) ?? true
                    }
                if !isReadable { withheld.insert(field.name) }
            }
            return withheld
        }
    }

    /// The roles of the enforced rules on fields of root types, of nested types and of pages, by type and field.
    public var fieldRoles: [(type: String, field: String, roles: [AuthorizationRole])] {
        var found: [FieldName: [AuthorizationRole]] = [:]
        for rule in enforcedRules ?? [] where model(named: rule.type) == nil {
            guard let field = rule.field else { continue }
            found[FieldName(type: rule.type, field: field), default: []] += rule.roles(in: transformerVersion)
        }
        return found.map { ($0.key.type, $0.key.field, $0.value) }
    }

    /// What users of the default mode's user pool may reach without a directive, in AppSync's words; nil where user pools are
    /// not the default mode.
    public var defaultAuthStrategy: String? {
        guard authModes.first == .userPools else { return nil }
        return gates.deniesByDefault ? "DENY" : "ALLOW"
    }

    /// The enforced rules of a type and of its fields.
    public func rules(of type: String) -> [AuthorizationRule] { (enforcedRules ?? []).filter { $0.type == type } }

    /// The enforced rules that the author wrote: neither those of a sandbox nor those of join models.
    public var writtenRules: [AuthorizationRule] { enforcedRules == nil ? [] : declarations.rules }

    /// The claims that the enforced rules look at: what an identity keeps of a token beside its user.
    public var ruleClaims: Set<ExactText> {
        let roles = (enforcedRules ?? []).flatMap { $0.roles(in: transformerVersion) }
        return Set(roles.flatMap(\.claims).map(ExactText.init(_:)))
    }
}
