/// A type with `@model` as its author declared it.
public struct ModelDeclaration: Sendable, Hashable {
    /// The names of the arguments of `@versioned` (version 1).
    public struct Versioned: Sendable, Hashable {
        /// The field that holds the version.
        public var versionField: String
        /// The input field that names the expected version.
        public var versionInput: String

        /// The names of field and input.
        public init(versionField: String = "version", versionInput: String = "expectedVersion") {
            self.versionField = versionField
            self.versionInput = versionInput
        }
    }

    /// The type's name.
    public var name: String
    /// The fields in their declared order.
    public var fields: [FieldDeclaration]
    /// The operations that are generated.
    public var operations: ModelOperations
    /// The fields that are filled with the present moment.
    public var timestamps: ModelTimestamps
    /// All keys, the primary one included, in the order in which they are written: in version 2 the primary keys first.
    public var keys: [KeyDeclaration]
    /// The rules of the type's `@auth`.
    public var rules: [AuthorizationRule]
    /// Whether items carry a version that updates must name (`@versioned`).
    public var versioned: Versioned?
    /// The names that the table is stored by, of which there may be one: the type's former name (`@mapsTo`), or that of
    /// the table (`@refersTo`).
    public var storedNames: [StoredNameDeclaration]
    var place = DeclarationPlace()
    /// Where `@model` stands.
    var directivePlace = DeclarationPlace()

    /// A model by its parts.
    public init(
        name: String, fields: [FieldDeclaration], operations: ModelOperations, timestamps: ModelTimestamps,
        keys: [KeyDeclaration] = [], rules: [AuthorizationRule] = [], versioned: Versioned? = nil,
        storedNames: [StoredNameDeclaration] = []
    ) {
        self.name = name
        self.fields = fields
        self.operations = operations
        self.timestamps = timestamps
        self.keys = keys
        self.rules = rules
        self.versioned = versioned
        self.storedNames = storedNames
    }

    /// The name of the type before it was renamed (`@mapsTo`), else its name.
    public var originalName: String { storedNames.first { $0.directive == "mapsTo" }?.name ?? name }

    /// The primary key; nil where it is the `id`.
    public var primaryKey: KeyDeclaration? { keys.first { $0.name == nil } }

    /// The secondary indexes in the order in which they are written.
    public var indexes: [KeyDeclaration] { keys.filter { $0.name != nil } }

    /// The field of this name.
    public func field(named name: String) -> FieldDeclaration? { fields.first { $0.name == name } }
}
