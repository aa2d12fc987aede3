public import JSON

/// The body of `POST /schema/edit`: the files as the caller has them, and one edit or a sequence.
public struct EditRequest: Sendable, Hashable {
    /// The files, in their order.
    public var files: [SchemaFile]
    /// The edits, each of the files after the ones before.
    public var edits: [Edit]

    /// A request by its parts.
    public init(files: [SchemaFile], edits: [Edit]) {
        self.files = files
        self.edits = edits
    }

    /// Reads the text of a request.
    public init(bytes: [UInt8], limits: SchemaEditLimits = .standard) throws(EditRefusal) {
        let json: JSONValue
        do {
            json = try JSONReader.read(bytes, depthMax: limits.jsonDepthMax)
        } catch {
            throw EditRefusal(.invalid, "The request is not JSON: \(error.message)")
        }
        try self.init(json: json, limits: limits)
    }

    /// Reads `{"files": {"schema.graphql": "…"}, "edit": {…}}`, or `edits` with a list. Other members are refused.
    public init(json: JSONValue, limits: SchemaEditLimits = .standard) throws(EditRefusal) {
        var reader = try EditReader(json, "request", limits: limits)
        guard let texts = try reader.required("files").objectValue else {
            throw EditRefusal(.invalid, "'files' of 'request' is not an object.")
        }
        guard texts.count <= limits.filesMax else {
            throw EditRefusal(.limit, "The schema has more than \(limits.filesMax) files.")
        }
        files = []
        for (name, value) in texts {
            guard let text = value.stringValue else {
                throw EditRefusal(.invalid, "'\(name.prefix(limits.nameBytesMax))' of 'files' is not a string.")
            }
            files.append(SchemaFile(name: name, text: text))
        }
        edits = []
        if let list = reader.value("edits") {
            guard !reader.has("edit") else {
                throw EditRefusal(.invalid, "'request' has 'edit' or 'edits', not both.")
            }
            guard let elements = list.arrayValue else {
                throw EditRefusal(.invalid, "'edits' of 'request' is not a list.")
            }
            guard elements.count <= limits.editsMax else {
                throw EditRefusal(.limit, "'edits' of 'request' has more than \(limits.editsMax) edits.")
            }
            for element in elements { edits.append(try Edit(json: element, limits: limits)) }
        } else {
            edits = [try Edit(json: try reader.required("edit"), limits: limits)]
        }
        try reader.finish()
    }

    /// The text edits of the request.
    /// - Parameter version: The version of the transformer; nil for the one that the schema's directives belong to.
    public func result(
        version: SchemaEditor.Version? = nil, limits: SchemaEditLimits = .standard
    ) throws(EditRefusal) -> EditResult {
        try SchemaEditor.apply(edits, to: files, version: version, limits: limits)
    }
}
