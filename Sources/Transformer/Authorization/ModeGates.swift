import GraphQL
public import JSON

/// The gates of a schema. A field has its own, or else that of its type, or else the default mode's.
public struct ModeGates: Sendable, Hashable {
    /// What passes where nothing is said: the default mode, or nothing (AppSync: `defaultAction: DENY`).
    private let otherwise: ModeGate
    private var types: [String: ModeGate] = [:]
    private var fields: [FieldName: ModeGate] = [:]

    /// Gates that let callers of every mode pass.
    public static let open = ModeGates(otherwise: ModeGate(modes: Set(TransformOptions.AuthMode.allCases)))

    private init(otherwise: ModeGate) { self.otherwise = otherwise }

    /// Gates as the directives of a schema's object types define them.
    init(of types: [TypeDefinition], modes: [TransformOptions.AuthMode], deniesByDefault: Bool = false) {
        otherwise = ModeGate(modes: deniesByDefault ? [] : [modes.first ?? .apiKey])
        // `@aws_auth` is of the time when an API had one mode.
        let readsOldDirective = modes == [.userPools]
        for case .object(let type) in types {
            if let gate = ModeGate(type.directives, readsOldDirective: readsOldDirective) {
                self.types[type.name] = gate
            }
            for field in type.fields {
                guard let gate = ModeGate(field.directives, readsOldDirective: readsOldDirective) else { continue }
                fields[FieldName(type: type.name, field: field.name)] = gate
            }
        }
    }

    /// Whether nothing is said anywhere, so that callers of the default mode reach everything.
    public var isEmpty: Bool { types.isEmpty && fields.isEmpty && !otherwise.modes.isEmpty }

    /// Whether callers of the default mode reach only what names their mode.
    var deniesByDefault: Bool { otherwise.modes.isEmpty }

    /// The lists of groups of which a user must have one somewhere, each once.
    public var groupLists: [[ExactText]] {
        let lists = Set((Array(types.values) + Array(fields.values)).compactMap(\.exactGroups))
        return lists.sorted { $0.lexicographicallyPrecedes($1) }
    }

    /// The gate of a field of an object type.
    public func gate(type: String, field: String) -> ModeGate {
        fields[FieldName(type: type, field: field)] ?? types[type] ?? otherwise
    }
}
