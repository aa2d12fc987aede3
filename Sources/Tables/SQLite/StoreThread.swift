internal import Synchronization

#if canImport(Darwin)
internal import Darwin
#elseif canImport(Musl)
internal import Musl
#else
internal import Glibc
#endif

/// A thread of the store: the writer's, the checkpointer's. The server's log has one, too.
///
/// `pthread_t` is a number or an opaque pointer that every thread may use; it is joined at most once, which the mutex
/// around it sees to.
package final class StoreThread: @unchecked Sendable {
    private let thread: Mutex<pthread_t?>

    /// Starts the thread.
    package init(_ body: @escaping @Sendable () -> Void) throws(StoreError) {
        do throws(POSIXThread.Failure) {
            thread = Mutex(try POSIXThread.start(body))
        } catch {
            throw StoreError(.other, "No thread could be started (error \(error.code)).")
        }
    }

    deinit {
        // It is not joined; the thread frees itself when it ends.
        if let thread = thread.withLock({ $0 }) { pthread_detach(thread) }
    }

    /// Waits for the thread's end; at once when it has been waited for, or when called on the thread itself.
    func join() {
        let taken = thread.withLock { thread in
            defer { thread = nil }
            return thread
        }
        guard let taken else { return }
        if pthread_equal(taken, pthread_self()) != 0 {
            pthread_detach(taken)
        } else {
            pthread_join(taken, nil)
        }
    }
}
