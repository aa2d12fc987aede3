import Buckets
import HTTP

extension Configuration {
    /// Refuses base hosts of `storage` under which a host of the server itself would be taken for a bucket's: a bucket's host
    /// goes before all routes.
    func checkBaseHosts(_ file: ConfigurationSection) {
        let ownHosts = names(exceptOfBuckets: true).filter { !$0.hasPrefix("*") }
        for (index, base) in storage.baseHosts.enumerated() {
            guard let host = ownHosts.first(where: { $0.hasSuffix(".\(base)") }) else { continue }
            file.reportPath(
                ["storage", "baseHosts", String(index)],
                "Requests to \(host), a host of this server, would be for a bucket, because it is below the base host \(base).",
                hint: "Name a base host that is for buckets only, such as s3.\(base).")
        }
    }

    /// The names under which the server is reached, in lower case, with a wildcard for the hosts of buckets.
    var ownNames: [String] {
        names(exceptOfBuckets: false) + storage.baseHosts.map { "*.\($0)" } + (servedAWSNames?.names ?? [])
    }

    private func names(exceptOfBuckets: Bool) -> [String] {
        let machine = CertificateNames.machine
        var names = address.names + [address.host, "127.0.0.1", machine, "\(machine).local"]
        names += address.listeners.map(\.host)
        // Certificates may name the hosts of buckets, which are the server's own only if no such bucket is configured.
        names += tls.hosts.filter { name in
            !exceptOfBuckets || !storage.buckets.contains { name.lowercased().hasPrefix("\($0.name).") }
        }
        names += userPools.hosts
        return names.map { $0.lowercased() }
    }
}
