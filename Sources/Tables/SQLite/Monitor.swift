#if canImport(Darwin)
internal import Darwin
#elseif canImport(Musl)
internal import Musl
#else
internal import Glibc
#endif

/// State behind a lock, and a way to wait for it to change: pthread's mutex and condition.
///
/// Waiting until a moment goes by the monotonic clock, so that setting the wall clock neither cuts it short nor draws it
/// out.
///
/// Safe to share: the state is touched only between lock and unlock, and the two pthread objects live at fixed
/// addresses from `init` to `deinit`.
@safe package final class Monitor<State>: @unchecked Sendable {
    private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private let condition = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
    private var state: State

    package init(_ state: sending State) {
        self.state = state
        unsafe mutex.initialize(to: pthread_mutex_t())
        unsafe condition.initialize(to: pthread_cond_t())
        unsafe pthread_mutex_init(mutex, nil)
        #if canImport(Darwin)
        pthread_cond_init(condition, nil)
        #else
        var attributes = pthread_condattr_t()
        unsafe pthread_condattr_init(&attributes)
        unsafe pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
        unsafe pthread_cond_init(condition, &attributes)
        unsafe pthread_condattr_destroy(&attributes)
        #endif
    }

    deinit {
        unsafe pthread_cond_destroy(condition)
        unsafe pthread_mutex_destroy(mutex)
        unsafe condition.deallocate()
        unsafe mutex.deallocate()
    }

    /// Changes the state, and wakes those who wait if the body says so.
    package func update(_ body: (inout State) -> Bool) {
        unsafe pthread_mutex_lock(mutex)
        let isWorthWaking = body(&state)
        unsafe pthread_mutex_unlock(mutex)
        if isWorthWaking { unsafe pthread_cond_broadcast(condition) }
    }

    /// Waits until the body has a result.
    package func wait<Result>(_ body: (inout State) -> Result?) -> Result {
        unsafe pthread_mutex_lock(mutex)
        defer { unsafe pthread_mutex_unlock(mutex) }
        while true {
            if let result = body(&state) { return result }
            unsafe pthread_cond_wait(condition, mutex)
        }
    }

    /// Waits until the body has a result or the moment is past; nil then.
    package func wait<Result>(until moment: ContinuousClock.Instant, _ body: (inout State) -> Result?) -> Result? {
        unsafe pthread_mutex_lock(mutex)
        defer { unsafe pthread_mutex_unlock(mutex) }
        while true {
            if let result = body(&state) { return result }
            let left = ContinuousClock.now.duration(to: moment)
            guard left > .zero else { return nil }
            waitForChange(atMost: left)
        }
    }

    private func waitForChange(atMost duration: Duration) {
        // The clocks may differ by the time for which the machine slept; a thread that wakes too early checks again.
        let (seconds, attoseconds) = duration.components
        var time = timespec(tv_sec: Int(clamping: min(seconds, 3_600)), tv_nsec: Int(attoseconds / 1_000_000_000))
        #if canImport(Darwin)
        pthread_cond_timedwait_relative_np(condition, mutex, &time)
        #else
        var now = timespec()
        unsafe clock_gettime(CLOCK_MONOTONIC, &now)
        time.tv_sec += now.tv_sec
        time.tv_nsec += now.tv_nsec
        if time.tv_nsec >= 1_000_000_000 {
            time.tv_sec += 1
            time.tv_nsec -= 1_000_000_000
        }
        unsafe pthread_cond_timedwait(condition, mutex, &time)
        #endif
    }
}
