import GraphQL

/// The files of a schema as nodes with ranges, and the version of the transformer they are written for.
struct SchemaSyntax {
    let files: [FileSyntax]
    let definitions: [Syntax.Definition]
    /// The definitions and extensions of types, by name; definitions first.
    private let types: [String: [Syntax.Definition]]
    let version: SchemaEditor.Version
    let limits: SchemaEditLimits

    /// Reads files; one with a syntax error is refused, because its nodes cannot be found reliably.
    init(
        _ files: [SchemaFile], version: SchemaEditor.Version?, limits: SchemaEditLimits
    ) throws(EditRefusal) {
        guard !files.isEmpty else { throw EditRefusal(.invalid, "There is no file to edit.") }
        guard files.count <= limits.filesMax else {
            throw EditRefusal(.limit, "The schema has more than \(limits.filesMax) files.")
        }
        guard Set(files.map(\.name)).count == files.count else {
            throw EditRefusal(.invalid, "Two files have the same name.")
        }
        try self.init(files, known: [], version: version, limits: limits)
    }

    /// Reads the files that changed, and keeps the nodes of the others.
    init(
        _ files: [SchemaFile], after previous: SchemaSyntax, version: SchemaEditor.Version?
    ) throws(EditRefusal) {
        try self.init(files, known: previous.files, version: version, limits: previous.limits)
    }

    private init(
        _ schemaFiles: [SchemaFile], known: [FileSyntax], version: SchemaEditor.Version?, limits: SchemaEditLimits
    ) throws(EditRefusal) {
        guard schemaFiles.reduce(0, { $0 + $1.bytes.count }) <= limits.textBytesMax else {
            throw EditRefusal(.limit, "The schema has more than \(limits.textBytesMax) bytes.")
        }
        var files: [FileSyntax] = []
        for (index, file) in schemaFiles.enumerated() {
            if index < known.count, known[index].bytes == file.bytes {
                files.append(known[index])
            } else {
                files.append(try Self.read(file, index: index))
            }
        }
        self.files = files
        self.limits = limits
        definitions = files.flatMap(\.definitions)
        guard definitions.count <= limits.definitionsMax else {
            throw EditRefusal(.limit, "The schema has more than \(limits.definitionsMax) definitions.")
        }
        let types = definitions.filter { $0.kind != .schema && $0.kind != .directive }
        self.types = Dictionary(
            grouping: types.filter { !$0.isExtension } + types.filter(\.isExtension), by: \.name.text)
        self.version = version ?? Self.version(of: definitions)
    }

    private static func read(_ file: SchemaFile, index: Int) throws(EditRefusal) -> FileSyntax {
        let source = Source(file.bytes, name: file.name)
        let parsed = Parser.parseTypeSystem([source])
        if let error = parsed.errors.first {
            throw EditRefusal(
                .syntax, error.message, hint: error.hint, place: place(of: error.offset, in: source))
        }
        for case .executable(let executable) in parsed.document.definitions {
            throw EditRefusal(
                .syntax, "A schema cannot contain operations or fragments.",
                place: executable.map { place(of: $0.offset, in: source) })
        }
        // The parser has accepted the text, so it has tokens and definitions.
        guard let tokens = try? Parser.tokens(of: source),
            let definitions = SyntaxReader.definitions(of: source, file: index, tokens: tokens)
        else { throw EditRefusal(.syntax, "The text of \(file.name) cannot be read.") }
        return FileSyntax(
            name: file.name, index: index, source: source, tokens: tokens, definitions: definitions)
    }

    static func place(of offset: Int, in source: Source) -> EditRefusal.Place {
        let location = source.location(of: offset)
        return EditRefusal.Place(file: source.name, offset: offset, line: location.line, column: location.column)
    }

    func place(_ offset: Int, in file: Int) -> EditRefusal.Place { Self.place(of: offset, in: files[file].source) }

    func place(of found: Found) -> EditRefusal.Place { place(found.member.range.lowerBound, in: found.file) }

    // MARK: - Version

    /// The directives that only one version has (reference: transformer, "Versions and flags").
    static let versionOneDirectives: Set = ["key", "connection", "versioned"]
    static let versionTwoDirectives: Set = [
        "primaryKey", "index", "hasOne", "hasMany", "belongsTo", "manyToMany", "default", "mapsTo", "refersTo",
    ]

    /// The version by the directives, as the transformer decides: without one of either it is 1.
    private static func version(of definitions: [Syntax.Definition]) -> SchemaEditor.Version {
        let isTwo = definitions.contains { definition in
            let names = definition.directives + definition.members.flatMap(\.directives)
            return names.contains { versionTwoDirectives.contains($0.name.text) }
                || definition.kind == .inputObject && definition.name.text == "AMPLIFY"
        }
        return isTwo ? .two : .one
    }

    // MARK: - Finding

    func type(_ name: String) -> Syntax.Definition? {
        types[name]?.first.flatMap { $0.isExtension ? nil : $0 }
    }

    /// The definition of a type, then its extensions.
    func parts(of name: String) -> [Syntax.Definition] { types[name] ?? [] }

    func isModel(_ name: String) -> Bool { parts(of: name).contains(where: \.isModel) }

    /// The type of an edit, which must be there.
    func existingType(_ name: String, _ kinds: Set<Syntax.Kind> = []) throws(EditRefusal) -> Syntax.Definition {
        guard let type = type(name) else {
            throw EditRefusal(.notFound, "The schema has no type \(name).")
        }
        guard kinds.isEmpty || kinds.contains(type.kind) else {
            throw EditRefusal(
                .invalid, "\(name) is \(type.kind.phrase), to which this edit does not apply.",
                place: place(type.name.range.lowerBound, in: type.file))
        }
        return type
    }

    /// A model of an edit, which must be there.
    func existingModel(_ name: String) throws(EditRefusal) -> Syntax.Definition {
        let type = try existingType(name, [.object])
        guard isModel(name) else {
            throw EditRefusal(
                .invalid, "\(name) is no model: it has no @model.",
                place: place(type.name.range.lowerBound, in: type.file))
        }
        return type
    }

    /// A member in the part of a type that has it.
    struct Found {
        let definition: Syntax.Definition
        let member: Syntax.Member
        let index: Int
        var file: Int { definition.file }
        var subject: String { "\(definition.name.text).\(member.name.text)" }
    }

    func members(of type: String) -> [Found] {
        parts(of: type).flatMap { members(in: $0) }
    }

    func members(in part: Syntax.Definition) -> [Found] {
        part.members.enumerated().map { Found(definition: part, member: $0.element, index: $0.offset) }
    }

    func member(_ name: String, of type: String) -> Found? {
        members(of: type).first { $0.member.name.text == name }
    }

    func existingMember(_ name: String, of type: String) throws(EditRefusal) -> Found {
        guard let found = member(name, of: type) else {
            let definition = self.type(type)
            throw EditRefusal(
                .notFound, "\(type) has no \(definition?.kind == .enumeration ? "value" : "field") \(name).",
                place: definition.map { place($0.name.range.lowerBound, in: $0.file) })
        }
        return found
    }

    func directives(_ name: String, of type: String) -> [(definition: Syntax.Definition, directive: Syntax.Directive)] {
        parts(of: type).flatMap { part in part.directives(name).map { (part, $0) } }
    }
}

extension Syntax.Kind {
    /// What it is, with its article.
    var phrase: String {
        switch self {
        case .schema: "a schema definition"
        case .scalar: "a scalar"
        case .object: "an object type"
        case .interface: "an interface"
        case .union: "a union"
        case .enumeration: "an enum"
        case .inputObject: "an input type"
        case .directive: "a directive"
        }
    }
}
