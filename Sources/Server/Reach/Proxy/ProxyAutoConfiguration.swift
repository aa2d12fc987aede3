/// A proxy auto-configuration file: the function that a browser or a system calls for each URL, and which says that exactly
/// these names go through the proxy.
///
/// JavaScript as its earliest engines know it.
public struct ProxyAutoConfiguration: Sendable {
    /// The file.
    public let text: String

    /// - Parameters:
    ///   - names: Host names in lower case.
    ///   - proxy: `HOST:PORT` of the proxy, as clients reach it.
    public init(names: [String], proxy: String) {
        // A host name has no character that would end a string.
        let list = names.sorted().map { "    \"\($0)\": true" }.joined(separator: ",\n")
        text = """
            // The AWS names of this project go to Syncline, by 'syncline proxy'; all else goes its usual way.
            var names = {
            \(list)
            };

            function FindProxyForURL(url, host) {
                var isTLS = url.substring(0, 6) == "https:" || url.substring(0, 4) == "wss:";
                var name = host.toLowerCase().replace(/\\.$/, "");
                return isTLS && names.hasOwnProperty(name) ? "PROXY \(proxy)" : "DIRECT";
            }

            """
    }
}
