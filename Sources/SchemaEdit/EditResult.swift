public import JSON

/// What an edit does: its text edits, the edits that undo it, and what a migration must know.
public struct EditResult: Sendable, Hashable {
    /// The edits of the files as they were.
    public var edits: TextEdits
    /// The edits of the files after them that restore each byte.
    public var inverse: TextEdits
    /// Renames that the text does not say: those of version 1 that keep data.
    public var renames: [SchemaRename]
    /// The files after the edits.
    public var files: [SchemaFile]

    /// The result as an answer of the operators' API has it, without the model and its diagnostics.
    public var json: JSONValue {
        [
            "edits": .array(edits.edits.map(\.json)), "inverse": .array(inverse.edits.map(\.json)),
            "renames": .array(renames.map(\.json)),
        ]
    }
}
