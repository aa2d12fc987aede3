/// What a field that leads to another model means.
struct FieldConnection {
    /// The kinds, as model introspection names them.
    enum Kind: String {
        case hasOne = "HAS_ONE"
        case hasMany = "HAS_MANY"
        case belongsTo = "BELONGS_TO"
    }

    let kind: Kind
    /// The model that it leads to.
    let model: String
    /// The fields of that model by which the other side is found: those of introspection; empty in version 1.
    var associatedFields: [String] = []
    /// The field of that model which Swift names; nil for `belongsTo`.
    var associatedField: String?
    /// The fields of this model that hold the key of the other; empty in version 1, nil where `references` says it.
    var targetNames: [String]? = []
    /// The first of them, in both versions.
    var targetName: String?
    /// Whether the directive has `references`.
    var usesReferences = false
}
