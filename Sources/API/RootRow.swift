import Tables

/// The parent of root fields: it has no columns.
struct RootRow: ParentRow {
    func isNull(_ position: Int) -> Bool { true }
    func integer(_ position: Int) -> Int64 { 0 }
    func real(_ position: Int) -> Double { 0 }
    func withText<R>(_ position: Int, _ body: (UnsafeRawBufferPointer) throws -> R) rethrows -> R {
        try unsafe body(UnsafeRawBufferPointer(start: nil, count: 0))
    }
    func value(_ position: Int) -> Value { .null }
    func operand(_ position: Int) -> Operand { .value(.null) }
}
