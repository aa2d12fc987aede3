// What values take of memory, for bounds on what is kept: about right for the heap of either platform, never far below.

extension CoercedValue {
    /// About how many bytes of memory the value takes besides the place it stands in.
    public var byteCount: Int {
        switch self {
        case .null, .bool, .int, .double: 0
        case .string(let text), .enumValue(let text): text.heapByteCount
        case .list(let elements):
            elements.reduce(32) { $0 + MemoryLayout<CoercedValue>.stride + $1.byteCount }
        case .object(let fields):
            fields.reduce(32) { $0 + MemoryLayout<CoercedField>.stride + $1.name.heapByteCount + $1.value.byteCount }
        }
    }
}

extension ArgumentTemplate {
    /// About how many bytes of memory the template takes besides the place it stands in.
    public var byteCount: Int {
        let values = constant.map { CoercedValue.object($0.fields).byteCount } ?? 0
        return values + ValueTemplate.byteCount(of: fields)
    }
}

extension ValueTemplate {
    fileprivate var byteCount: Int {
        switch self {
        // The case's box, and what stands in it.
        case .constant(let value): 64 + value.byteCount
        case .variable: 32
        case .list(let elements): elements.reduce(64) { $0 + MemoryLayout<ValueTemplate>.stride + $1.byteCount }
        case .object(let fields): 32 + Self.byteCount(of: fields)
        }
    }

    fileprivate static func byteCount(of fields: [Field]) -> Int {
        guard !fields.isEmpty else { return 0 }
        return fields.reduce(32) { count, field in
            count + MemoryLayout<Field>.stride + field.value.byteCount + (field.defaultValue?.byteCount ?? 0)
                + field.name.heapByteCount + (field.nonNullType?.heapByteCount ?? 0)
        }
    }
}

extension OperationVariables {
    /// About how many bytes of memory the variables take.
    public var byteCount: Int {
        variables.reduce(64) { count, variable in
            // Its place, its place by name, and the type's wrappers.
            count + 192 + 2 * variable.name.heapByteCount + (variable.defaultValue?.byteCount ?? 0)
        }
    }
}

extension String {
    /// Bytes of the heap; text of at most 15 bytes stands in its place.
    public var heapByteCount: Int { utf8.count > 15 ? 32 + utf8.count : 0 }
}
