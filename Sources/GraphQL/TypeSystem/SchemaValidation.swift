/// The rules of chapter 3 for a whole schema document, so that its author sees every fault at once.
///
/// Used on a schema as AppSync would have it (`SchemaBuilder`), and by the transformer on the schema that people write,
/// with its own directives as the prelude. Messages are those that GraphQL's reference tools give.
public struct SchemaValidation {
    /// More errors than these are not collected.
    public static let errorsMax = 100

    var errors: [SchemaError] = []
    let definitions: SchemaDefinitions

    /// All faults of a document, in the order of its text.
    ///
    /// - Parameters:
    ///   - document: The definitions to be tested.
    ///   - prelude: Directives, and input types for their arguments, that the document may use without defining them.
    ///     It is trusted.
    ///   - requiresQuery: Whether a schema without a query type is one (what the transformer reads may lack it).
    public static func errors(
        in document: TypeSystemDocument, prelude: TypeSystemDocument = StandardDefinitions.directives,
        requiresQuery: Bool = true
    ) -> [SchemaError] {
        let definitions = SchemaDefinitions(document, prelude: prelude)
        return errors(in: definitions, requiresQuery: requiresQuery)
    }

    static func errors(in definitions: SchemaDefinitions, requiresQuery: Bool) -> [SchemaError] {
        var validation = SchemaValidation(definitions: definitions)
        validation.errors = definitions.errors
        validation.validate(requiresQuery: requiresQuery)
        let ordered = validation.errors.enumerated().sorted { left, right in
            // What has no place (a missing type) comes last; equal places keep the order of the rules.
            let first = left.element.place, second = right.element.place
            return (first?.source ?? .max, first?.offset ?? .max, left.offset)
                < (second?.source ?? .max, second?.offset ?? .max, right.offset)
        }
        return ordered.prefix(errorsMax).map(\.element)
    }

    private init(definitions: SchemaDefinitions) { self.definitions = definitions }

    private mutating func validate(requiresQuery: Bool) {
        validateRootTypes(requiresQuery: requiresQuery)
        for directive in definitions.directives { validate(directive) }
        for type in definitions.types where errors.count < Self.errorsMax {
            validateName(of: type)
            validate(type)
        }
        validateInputObjectCycles()
    }

    mutating func report(_ message: String, at place: Place?, related: [Place?] = [], hint: String? = nil) {
        errors.append(SchemaError(message, at: place, related: related.compactMap { $0 }, hint: hint))
    }

    /// Reports each name that is there already.
    mutating func validateUniqueness<Part>(
        of parts: [Part], by name: (Part) -> String, at place: (Part) -> Place?, message: (String) -> String
    ) {
        guard !Self.areUnique(parts.map(name)) else { return }
        var first: [String: Place?] = [:]
        for part in parts {
            if let known = first[name(part)] {
                report(message(name(part)), at: place(part), related: [known])
            } else {
                first[name(part)] = place(part)
            }
        }
    }

    /// So many names are compared with each other sooner than they are hashed.
    private static let comparedNamesMax = 16

    /// Whether no two names are the same.
    private static func areUnique(_ names: [String]) -> Bool {
        guard names.count <= comparedNamesMax else {
            var seen = Set<String>(minimumCapacity: names.count)
            return names.allSatisfy { seen.insert($0).inserted }
        }
        for position in names.indices {
            for earlier in 0..<position where names[earlier] == names[position] { return false }
        }
        return true
    }

    /// Spec §2.1.9 and §3: a name is of letters, digits and underscores, and those with two underscores belong to introspection.
    /// The parser reads nothing else, but a document may be made of other texts, such as those in arguments of directives.
    mutating func validateName(_ name: String, at place: Place?) {
        guard name.utf8.allSatisfy(Self.isNameContinue) else {
            return report("Names must only contain [_a-zA-Z0-9] but \"\(name)\" does not.", at: place)
        }
        guard let first = name.utf8.first, !(UInt8(ascii: "0")...UInt8(ascii: "9")).contains(first) else {
            return report("Names must start with [_a-zA-Z] but \"\(name)\" does not.", at: place)
        }
        guard name.hasPrefix("__") else { return }
        report("Name \"\(name)\" must not begin with \"__\", which is reserved by GraphQL introspection.", at: place)
    }

    private static func isNameContinue(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"):
            true
        default: false
        }
    }

    private mutating func validateName(of type: TypeDefinition) {
        validateName(type.name, at: type.place)
        guard type.name.hasPrefix("AWS"), Scalar(name: type.name) == nil else { return }
        // AppSync: names that begin with AWS are its own.
        report(
            "Name \"\(type.name)\" must not begin with \"AWS\", which is reserved by AppSync.", at: type.place,
            hint: SuggestionList.hint(for: type.name, among: Scalar.predefined.map(\.name)))
    }

    /// Spec §3.3.1 Root Operation Types.
    private mutating func validateRootTypes(requiresQuery: Bool) {
        if let schema = definitions.schema {
            validate(schema.directives, at: .schema)
            validateUniqueness(
                of: schema.operationTypes, by: \.operation.rawValue, at: \.place,
                message: { "There can be only one \($0) type in schema." })
        }
        var operations: [String: OperationType] = [:]
        for operation in [OperationType.query, .mutation, .subscription] {
            guard let name = definitions.rootTypeName(of: operation) else {
                if operation == .query, requiresQuery {
                    report(
                        "Query root type must be provided.", at: definitions.schema?.place,
                        hint: "Add a type named Query with at least one field.")
                }
                continue
            }
            let named = definitions.schema?.operationTypes.first { $0.operation == operation }?.place
            guard let type = definitions.type(named: name) else {
                reportUnknown(type: name, at: named)
                continue
            }
            if case .object = type {
            } else {
                let word = operation.rawValue.prefix(1).uppercased() + operation.rawValue.dropFirst()
                let provided = operation == .query ? "" : " if provided"
                report(
                    "\(word) root type must be Object type\(provided), it cannot be \(name).", at: named ?? type.place)
            }
            if let other = operations.updateValue(operation, forKey: name) {
                report(
                    "All root types must be different, \"\(name)\" type is used as \(other.rawValue) and "
                        + "\(operation.rawValue) root types.", at: named ?? type.place)
            }
        }
    }

    mutating func reportUnknown(type name: String, at place: Place?) {
        report(
            "Unknown type \"\(name)\".", at: place, hint: SuggestionList.hint(for: name, among: definitions.typeNames))
    }
}
