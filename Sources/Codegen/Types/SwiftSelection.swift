import GraphQL

/// The structs of a result: one for each selection, nested, which read their fields from a snapshot.
struct SwiftSelection {
    private let types: SwiftAPITypes
    private var schema: Schema { types.schema }

    init(_ types: SwiftAPITypes) { self.types = types }

    /// The struct `Data`, which has the root field.
    func write(rootOf statement: Statement, to code: inout SwiftCode) {
        let root: TypeID? =
            switch statement.kind {
            case .query: schema.queryType
            case .mutation: schema.mutationType
            case .subscription: schema.subscriptionType
            }
        guard let root else { return }
        let field = StatementSelection.Field(field: statement.field, selection: statement.selection)
        var scope = propertyScope
        write("Data", of: root, members([field], &scope), arguments: statement.field.arguments, to: &code)
    }

    // MARK: - Members

    /// A field as a property, with the name of the struct of its value.
    private struct Member {
        let field: StatementSelection.Field
        let property: String
        let structName: String?

        var key: String { field.field.name }
        var keyLiteral: String { SwiftLiteral.string(key) }
        var type: GraphQLType { field.field.type }
        var isTypename: Bool { key == "__typename" }
    }

    private var propertyScope: NameScope { NameScope(reserved: ["snapshot"]) }

    private func members(_ fields: [StatementSelection.Field], _ scope: inout NameScope) -> [Member] {
        var structs = NameScope(reserved: types.reservedNames)
        return fields.map { field in
            let property = SwiftIdentifier.escaped(scope.unique(SwiftIdentifier.property(field.field.name)))
            let name = field.selection.map { _ in structs.unique(SwiftIdentifier.type(field.field.name)) }
            return Member(field: field, property: property, structName: name)
        }
    }

    /// `__typename` first.
    private func ordered(_ fields: [StatementSelection.Field]) -> [StatementSelection.Field] {
        fields.filter { $0.field.name == "__typename" } + fields.filter { $0.field.name != "__typename" }
    }

    // MARK: - Structs

    private func write(_ name: String, of selection: StatementSelection, to code: inout SwiftCode) {
        var scope = propertyScope
        let fields = ordered(selection.fields)
        let members = members(fields, &scope)
        guard schema[selection.type].isAbstract else {
            return write(name, of: selection.type, members, to: &code)
        }
        write(name, ofAbstract: selection, members, fields, scope, to: &code)
    }

    /// The struct of an object type.
    private func write(
        _ name: String, of type: TypeID, _ members: [Member], arguments: [InputField] = [], to code: inout SwiftCode
    ) {
        code.block("public struct \(name): GraphQLSelectionSet") { code in
            writePossibleTypes([type], to: &code)
            code.line("public static let selections: [GraphQLSelection] = [")
            code.indented { code in writeSelections(members, arguments, to: &code) }
            code.line("]")
            writeSnapshot(to: &code)
            code.blank()
            code.block("public init(\(list(members)))") { code in
                code.line("self.init(snapshot: \(literal(type, members)))")
            }
            writeProperties(members, to: &code)
            writeStructs(members, to: &code)
        }
    }

    /// The struct of an interface or union, with one inside for each type that has more fields.
    private func write(
        _ name: String, ofAbstract selection: StatementSelection, _ members: [Member],
        _ fields: [StatementSelection.Field], _ scope: NameScope, to code: inout SwiftCode
    ) {
        var scope = scope
        var names = NameScope(reserved: types.reservedNames.union(members.compactMap(\.structName)))
        let variants = selection.fragments.map { fragment in
            let name = names.unique("As\(CaseStyle.pascal(schema[fragment.type].name))")
            var inner = propertyScope
            return (
                type: fragment.type, name: name, property: scope.unique(SwiftIdentifier.property(name)),
                members: self.members(fields + fragment.fields, &inner)
            )
        }
        let possibleTypes = schema.possibleTypes(of: selection.type)
        code.block("public struct \(name): GraphQLSelectionSet") { code in
            writePossibleTypes(possibleTypes, to: &code)
            code.line("public static let selections: [GraphQLSelection] = [")
            code.indented { code in
                guard !variants.isEmpty else { return writeSelections(members, [], to: &code) }
                code.line("GraphQLTypeCase(")
                code.indented { code in
                    let cases = variants.map { "\(SwiftLiteral.string(schema[$0.type].name)): \($0.name).selections" }
                    code.line("variants: [\(cases.joined(separator: ", "))],")
                    code.line("default: [")
                    code.indented { code in writeSelections(members, [], to: &code) }
                    code.line("]")
                }
                code.line(")")
            }
            code.line("]")
            writeSnapshot(to: &code)
            for type in possibleTypes {
                let variant = variants.first { $0.type == type }
                let own = variant?.members ?? members
                code.blank()
                let function = "make\(schema[type].name.prefix(1).uppercased())\(schema[type].name.dropFirst())"
                code.block("public static func \(function)(\(list(own, in: variant?.name))) -> Self") { code in
                    code.line("return Self(snapshot: \(literal(type, own)))")
                }
            }
            writeProperties(members, to: &code)
            writeStructs(members, to: &code)
            for variant in variants {
                code.blank()
                code.block("public var \(SwiftIdentifier.escaped(variant.property)): \(variant.name)?") { code in
                    code.block("get") { code in
                        code.line("if !\(variant.name).possibleTypes.contains(__typename) { return nil }")
                        code.line("return \(variant.name)(snapshot: snapshot)")
                    }
                    code.block("set") { code in
                        code.line("guard let newValue = newValue else { return }")
                        code.line("snapshot = newValue.snapshot")
                    }
                }
                code.blank()
                write(variant.name, of: variant.type, variant.members, to: &code)
            }
        }
    }

    // MARK: - Parts of a struct

    private func writePossibleTypes(_ types: [TypeID], to code: inout SwiftCode) {
        let names = types.map { SwiftLiteral.string(schema[$0].name) }.joined(separator: ", ")
        code.line("public static let possibleTypes: [String] = [\(names)]")
        code.blank()
    }

    private func writeSnapshot(to code: inout SwiftCode) {
        code.blank()
        code.line("public var snapshot: Snapshot")
        code.blank()
        code.block("public init(snapshot: Snapshot)") { code in code.line("self.snapshot = snapshot") }
    }

    private func writeSelections(_ members: [Member], _ arguments: [InputField], to code: inout SwiftCode) {
        let names = arguments.map { SwiftLiteral.string($0.name) }
        let values = names.map { "\($0): GraphQLVariable(\($0))" }.joined(separator: ", ")
        for member in members {
            let arguments = values.isEmpty ? "" : "arguments: [\(values)], "
            let type = outputType(member.type, member.structName)
            code.line("GraphQLField(\(member.keyLiteral), \(arguments)type: \(type)),")
        }
    }

    private func outputType(_ type: GraphQLType, _ structName: String?) -> String {
        switch type {
        case .nonNull(let inner): ".nonNull(\(outputType(inner, structName)))"
        case .list(let element): ".list(\(outputType(element, structName)))"
        case .named(let id): structName.map { ".object(\($0).selections)" } ?? ".scalar(\(types.name(of: id)).self)"
        }
    }

    /// The members as parameters; the structs of their values are in a struct `outer`.
    private func list(_ members: [Member], in outer: String? = nil) -> String {
        members.filter { !$0.isTypename }.map { member in
            let name = member.structName.map { name in outer.map { "\($0).\(name)" } ?? name }
            return "\(member.property): \(types.text(of: member.type, name))\(member.type.isNonNull ? "" : " = nil")"
        }.joined(separator: ", ")
    }

    /// A snapshot of the members' values.
    private func literal(_ type: TypeID, _ members: [Member]) -> String {
        let values = members.filter { !$0.isTypename }.map { member in
            let value =
                member.structName == nil
                ? member.property : mapped(member.type, member.property) { "\($0).snapshot" }
            return "\(member.keyLiteral): \(value)"
        }
        let typename = "\"__typename\": \(SwiftLiteral.string(schema[type].name))"
        return "[" + ([typename] + values).joined(separator: ", ") + "]"
    }

    private func writeProperties(_ members: [Member], to code: inout SwiftCode) {
        for member in members {
            let key = "snapshot[\(member.keyLiteral)]"
            let cast = member.type.isNonNull ? "! \(SwiftCode.forcedCast) " : " as? "
            let read: String
            let written: String
            if let name = member.structName {
                read = mapped(member.type, "(\(key)\(cast)\(types.nonNull(member.type, "Snapshot")))") {
                    "\(name)(snapshot: \($0))"
                }
                written = mapped(member.type, "newValue") { "\($0).snapshot" }
            } else {
                (read, written) = ("\(key)\(cast)\(types.nonNull(member.type))", "newValue")
            }
            code.blank()
            code.comment(member.field.field.description)
            code.block("public var \(member.property): \(types.text(of: member.type, member.structName))") { code in
                code.block("get") { code in code.line("return \(read)") }
                code.block("set") { code in
                    code.line("snapshot.updateValue(\(written), forKey: \(member.keyLiteral))")
                }
            }
        }
    }

    private func writeStructs(_ members: [Member], to code: inout SwiftCode) {
        for member in members {
            guard let name = member.structName, let selection = member.field.selection else { continue }
            code.blank()
            write(name, of: selection, to: &code)
        }
    }

    /// An expression that converts the innermost values of a value, which keeps its lists and its nils.
    private func mapped(_ type: GraphQLType, _ value: String, _ convert: (String) -> String) -> String {
        switch type {
        case .nonNull(.list(let element)): "\(value).map { \(mapped(element, "$0", convert)) }"
        case .nonNull: convert(value)
        case .list(let element): "\(value).map { $0.map { \(mapped(element, "$0", convert)) } }"
        case .named: "\(value).map { \(convert("$0")) }"
        }
    }
}
