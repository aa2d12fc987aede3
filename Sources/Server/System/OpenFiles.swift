#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// The descriptors that the process may have open: one for each connection, and some.
enum OpenFiles {
    /// How many the process may have now; nil when that is not known or not bounded.
    static var limit: Int? {
        var limit = rlimit()
        #if canImport(Glibc)
        let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
        #else
        let resource = RLIMIT_NOFILE
        #endif
        return unsafe getrlimit(resource, &limit) == 0 ? Int(exactly: limit.rlim_cur) : nil
    }

    /// Raises the bound to what the system lets the process have. Shells give a thousand by default, for the sake of
    /// programs that use select(2); ours does not.
    static func raiseLimit() {
        var limit = rlimit()
        #if canImport(Glibc)
        let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
        guard unsafe getrlimit(resource, &limit) == 0 else { return }
        limit.rlim_cur = limit.rlim_max
        #else
        let resource = RLIMIT_NOFILE
        guard getrlimit(resource, &limit) == 0 else { return }
        // setrlimit(2) of macOS refuses more than this.
        limit.rlim_cur = min(rlim_t(OPEN_MAX), limit.rlim_max)
        #endif
        _ = unsafe setrlimit(resource, &limit)
    }
}
