/// One attribute of a row. A number read as another type is converted as `Row` converts it.
public protocol ItemCell {
    /// Whether the attribute is absent.
    var isNull: Bool { get }
    /// The attribute as a whole number; 0 if it is absent.
    var integer: Int64 { get }
    /// The attribute as a floating-point number; 0 if it is absent.
    var real: Double { get }
    /// Calls `body` with the attribute's UTF-8 bytes, which live no longer than the call; false, and no call, if it is
    /// absent.
    func withText(_ body: (UnsafeRawBufferPointer) -> Void) -> Bool
}

extension Cursor.Cell: ItemCell {}
