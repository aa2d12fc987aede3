#if canImport(Darwin)
internal import Darwin
#elseif canImport(Musl)
internal import Musl
#else
internal import Glibc
#endif

/// Starts threads of the system, for `StoreThread` and `LargeStack`.
enum POSIXThread {
    /// The system's error code.
    struct Failure: Error {
        let code: Int32
    }

    /// Runs a closure on a new thread, which releases it before it ends. The caller joins or detaches the thread.
    ///
    /// The closure need not be Sendable: the caller proves that no other thread uses what it captures meanwhile.
    ///
    /// - Parameter stackBytes: The size of the stack; nil for the system's default.
    static func start(stackBytes: Int? = nil, _ body: @escaping () -> Void) throws(Failure) -> pthread_t {
        var attributes = pthread_attr_t()
        try unsafe check(pthread_attr_init(&attributes))
        defer { unsafe pthread_attr_destroy(&attributes) }
        if let stackBytes { try unsafe check(pthread_attr_setstacksize(&attributes, stackBytes)) }
        // The new thread takes the job over, and releases it.
        let job = unsafe Unmanaged.passRetained(Job(body))
        #if canImport(Darwin)
        var thread: pthread_t?
        let code = pthread_create(
            &thread, &attributes,
            { context in
                Unmanaged<Job>.fromOpaque(context).takeRetainedValue().run()
                return nil
            }, job.toOpaque())
        #else
        var thread = pthread_t()
        let code = unsafe pthread_create(
            &thread, &attributes,
            { context in
                if let context = unsafe context { unsafe Unmanaged<Job>.fromOpaque(context).takeRetainedValue().run() }
                return nil
            }, unsafe job.toOpaque())
        #endif
        guard code == 0 else {
            unsafe job.release()
            throw Failure(code: code)
        }
        #if canImport(Darwin)
        guard let thread else { preconditionFailure("pthread_create sets the thread when it succeeds") }
        #endif
        return thread
    }

    private static func check(_ code: Int32) throws(Failure) {
        guard code == 0 else { throw Failure(code: code) }
    }

    private final class Job {
        private let body: () -> Void

        init(_ body: @escaping () -> Void) { self.body = body }

        /// Runs the body; what SQLite's allocator kept for the thread is released with it.
        func run() {
            body()
            SQLiteMemory.endThread()
        }
    }
}
