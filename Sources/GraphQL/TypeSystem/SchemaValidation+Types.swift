/// Spec §3.5–3.10: what each kind of type has to be.
extension SchemaValidation {
    mutating func validate(_ type: TypeDefinition) {
        switch type {
        case .scalar(let type):
            validate(type.directives, at: .scalar)
        case .object(let type):
            validate(type.directives, at: .object)
            validateFields(type.fields, of: type.name, at: type.place)
            validateInterfaces(of: .init(type, isInterface: false))
        case .interface(let type):
            validate(type.directives, at: .interface)
            validateFields(type.fields, of: type.name, at: type.place)
            validateInterfaces(of: .init(type, isInterface: true))
        case .union(let type):
            validate(type.directives, at: .union)
            validateMembers(of: type)
        case .enumeration(let type):
            validate(type.directives, at: .enumeration)
            validateValues(of: type)
        case .inputObject(let type):
            validate(type.directives, at: .inputObject)
            validateFields(of: type)
        }
    }

    // Spec §3.6, §3.7 Type Validation, 1–2.
    private mutating func validateFields(_ fields: [FieldDefinition], of type: String, at place: Place?) {
        if fields.isEmpty { report("Type \(type) must define one or more fields.", at: place) }
        validateUniqueness(
            of: fields, by: { $0.name }, at: { $0.place },
            message: { "Field \"\(type).\($0)\" can only be defined once." })
        for field in fields {
            validateName(field.name, at: field.place)
            validate(field.directives, at: .fieldDefinition)
            if let usage = knownUsage(field.type, at: field.place), !usage.isOutput {
                report(
                    "The type of \(type).\(field.name) must be Output Type but got: \(field.type).", at: field.place)
            }
            validateArguments(field.arguments, of: "\(type).\(field.name)")
        }
    }

    /// - Parameter coordinate: The field or directive, for errors; it is written only if there is one.
    private mutating func validateArguments(
        _ arguments: [InputValueDefinition], of coordinate: @autoclosure () -> String
    ) {
        guard !arguments.isEmpty else { return }
        validateUniqueness(
            of: arguments, by: { $0.name }, at: { $0.place },
            message: { "Argument \"\(coordinate())(\($0):)\" can only be defined once." })
        for argument in arguments {
            validate(
                argument, as: "\(coordinate())(\(argument.name):)", kind: "argument", at: .argumentDefinition)
        }
    }

    /// - Parameter coordinate: The argument or input field, for errors; it is written only if there is one.
    private mutating func validate(
        _ input: InputValueDefinition, as coordinate: @autoclosure () -> String, kind: String,
        at location: DirectiveLocation
    ) {
        validateName(input.name, at: input.place)
        validate(input.directives, at: location)
        guard let usage = knownUsage(input.type, at: input.place) else { return }
        guard usage.isInput else {
            return report("The type of \(coordinate()) must be Input Type but got: \(input.type).", at: input.place)
        }
        if input.type.isNonNull, input.defaultValue == nil,
            let deprecated = input.directives.first(where: { $0.name == "deprecated" })
        {
            report("Required \(kind) \(coordinate()) cannot be deprecated.", at: deprecated.place ?? input.place)
        }
        if let value = input.defaultValue, let problem = problem(with: value, as: input.type) {
            report("The default value of \(coordinate()) is not valid. \(problem)", at: input.place)
        }
    }

    // Spec §3.8 Type Validation.
    private mutating func validateMembers(of union: UnionTypeDefinition) {
        if union.members.isEmpty {
            report("Union type \(union.name) must define one or more member types.", at: union.place)
        }
        validateUniqueness(
            of: union.members, by: \.self, at: { _ in union.place },
            message: { "Union type \(union.name) can only include type \($0) once." })
        for member in union.members {
            switch knownType(.named(member), at: union.place) {
            case .object, nil: break
            default:
                report(
                    "Union type \(union.name) can only include Object types, it cannot include \(member).",
                    at: union.place)
            }
        }
    }

    // Spec §3.9 Type Validation.
    private mutating func validateValues(of type: EnumTypeDefinition) {
        if type.values.isEmpty { report("Enum type \(type.name) must define one or more values.", at: type.place) }
        validateUniqueness(
            of: type.values, by: \.name, at: \.place,
            message: { "Enum value \"\(type.name).\($0)\" can only be defined once." })
        for value in type.values {
            validateName(value.name, at: value.place)
            validate(value.directives, at: .enumValue)
            if ["true", "false", "null"].contains(value.name) {
                report("Enum type \(type.name) cannot include value: \(value.name).", at: value.place)
            }
        }
    }

    // Spec §3.10 Type Validation.
    private mutating func validateFields(of type: InputObjectTypeDefinition) {
        if type.fields.isEmpty {
            report("Input Object type \(type.name) must define one or more fields.", at: type.place)
        }
        validateUniqueness(
            of: type.fields, by: { $0.name }, at: { $0.place },
            message: { "Field \"\(type.name).\($0)\" can only be defined once." })
        for field in type.fields {
            validate(field, as: "\(type.name).\(field.name)", kind: "input field", at: .inputFieldDefinition)
        }
    }

    // Spec §3.13 Type Validation.
    mutating func validate(_ directive: DirectiveDefinition) {
        validateName(directive.name, at: directive.place)
        for location in directive.locations where DirectiveLocation(rawValue: location) == nil {
            report(
                "Unknown directive location \"\(location)\".", at: directive.place,
                hint: SuggestionList.hint(for: location, among: DirectiveLocation.allCases.map(\.rawValue)))
        }
        validateArguments(directive.arguments, of: "@\(directive.name)")
    }

    /// What the named type of a reference may be used for; an unknown one is reported.
    private mutating func knownUsage(_ node: TypeNode, at place: Place?) -> SchemaDefinitions.Usage? {
        let name = node.namedType
        if let usage = definitions.usage(ofTypeNamed: name) { return usage }
        reportUnknown(type: name, at: place)
        return nil
    }

    /// The named type of a reference; an unknown one is reported.
    private mutating func knownType(_ node: TypeNode, at place: Place?) -> TypeDefinition? {
        if let type = definitions.type(named: node.namedType) { return type }
        reportUnknown(type: node.namedType, at: place)
        return nil
    }
}
