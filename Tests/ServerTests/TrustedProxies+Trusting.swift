@testable import Server

extension TrustedProxies {
    /// Those that trust one address.
    static func trusting(_ address: String) -> TrustedProxies {
        var proxies = TrustedProxies()
        guard
            let file = try? ConfigurationFile(name: "test", bytes: Array("{\"trustedProxies\": [\"\(address)\"]}".utf8))
        else { return proxies }
        proxies.read(ConfigurationSection(file.value, at: [], of: file, findings: Findings()))
        return proxies
    }
}
