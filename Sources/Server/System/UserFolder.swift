#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// Where a user's programs keep what must outlast a project's data.
enum UserFolder {
    /// The folder for such data (XDG Base Directory Specification, `XDG_DATA_HOME`), the same on every system; nil
    /// for a process that has no home.
    static var path: String? { path(dataHome: variable("XDG_DATA_HOME"), home: variable("HOME")) }

    /// "All paths set in these environment variables must be absolute. If an implementation encounters a relative
    /// path … it should consider the path invalid and ignore it."
    static func path(dataHome: String?, home: String?) -> String? {
        if let dataHome, dataHome.hasPrefix("/") { return "\(dataHome)/syncline" }
        guard let home, home.hasPrefix("/") else { return nil }
        return "\(home)/.local/share/syncline"
    }

    private static func variable(_ name: String) -> String? { unsafe getenv(name).map { unsafe String(cString: $0) } }
}
