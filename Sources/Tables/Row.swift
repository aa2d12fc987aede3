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
