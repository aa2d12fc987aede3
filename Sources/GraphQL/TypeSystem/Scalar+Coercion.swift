public import JSON

// MARK: - Literals

extension Scalar {
    /// A literal as a value of this scalar; `nil` where it is none. Literals are strict: an Int takes no `5.0`.
    ///
    /// Spec §3.5 Input Coercion. AppSync: its own scalars want a string literal, AWSTimestamp an integer.
    public func coerce(literal: ConstValue) -> CoercedValue? {
        switch (self, literal) {
        case (.custom, _): return CoercedValue(constant: literal)
        case (_, .null): return .null
        case (.int, .int(let text)): return Int32(text).map { .int(Int64($0)) }
        case (.bigInt, .int(let text)), (.awsTimestamp, .int(let text)): return Int64(text).map { .int($0) }
        case (.float, .int(let text)), (.float, .float(let text)), (.double, .int(let text)),
            (.double, .float(let text)):
            guard let value = Double(text), value.isFinite else { return nil }
            return .double(value)
        case (.boolean, .boolean(let value)): return .bool(value)
        case (.string, .string(let text)), (.id, .string(let text)): return .string(text)
        case (.id, .int(let text)): return .string(text)
        case (.awsJSON, .string(let text)): return Self.compact(json: text).map { .string($0) }
        case (_, .string(let text)): return unsafe form != nil && accepts(text) ? .string(text) : nil
        default: return nil
        }
    }

    /// Whether a text is one of this scalar's form; every text is where there is no form.
    ///
    /// Memory safety: the bytes are borrowed for the closure only.
    func accepts(_ text: String) -> Bool {
        guard let accepts = unsafe form?.accepts else { return true }
        var text = text
        return text.withUTF8 { unsafe accepts(UnsafeRawBufferPointer($0)) }
    }

    /// JSON text without the blanks between its tokens; `nil` where the text is no JSON. AppSync parses an AWSJSON
    /// before a resolver sees it and prints it again, so the blanks are lost there too.
    static func compact(json text: String) -> String? {
        guard let value = try? JSONReader.read(text) else { return nil }
        return value.description
    }
}

extension CoercedValue {
    /// A constant as it stands, for scalars of a schema's own.
    init(constant: ConstValue) {
        switch constant {
        case .null: self = .null
        case .int(let text), .float(let text): self.init(JSONValue.number(text))
        case .string(let text): self = .string(text)
        case .boolean(let value): self = .bool(value)
        case .enumValue(let name): self = .string(name)
        case .list(let elements): self = .list(elements.map(CoercedValue.init(constant:)))
        case .object(let fields):
            self = .object(fields.map { CoercedField(name: $0.name, value: CoercedValue(constant: $0.value)) })
        }
    }
}

// MARK: - Variables

extension Scalar {
    /// A value of the request's `variables` as one of this scalar. AppSync is lenient here where it is strict with
    /// literals: an Int takes `5.0` and `"5"`, a String any scalar, a Boolean any number.
    public func coerce(variable: JSONValue) throws(ScalarError) -> CoercedValue {
        switch (self, variable) {
        case (.custom, _): return CoercedValue(variable)
        case (.int, .number(let text)), (.int, .string(let text)):
            guard let value = Decimal(text)?.int64, Int32(exactly: value) != nil else { break }
            return .int(value)
        case (.bigInt, .number(let text)), (.bigInt, .string(let text)):
            guard let value = Decimal(text)?.int64 else { break }
            return .int(value)
        case (.float, .number(let text)), (.float, .string(let text)), (.double, .number(let text)),
            (.double, .string(let text)):
            guard Decimal(text) != nil, let value = Double(text), value.isFinite else { break }
            return .double(value)
        case (.boolean, .bool(let value)): return .bool(value)
        // Java's Boolean.parseBoolean: any text but "true" is false.
        case (.boolean, .string(let text)): return .bool(text.lowercased() == "true")
        case (.boolean, .number(let text)):
            guard let value = Decimal(text) else { break }
            return .bool(!value.isZero)
        case (.string, .string(let text)), (.id, .string(let text)): return .string(text)
        case (.string, .bool(let value)): return .string(value ? "true" : "false")
        case (.string, .number(let text)), (.id, .number(let text)):
            if !text.utf8.contains(where: { ".eE".utf8.contains($0) }) { return .string(text) }
            guard self == .string, let value = Double(text), value.isFinite else { break }
            return .string(value.description)
        case (.awsTimestamp, .number(let text)):
            guard let value = Int64(text) else { break }
            return .int(value)
        case (.awsJSON, .string(let text)):
            guard let json = Self.compact(json: text) else { break }
            return .string(json)
        case (_, .string(let text)):
            guard unsafe form != nil, accepts(text) else { break }
            return .string(text)
        default: break
        }
        throw error(for: variable, verb: "parse")
    }

    private func error(for value: JSONValue, verb: String) -> ScalarError {
        let text = value.stringValue ?? value.description
        switch self {
        case .awsTimestamp: return ScalarError(reason: "Unable to \(verb) `\(text)` as a valid timestamp.")
        case .awsJSON: return ScalarError(reason: "Unable to \(verb) \(text) as valid JSON.")
        default:
            if let noun = unsafe form?.noun {
                return ScalarError(reason: "Unable to \(verb) `\(text)` as a valid \(noun).")
            }
            return ScalarError(reason: "Expected type '\(name)' but was '\(value.javaClassName)'.")
        }
    }
}

extension JSONValue {
    /// What Java calls the class of this value after its JSON was read; it is part of AppSync's messages.
    var javaClassName: String {
        switch self {
        case .null: return "null"
        case .bool: return "Boolean"
        case .string: return "String"
        case .array: return "ArrayList"
        case .object: return "LinkedHashMap"
        case .number(let text):
            if text.utf8.contains(where: { ".eE".utf8.contains($0) }) {
                return Double(text)?.isFinite == true ? "Double" : "BigDecimal"
            }
            guard let value = Int64(text) else { return "BigInteger" }
            return Int32(exactly: value) == nil ? "Long" : "Integer"
        }
    }
}

// MARK: - Results

extension Scalar {
    /// Writes a value as this scalar. Spec §3.5 Result Coercion. A value that is none throws, and nothing is written.
    @inlinable public func write(_ value: CoercedValue, into writer: inout JSONWriter) throws(ScalarError) {
        switch (self, value) {
        case (_, .null): writer.writeNull()
        case (.string, .string(let text)), (.id, .string(let text)): writer.writeString(text)
        case (.boolean, .bool(let value)): writer.write(value)
        case (.bigInt, .int(let value)), (.awsTimestamp, .int(let value)): writer.write(value)
        case (.int, .int(let value)) where Int32(exactly: value) != nil: writer.write(value)
        case (.float, .double(let value)) where value.isFinite: writer.write(value)
        case (.double, .double(let value)) where value.isFinite: writer.write(value)
        default: try writeLeniently(value, into: &writer)
        }
    }

    /// The less common ways: a text that has to be tested, a number that comes as another kind of number.
    @usableFromInline
    func writeLeniently(_ value: CoercedValue, into writer: inout JSONWriter) throws(ScalarError) {
        switch (self, value) {
        case (.custom, _): return writer.write(value.json)
        // AppSync passes text that is JSON through and turns anything else into text.
        case (.awsJSON, .string(let text)):
            return writer.writeString(Self.compact(json: text) ?? JSONValue.string(text).description)
        case (.awsJSON, _): return writer.writeString(value.json.description)
        case (_, .string(let text)) where unsafe form != nil:
            guard accepts(text) else { throw error(for: .string(text), verb: "serialize") }
            return writer.writeString(text)
        default: break
        }
        let json = value.json
        let coerced: CoercedValue
        do throws(ScalarError) { coerced = try coerce(variable: json) } catch {
            throw self.error(for: json, verb: "serialize")
        }
        switch coerced {
        case .int(let value): writer.write(value)
        case .double(let value): writer.write(value)
        case .bool(let value): writer.write(value)
        case .string(let text): writer.writeString(text)
        default: preconditionFailure("a scalar with a form of its own coerces to a leaf")
        }
    }
}
