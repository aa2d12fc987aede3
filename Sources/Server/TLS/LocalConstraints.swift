import SwiftASN1
import X509

/// The host names that a local authority may issue certificates for, as critical name constraints in its own certificate
/// (RFC 5280 §4.2.1.10). Trusting the authority does not extend to any other site, even if its key is stolen.
///
/// Addresses are not constrained. BoringSSL's verifier, which swift-nio, gRPC and Dart use, knows no constraints of
/// addresses: it refuses every certificate with an address if the authority has one (`nc_match_single`,
/// X509_V_ERR_UNSUPPORTED_CONSTRAINT_TYPE), and phones and emulators reach a development machine by its address.
struct LocalConstraints: Sendable, Hashable {
    /// Each with all names below it.
    let domains: [String]

    /// `localhost`, the machine's names, and whatever else a certificate is for now.
    init(permitting names: CertificateNames) {
        domains = Set(["localhost"] + names.hostNames.map(Self.domain)).sorted()
    }

    /// Those of an authority; nil for one without, which an older version made, and for what is no certificate of ours.
    init?(of authority: Certificate) {
        guard let constraints = try? authority.extensions.nameConstraints else { return nil }
        domains = constraints.permittedDNSDomains.map { $0.lowercased() }
    }

    var nameConstraints: NameConstraints { NameConstraints(permittedDNSDomains: domains) }

    /// Whether the authority may issue for a name.
    func permits(_ name: GeneralName) -> Bool {
        guard case .dnsName(let text) = name else { return true }
        let domain = Self.domain(text)
        return domains.contains { domain == $0 || domain.hasSuffix(".\($0)") }
    }

    /// A wildcard stands for names below its domain.
    private static func domain(_ name: String) -> String {
        (name.hasPrefix("*.") ? String(name.dropFirst(2)) : name).lowercased()
    }
}
