import Foundation
import Synchronization

/// Threads whose stacks have a known size.
enum TestStack {
    /// The default of most Linux systems, and the default of a secondary thread on macOS.
    static let byteCounts = [8 << 20, 512 << 10]

    /// Runs a test's body on a thread with so many bytes of stack, and waits for it.
    static func run<Value: Sendable>(byteCount: Int, _ body: @escaping @Sendable () throws -> Value) throws -> Value {
        let outcome = Mutex<Result<Value, any Error>?>(nil)
        let done = DispatchSemaphore(value: 0)
        let thread = Thread {
            let result = Result { try body() }
            outcome.withLock { $0 = result }
            done.signal()
        }
        thread.stackSize = byteCount
        thread.start()
        done.wait()
        guard let result = outcome.withLock({ $0 }) else { throw TestFailure("the thread has ended") }
        return try result.get()
    }
}
