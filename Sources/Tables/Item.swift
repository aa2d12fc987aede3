internal import JSON

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

/// A row by position; positions are those of the fetch's or write's columns.
///
/// Three things are rows: a `Cursor`, whose row lives in SQLite's memory until the next step, a `BatchCursor`, whose rows
/// were fetched before, and an `Item`, which is kept. Code that completes values is written once over both. A number read as another type is converted the way
/// SQLite converts it; an absent attribute reads as 0 or as empty text.
public protocol Row {
    /// Whether the attribute is absent.
    func isNull(_ position: Int) -> Bool
    /// The attribute as a whole number.
    func integer(_ position: Int) -> Int64
    /// The attribute as a floating-point number.
    func real(_ position: Int) -> Double
    /// Calls `body` with the attribute's UTF-8 bytes, which live no longer than the call.
    func withText<R>(_ position: Int, _ body: (UnsafeRawBufferPointer) throws -> R) rethrows -> R
    /// The attribute, copied.
    func value(_ position: Int) -> Value
}

/// A row that is kept: what a write returns and what an event carries.
public struct Item: Row, Sendable, Hashable {
    /// The values by position.
    public var values: [Value]

    /// Makes an item of its values.
    @inlinable
    public init(values: [Value]) {
        self.values = values
    }

    /// Copies the first `count` values of another row.
    @inlinable
    public init(copying row: some Row, count: Int) {
        values = (0..<count).map { row.value($0) }
    }

    /// Whether the attribute is absent.
    @inlinable
    public func isNull(_ position: Int) -> Bool {
        if case .null = values[position] { true } else { false }
    }

    /// The attribute as a whole number.
    @inlinable
    public func integer(_ position: Int) -> Int64 { values[position].asInteger }

    /// The attribute as a floating-point number.
    @inlinable
    public func real(_ position: Int) -> Double { values[position].asReal }

    /// Calls `body` with the attribute's UTF-8 bytes, which live no longer than the call.
    @inlinable
    public func withText<R>(_ position: Int, _ body: (UnsafeRawBufferPointer) throws -> R) rethrows -> R {
        try unsafe values[position].withText(body)
    }

    /// The attribute, copied.
    @inlinable
    public func value(_ position: Int) -> Value {
        values[position]
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
