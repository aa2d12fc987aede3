/// The base hosts of virtual-hosted-style requests, which name the bucket in the host: `BUCKET.BASE`.
public struct BaseHosts: Sendable {
    /// A dot and a base host, in lower case.
    private let suffixes: [String]

    /// - Parameter names: The base hosts, without ports.
    public init(_ names: [String] = []) { suffixes = names.map { ".\($0.asciiLowercased)" } }

    /// Whether there is none.
    public var isEmpty: Bool { suffixes.isEmpty }

    /// The bucket in a host name, which is not necessarily the name of an existing one; nil if the host is not below a base host.
    ///
    /// - Parameter host: The value of `Host`, with or without a port.
    public func bucket(of host: String) -> String? {
        guard !suffixes.isEmpty else { return nil }
        var name = host.asciiLowercased
        // The address in `[::1]:80` has colons of its own.
        if let colon = name.utf8.lastIndex(of: UInt8(ascii: ":")), !name.hasSuffix("]") {
            name = String(name[..<colon])
        }
        for suffix in suffixes where name.hasByteSuffix(suffix) && name.utf8.count > suffix.utf8.count {
            return String(decoding: name.utf8.dropLast(suffix.utf8.count), as: UTF8.self)
        }
        return nil
    }
}
