public import JSON

/// Why an edit is refused, and where the cause stands.
public struct EditRefusal: Error, Sendable, Hashable {
    /// The kind of a refusal; stable, for programs.
    public enum Code: String, Sendable, Hashable, CaseIterable {
        /// The edit is malformed: an unknown kind or member, a value of the wrong type, an invalid name.
        case invalid
        /// What the edit is about is not in the schema.
        case notFound = "not_found"
        /// What the edit adds is there already.
        case exists
        /// Other parts of the schema refer to what the edit removes or renames; `references` lists them.
        case referenced
        /// The edit cannot be made without a change of something that it does not name.
        case notExact = "not_exact"
        /// The schema has a syntax error.
        case syntax
        /// Another change of the text contradicts the edit.
        case conflict
        /// A bound of `SchemaEditLimits` is exceeded.
        case limit
    }

    /// A place in a file.
    public struct Place: Sendable, Hashable {
        /// The name of the file.
        public var file: String
        /// The byte, from 0.
        public var offset: Int
        /// The line, from 1.
        public var line: Int
        /// The column, from 1, in UTF-16 code units.
        public var column: Int
    }

    /// A part of the schema that refers to another.
    public struct Reference: Sendable, Hashable {
        /// What it is, as an author calls it: `Booking.room`, `union Search`.
        public var subject: String
        /// Where it stands.
        public var place: Place
    }

    /// The kind.
    public var code: Code
    /// The reason, as one sentence.
    public var message: String
    /// What to do about it, if known.
    public var hint: String?
    /// Where the cause stands; nil where the edit itself is the cause.
    public var place: Place?
    /// What refers to the subject of the edit.
    public var references: [Reference] = []

    /// A refusal by its parts.
    public init(
        _ code: Code, _ message: String, hint: String? = nil, place: Place? = nil, references: [Reference] = []
    ) {
        self.code = code
        self.message = message
        self.hint = hint
        self.place = place
        self.references = references
    }

    /// The refusal as an answer of the operators' API has it.
    public var json: JSONValue {
        var object: JSONObject = ["code": .string(code.rawValue), "message": .string(message)]
        if let hint { object["hint"] = .string(hint) }
        if let place { object["place"] = place.json }
        if !references.isEmpty {
            object["references"] = .array(
                references.map { ["subject": .string($0.subject), "place": $0.place.json] })
        }
        return .object(object)
    }
}

extension EditRefusal.Place {
    /// The place as an answer of the operators' API has it.
    public var json: JSONValue {
        [
            "file": .string(file), "offset": .number(String(offset)), "line": .number(String(line)),
            "column": .number(String(column)),
        ]
    }
}
