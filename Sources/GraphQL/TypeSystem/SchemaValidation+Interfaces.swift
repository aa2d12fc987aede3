/// Spec §3.6.1 IsValidImplementation: an object or interface keeps what its interfaces promise.
extension SchemaValidation {
    /// What objects and interfaces have in common.
    struct Implementation {
        var name: String
        var interfaces: [String]
        var fields: [FieldDefinition]
        var place: Place?
        var isInterface: Bool

        init(_ type: ObjectTypeDefinition, isInterface: Bool) {
            (name, interfaces, fields, place) = (type.name, type.interfaces, type.fields, type.place)
            self.isInterface = isInterface
        }

        init(_ type: InterfaceTypeDefinition, isInterface: Bool) {
            (name, interfaces, fields, place) = (type.name, type.interfaces, type.fields, type.place)
            self.isInterface = isInterface
        }
    }

    mutating func validateInterfaces(of type: Implementation) {
        var seen: Set<String> = []
        for name in type.interfaces {
            guard let known = definitions.type(named: name) else {
                reportUnknown(type: name, at: type.place)
                continue
            }
            guard case .interface(let interface) = known else {
                report(
                    "Type \(type.name) must only implement Interface types, it cannot implement \(name).",
                    at: type.place)
                continue
            }
            guard name != type.name else {
                report(
                    "Type \(name) cannot implement itself because it would create a circular reference.",
                    at: type.place)
                continue
            }
            guard seen.insert(name).inserted else {
                report("Type \(type.name) can only implement \(name) once.", at: type.place)
                continue
            }
            validateAncestors(of: interface, for: type)
            validate(type, implements: interface)
        }
    }

    private mutating func validateAncestors(of interface: InterfaceTypeDefinition, for type: Implementation) {
        for ancestor in interface.interfaces where !type.interfaces.contains(ancestor) {
            let message =
                ancestor == type.name
                ? "Type \(type.name) cannot implement \(interface.name) because it would create a circular reference."
                : "Type \(type.name) must implement \(ancestor) because it is implemented by \(interface.name)."
            report(message, at: type.place, related: [interface.place])
        }
    }

    private mutating func validate(_ type: Implementation, implements interface: InterfaceTypeDefinition) {
        let fields = Dictionary(type.fields.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
        for promised in interface.fields {
            let promise = "\(interface.name).\(promised.name)"
            guard let field = fields[promised.name] else {
                report(
                    "Interface field \(promise) expected but \(type.name) does not provide it.", at: type.place,
                    related: [promised.place])
                continue
            }
            let coordinate = "\(type.name).\(field.name)"
            if !isSubtype(field.type, of: promised.type) {
                report(
                    "Interface field \(promise) expects type \(promised.type) but \(coordinate) is type \(field.type).",
                    at: field.place, related: [promised.place])
            }
            validateArguments(of: field, as: coordinate, keep: promised, as: promise)
        }
    }

    private mutating func validateArguments(
        of field: FieldDefinition, as coordinate: String, keep promised: FieldDefinition, as promise: String
    ) {
        for argument in promised.arguments {
            guard let own = field.arguments.first(where: { $0.name == argument.name }) else {
                report(
                    "Interface field argument \(promise)(\(argument.name):) expected but \(coordinate) does not "
                        + "provide it.", at: field.place, related: [argument.place])
                continue
            }
            // "include an argument of the same name … must accept the same type (invariant)".
            if own.type != argument.type {
                report(
                    "Interface field argument \(promise)(\(argument.name):) expects type \(argument.type) but "
                        + "\(coordinate)(\(argument.name):) is type \(own.type).", at: own.place,
                    related: [argument.place])
            }
        }
        for argument in field.arguments where argument.type.isNonNull && argument.defaultValue == nil {
            guard !promised.arguments.contains(where: { $0.name == argument.name }) else { continue }
            report(
                "Object field \(coordinate) includes required argument \(argument.name) that is missing from the "
                    + "Interface field \(promise).", at: argument.place, related: [promised.place])
        }
    }

    /// IsValidImplementationFieldType: covariant in null, in list elements, and in abstract types.
    private func isSubtype(_ type: TypeNode, of promised: TypeNode) -> Bool {
        switch (type, promised) {
        case (.nonNull(let type), .nonNull(let promised)): isSubtype(type, of: promised)
        case (.nonNull(let type), _): isSubtype(type, of: promised)
        case (.list(let element), .list(let promised)): isSubtype(element, of: promised)
        case (.named(let name), .named(let promised)): name == promised || isPossible(name, of: promised)
        default: false
        }
    }

    private func isPossible(_ name: String, of abstract: String) -> Bool {
        if case .union(let union) = definitions.type(named: abstract) { return union.members.contains(name) }
        switch definitions.type(named: name) {
        case .object(let type): return type.interfaces.contains(abstract)
        case .interface(let type): return type.interfaces.contains(abstract)
        default: return false
        }
    }
}
