#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// The browser of the user who runs this process.
public enum WebBrowser {
    /// How long the program that opens it may take, in seconds.
    private static let secondsMax = 10

    /// Opens a URL; false if there is no browser, as on a server.
    public static func open(_ url: String) -> Bool {
        #if os(macOS)
        let command = ["open", url]
        #else
        guard unsafe getenv("DISPLAY") != nil || getenv("WAYLAND_DISPLAY") != nil else { return false }
        let command = ["xdg-open", url]
        #endif
        return (try? Subprocess.run(command, input: [], seconds: secondsMax).code) == 0
    }
}
