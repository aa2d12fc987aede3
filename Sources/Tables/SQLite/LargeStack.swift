#if canImport(Darwin)
internal import Darwin
#elseif canImport(Musl)
internal import Musl
#else
internal import Glibc
#endif

/// A stack of a known size, for work that nests deeper than the caller's stack may hold: 512 KiB is the default of a
/// secondary thread on macOS, and 8 MiB on most Linux systems.
public enum LargeStack {
    /// Bytes of the stack; only what is touched takes memory.
    public static let byteCount = 16 << 20

    /// Runs `body` on a thread with such a stack and waits for it. What the caller may touch, `body` may touch: the caller
    /// does nothing meanwhile. It costs some tens of microseconds.
    ///
    /// - Throws: what `body` throws, or `busy` when no thread can be had, and then `body` has not run.
    public static func run<Value>(_ body: () throws(StoreError) -> Value) throws(StoreError) -> Value {
        var outcome: Result<Value, StoreError>?
        let code = withoutActuallyEscaping({
            do throws(StoreError) { outcome = .success(try body()) } catch { outcome = .failure(error) }
        }) { work in
            // The job and its closure end before this call does: the thread is joined.
            let job = Job(work)
            return withExtendedLifetime(job) { start(job) }
        }
        guard code == 0, let outcome else {
            throw StoreError(.busy, "No thread could be started (error \(code)).")
        }
        return try outcome.get()
    }

    private static func start(_ job: Job) -> Int32 {
        var attributes = pthread_attr_t()
        var code = pthread_attr_init(&attributes)
        guard code == 0 else { return code }
        defer { pthread_attr_destroy(&attributes) }
        code = pthread_attr_setstacksize(&attributes, byteCount)
        guard code == 0 else { return code }
        let context = Unmanaged.passUnretained(job).toOpaque()
        #if canImport(Darwin)
        var thread: pthread_t?
        code = pthread_create(
            &thread, &attributes,
            { context in
                Unmanaged<Job>.fromOpaque(context).takeUnretainedValue().run()
                return nil
            }, context)
        guard code == 0, let thread else { return code }
        #else
        var thread = pthread_t()
        code = pthread_create(
            &thread, &attributes,
            { context in
                if let context { Unmanaged<Job>.fromOpaque(context).takeUnretainedValue().run() }
                return nil
            }, context)
        guard code == 0 else { return code }
        #endif
        return pthread_join(thread, nil)
    }

    private final class Job {
        private let body: () -> Void

        init(_ body: @escaping () -> Void) { self.body = body }

        /// Runs the body; what SQLite's allocator kept for the thread goes with it.
        func run() {
            body()
            SQLiteMemory.endThread()
        }
    }
}
