#if canImport(Glibc)
internal import Glibc
#else
internal import Darwin
#endif

/// The environment of the process.
public enum Environment {
    /// The value of a variable; nil where it is not set.
    public static func value(_ name: String) -> String? { unsafe getenv(name).map { unsafe String(cString: $0) } }
}
