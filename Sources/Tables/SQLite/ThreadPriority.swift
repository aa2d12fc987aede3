#if canImport(Darwin)
internal import Darwin
#elseif canImport(Musl)
internal import Musl
#else
internal import Glibc
#endif

/// The priority of a thread for the system's scheduler.
package enum ThreadPriority {
    /// Lets all other threads of the process go first where there are fewer cores than threads that want one: a long
    /// read goes on with what the event loops leave, and with a tenth of a core where they leave nothing.
    package static func lower() {
        #if canImport(Darwin)
        pthread_set_qos_class_self_np(QOS_CLASS_UTILITY, 0)
        #elseif os(Linux)
        // Linux, setpriority(2), "C library/kernel differences": the nice value is a thread's own, and 0 the caller. The
        // first zero is PRIO_PROCESS, which C libraries give unlike types.
        setpriority(0, 0, 10)
        #endif
    }
}
