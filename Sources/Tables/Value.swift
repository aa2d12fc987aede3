import JSON

/// One attribute's value. NULL means an absent attribute: here, and nowhere else, is that decided.
public enum Value: Sendable {
    /// The attribute is absent; setting it removes the attribute.
    case null
    /// A whole number, or a boolean as 0 or 1.
    case integer(Int64)
    /// A finite floating-point number.
    case real(Double)
    /// A string, or the JSON text of a list or nested type.
    case text(String)
}

extension Value: Hashable {
    /// Whether both are the same: text by its bytes, as SQLite compares it.
    public static func == (left: Self, right: Self) -> Bool {
        switch (left, right) {
        case (.null, .null): true
        case (.integer(let left), .integer(let right)): left == right
        case (.real(let left), .real(let right)): left == right
        case (.text(let left), .text(let right)): left.isExactly(right)
        default: false
        }
    }

    /// Hashes the value, as it is compared.
    public func hash(into hasher: inout Hasher) {
        switch self {
        case .null: hasher.combine(0)
        case .integer(let value): hasher.combine(value)
        case .real(let value): hasher.combine(value)
        case .text(let text): text.hashBytes(into: &hasher)
        }
    }
}

extension Value {
    /// The value as a whole number, converted as `Row` says.
    @inlinable
    public var asInteger: Int64 {
        switch self {
        case .null: 0
        case .integer(let value): value
        case .real(let value): Int64(exactly: value.rounded(.towardZero)) ?? (value < 0 ? .min : .max)
        case .text(let value): Int64(value) ?? 0
        }
    }

    /// The value as a floating-point number, converted as `Row` says.
    @inlinable
    public var asReal: Double {
        switch self {
        case .null: 0
        case .integer(let value): Double(value)
        case .real(let value): value
        case .text(let value): Double(value) ?? 0
        }
    }

    /// Calls `body` with the value's UTF-8 bytes, which live no longer than the call.
    @inlinable
    public func withText<R>(_ body: (UnsafeRawBufferPointer) throws -> R) rethrows -> R {
        var text =
            switch self {
            case .null: ""
            case .integer(let value): String(value)
            case .real(let value): String(value)
            case .text(let value): value
            }
        return try text.withUTF8 { try unsafe body(UnsafeRawBufferPointer($0)) }
    }
}
