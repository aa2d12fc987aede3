/// Edits of a schema in place: files and an edit in, text edits out. The entry point of this target.
///
/// An edit touches only the bytes that it must. Comments, order, formatting, and directives that this server does not know
/// stay as they are. An edit that cannot be made exactly is refused, with the reason and the place.
public enum SchemaEditor {
    /// The version of the transformer that a schema is written for.
    public enum Version: Sendable, Hashable {
        case one
        case two
    }

    /// The text edits of one edit.
    /// - Parameter version: The version of the transformer; nil for the one that the schema's directives belong to.
    public static func apply(
        _ edit: Edit, to files: [SchemaFile], version: Version? = nil, limits: SchemaEditLimits = .standard
    ) throws(EditRefusal) -> EditResult {
        try apply([edit], to: files, version: version, limits: limits)
    }

    /// The text edits of a sequence of edits, each of the files after the ones before. However a sequence is divided, the
    /// text is the same.
    public static func apply(
        _ edits: [Edit], to files: [SchemaFile], version: Version? = nil, limits: SchemaEditLimits = .standard
    ) throws(EditRefusal) -> EditResult {
        guard edits.count <= limits.editsMax else {
            throw EditRefusal(.limit, "There are more than \(limits.editsMax) edits.")
        }
        var session = try EditSession(files, version: version, limits: limits)
        for edit in edits {
            try session.begin()
            try session.make(edit)
        }
        return session.result
    }
}
