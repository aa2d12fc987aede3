import SwiftASN1
import X509

/// The host names that an authority may issue certificates for, as critical name constraints in its own certificate
/// (RFC 5280 §4.2.1.10). Trusting the authority does not extend to any other site, even if its key is stolen.
///
/// Those of the local authority do not constrain addresses. BoringSSL's verifier, which swift-nio, gRPC and Dart use, does not
/// know constraints of addresses: it refuses every certificate with an address if the authority has one (`nc_match_single`,
/// X509_V_ERR_UNSUPPORTED_CONSTRAINT_TYPE), and phones and emulators reach a development machine by its address. The authority
/// for AWS hostnames excludes all addresses, because it issues no certificate with one.
struct AuthorityConstraints: Sendable, Hashable {
    /// Each with all names below it, because constraints of host names have no other form (RFC 5280 §4.2.1.10).
    let domains: [String]
    /// Whether it may issue for no address.
    let excludesAddresses: Bool

    /// `localhost`, the machine's names, and whatever else a certificate is for now.
    init(permitting names: CertificateNames) {
        domains = Set(["localhost"] + names.hostNames.map(Self.domain)).sorted()
        excludesAddresses = false
    }

    /// These names, of which there is one at least, and no address.
    init(permittingOnly names: CertificateNames) {
        domains = Set(names.hostNames).sorted()
        precondition(!domains.isEmpty, "without a permitted name, all names are permitted")
        excludesAddresses = true
    }

    /// Those of an authority; nil for one without, which an older version made, and for what is no certificate of ours.
    init?(of authority: Certificate) {
        guard let constraints = try? authority.extensions.nameConstraints else { return nil }
        domains = Set(constraints.permittedDNSDomains.map { $0.lowercased() }).sorted()
        excludesAddresses = Self.allAddresses.allSatisfy(constraints.excludedIPRanges.contains)
    }

    var nameConstraints: NameConstraints {
        NameConstraints(
            permittedDNSDomains: domains, excludedIPRanges: excludesAddresses ? Self.allAddresses : [])
    }

    /// 0.0.0.0/0 and ::/0: an address and its mask, each of four or sixteen bytes.
    private static let allAddresses = [8, 32].map { ASN1OctetString(contentBytes: ArraySlice(repeating: 0, count: $0)) }

    /// Whether the authority may issue for a name.
    func permits(_ name: GeneralName) -> Bool {
        guard case .dnsName(let text) = name else { return !excludesAddresses }
        let domain = Self.domain(text)
        return domains.contains { domain == $0 || domain.hasSuffix(".\($0)") }
    }

    /// A wildcard stands for names below its domain.
    private static func domain(_ name: String) -> String {
        (name.hasPrefix("*.") ? String(name.dropFirst(2)) : name).lowercased()
    }
}
