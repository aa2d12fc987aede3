/// Carries a value to work that runs on the value's own loop.
///
/// Proof: `LoopContext.executor` runs its work on the one loop that uses the context, so the value is never touched
/// from two threads.
struct Unchecked<Value>: @unchecked Sendable {
    let value: Value
    init(_ value: Value) { self.value = value }
}
