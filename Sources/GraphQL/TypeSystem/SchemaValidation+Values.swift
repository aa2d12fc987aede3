/// Spec §3.10 and §5.6 for the values that stand in a schema: defaults and arguments of directives.
extension SchemaValidation {
    /// What is wrong with a constant as a value of a type, as a sentence; `nil` where nothing is.
    ///
    /// A type that is unknown or no input type has an error of its own, so its values are not looked at.
    func problem(with value: ConstValue, as type: TypeNode) -> String? {
        switch (type, value) {
        case (.nonNull(let nullable), _):
            return value.isNull ? mismatch(value, type) : problem(with: value, as: nullable)
        case (_, .null): return nil
        case (.list(let element), .list(let values)):
            return values.lazy.compactMap { problem(with: $0, as: element) }.first
        case (.list(let element), _):
            return problem(with: value, as: element)  // Spec §3.11: a single value is a list of one.
        case (.named(let name), _):
            switch definitions.type(named: name) {
            case .scalar:
                return Scalar(name: name)?.coerce(literal: value) == nil && Scalar(name: name) != nil
                    ? mismatch(value, type) : nil
            case .enumeration(let definition):
                guard case .enumValue(let word) = value else { return mismatch(value, type) }
                let names = definition.values.map(\.name)
                guard !names.contains(word) else { return nil }
                let hint = SuggestionList.hint(for: word, among: names).map { " \($0)" } ?? ""
                return "Value \"\(word)\" does not exist in \"\(name)\" enum.\(hint)"
            case .inputObject(let definition): return problem(with: value, as: definition)
            default: return nil
            }
        }
    }

    private func problem(with value: ConstValue, as type: InputObjectTypeDefinition) -> String? {
        guard case .object(let fields) = value else { return mismatch(value, .named(type.name)) }
        var seen: Set<String> = []
        for field in fields {
            guard seen.insert(field.name).inserted else {
                return "There can be only one input field named \"\(field.name)\"."
            }
            guard let expected = type.fields.first(where: { $0.name == field.name }) else {
                let hint = SuggestionList.hint(for: field.name, among: type.fields.map(\.name)).map { " \($0)" } ?? ""
                return "Field \"\(field.name)\" is not defined by type \"\(type.name)\".\(hint)"
            }
            if let problem = problem(with: field.value, as: expected.type) { return problem }
        }
        let missing = type.fields.first { $0.type.isNonNull && $0.defaultValue == nil && !seen.contains($0.name) }
        return missing.map {
            "Field \"\(type.name).\($0.name)\" of required type \"\($0.type)\" was not provided."
        }
    }

    private func mismatch(_ value: ConstValue, _ type: TypeNode) -> String {
        "Expected value of type \"\(type)\", found \(value)."
    }
}

/// Spec §3.10 Circular References: an input object that needs itself can never be written, and a default that holds
/// itself can never be filled in.
extension SchemaValidation {
    private enum Visit { case open, done }

    mutating func validateInputObjectCycles() {
        var types: [String: Visit] = [:]
        var defaults: [String: Visit] = [:]
        for case .inputObject(let type) in definitions.types {
            var path: [String] = []
            visit(type, path: &path, visits: &types)
            for field in type.fields { visitDefault(of: field, in: type.name, visits: &defaults) }
        }
    }

    /// Follows the fields that must not be null, depth first; each type is left once.
    private mutating func visit(
        _ type: InputObjectTypeDefinition, path: inout [String], visits: inout [String: Visit]
    ) {
        guard visits[type.name] == nil else { return }
        visits[type.name] = .open
        for field in type.fields {
            guard case .nonNull(.named(let name)) = field.type,
                case .inputObject(let next) = definitions.type(named: name)
            else { continue }
            path.append("\(type.name).\(field.name)")
            if visits[name] == .open {
                let start = path.firstIndex { $0.hasPrefix("\(name).") } ?? path.startIndex
                let names = path[start...].compactMap { $0.split(separator: ".").last.map(String.init) }
                report(
                    "Cannot reference Input Object \"\(name)\" within itself through a series of non-null fields: "
                        + "\"\(names.joined(separator: "."))\".", at: field.place,
                    hint: "Let one of these fields be null.")
            } else {
                visit(next, path: &path, visits: &visits)
            }
            path.removeLast()
        }
        visits[type.name] = .done
    }

    private mutating func visitDefault(
        of field: InputValueDefinition, in type: String, visits: inout [String: Visit]
    ) {
        guard let value = field.defaultValue,
            case .inputObject(let next) = definitions.type(named: field.type.namedType)
        else { return }
        let coordinate = "\(type).\(field.name)"
        switch visits[coordinate] {
        case .done: return
        case .open:
            visits[coordinate] = .done
            return report("The default value of \(coordinate) contains itself.", at: field.place)
        case nil:
            visits[coordinate] = .open
            visitDefaults(in: value, of: next, visits: &visits)
            visits[coordinate] = .done
        }
    }

    /// The defaults that fill in what an object value leaves out.
    private mutating func visitDefaults(
        in value: ConstValue, of type: InputObjectTypeDefinition, visits: inout [String: Visit]
    ) {
        switch value {
        case .list(let values): for value in values { visitDefaults(in: value, of: type, visits: &visits) }
        case .object:
            for field in type.fields {
                guard let written = value[field.name] else {
                    visitDefault(of: field, in: type.name, visits: &visits)
                    continue
                }
                if case .inputObject(let next) = definitions.type(named: field.type.namedType) {
                    visitDefaults(in: written, of: next, visits: &visits)
                }
            }
        default: break
        }
    }
}
