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
