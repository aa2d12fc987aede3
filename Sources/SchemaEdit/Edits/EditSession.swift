/// An edit in the making: steps that each change a text that parses into one that parses.
struct EditSession {
    let limits: SchemaEditLimits
    private(set) var syntax: SchemaSyntax
    private let requestedVersion: SchemaEditor.Version?
    private let original: [SchemaFile]
    private var files: [SchemaFile]
    private var edits = TextEdits()
    private var renames: [SchemaRename] = []
    private var readBytes = 0

    init(
        _ files: [SchemaFile], version: SchemaEditor.Version?, limits: SchemaEditLimits
    ) throws(EditRefusal) {
        self.limits = limits
        requestedVersion = version
        original = files
        self.files = files
        syntax = try SchemaSyntax(files, version: version, limits: limits)
    }

    var version: SchemaEditor.Version { syntax.version }

    /// Begins an edit: earlier ones may have changed the version of the schema.
    mutating func begin() throws(EditRefusal) {
        syntax = try SchemaSyntax(files, after: syntax, version: requestedVersion)
    }

    /// Changes the text.
    mutating func step(
        _ body: (SchemaSyntax, inout Changes) throws(EditRefusal) -> Void
    ) throws(EditRefusal) {
        var changes = Changes()
        try body(syntax, &changes)
        guard let step = changes.edits(of: syntax.files), let changed = step.applied(to: files) else {
            throw EditRefusal(.notExact, "The parts that the edit changes overlap in the text.")
        }
        guard !step.isEmpty else { return }
        readBytes += zip(files, changed).reduce(0) { $0 + ($1.0.bytes == $1.1.bytes ? 0 : $1.1.bytes.count) }
        guard readBytes <= limits.readBytesMax else {
            throw EditRefusal(.limit, "The edits take too many steps for a schema of this size.")
        }
        do throws(EditRefusal) {
            syntax = try SchemaSyntax(changed, after: syntax, version: syntax.version)
        } catch {
            guard error.code == .syntax else { throw error }
            // A place in the changed text would mislead.
            throw EditRefusal(.notExact, "The edit would leave a text that is not a schema: \(error.message)")
        }
        edits = edits.followed(by: step)
        files = changed
    }

    mutating func add(_ rename: SchemaRename) { renames.append(rename) }

    var result: EditResult {
        EditResult(edits: edits, inverse: edits.inverse(for: original), renames: renames, files: files)
    }
}
