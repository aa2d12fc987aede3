/// A proxy auto-configuration (PAC) file: the function that a browser or a system calls for each URL, by which exactly these
/// names use the proxy.
///
/// ECMAScript 3, which every PAC engine supports.
public struct ProxyAutoConfiguration: Sendable {
    /// The file.
    public let text: String

    /// - Parameters:
    ///   - names: Host names in lower case.
    ///   - proxy: `HOST:PORT` of the proxy, as clients reach it.
    public init(names: [String], proxy: String) {
        // A host name has no character that would end a string.
        let list = names.sorted().map { "        \"\($0)\": true" }.joined(separator: ",\n")
        text = """
            // The AWS hostnames of this project go to Syncline, through 'syncline proxy'; everything else connects directly.
            function FindProxyForURL(url, host) {
                var names = {
            \(list)
                };
                var isTLS = url.substring(0, 6) == "https:" || url.substring(0, 4) == "wss:";
                var name = host.toLowerCase().replace(/\\.$/, "");
                return isTLS && names.hasOwnProperty(name) ? "PROXY \(proxy)" : "DIRECT";
            }

            """
    }
}
