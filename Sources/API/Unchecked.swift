/// Carries a value to work that runs on the value's own loop.
///
/// Proof: only the loop uses the value; other threads retain and release the box, and may run its `deinit`. Each use wraps a
/// value of a loop and reads it in work of that loop's executor.
struct Unchecked<Value>: @unchecked Sendable {
    let value: Value
    init(_ value: Value) { self.value = value }
}
