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
            // The closure is released before this call ends: the thread is joined.
            do throws(POSIXThread.Failure) {
                return pthread_join(try POSIXThread.start(stackBytes: byteCount, work), nil)
            } catch { return error.code }
        }
        guard code == 0, let outcome else {
            throw StoreError(.busy, "No thread could be started (error \(code)).")
        }
        return try outcome.get()
    }
}
