#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif
import Crypto
import SwiftASN1
import X509

/// A certificate authority for one machine, for development. RFC 5280.
struct CertificateAuthority {
    let certificate: Certificate
    /// P-256, which every client that speaks TLS 1.2 can verify.
    let key: P256.Signing.PrivateKey

    /// A certificate with its key, issued by an authority.
    struct Leaf {
        let certificate: Certificate
        let key: P256.Signing.PrivateKey
    }

    static let validDays = 3650
    /// Apple's systems refuse certificates that are valid longer than 398 days ("About upcoming limits on trusted
    /// certificates", 2020). That is said of public authorities; to stay below is safe everywhere.
    static let leafValidDays = 397
    static let leafRenewalDays = 30

    init(certificate: Certificate, key: P256.Signing.PrivateKey) {
        self.certificate = certificate
        self.key = key
    }

    /// A new authority, named after the machine, so that people can distinguish theirs. `kind` decides which host names
    /// it may issue for.
    init(_ kind: AuthorityKind, machine: String, permitting names: CertificateNames, now: Date) throws {
        let key = P256.Signing.PrivateKey()
        let name = try DistinguishedName {
            OrganizationName("Syncline")
            // A common name has at most 64 characters (RFC 5280, appendix A.1).
            CommonName("\(kind.commonName) (\(machine.prefix(40)))")
        }
        certificate = try Certificate(
            version: .v3, serialNumber: Certificate.SerialNumber(), publicKey: Certificate.PublicKey(key.publicKey),
            notValidBefore: now.addingDays(-1), notValidAfter: now.addingDays(Self.validDays), issuer: name,
            subject: name,
            extensions: Certificate.Extensions {
                Critical(BasicConstraints.isCertificateAuthority(maxPathLength: 0))
                Critical(KeyUsage(keyCertSign: true, cRLSign: true))
                Critical(kind.constraints(permitting: names).nameConstraints)
                SubjectKeyIdentifier(hash: Certificate.PublicKey(key.publicKey))
            }, issuerPrivateKey: Certificate.PrivateKey(key))
        self.key = key
    }

    /// What it may issue for; nil for an authority that an older version made.
    var constraints: AuthorityConstraints? { AuthorityConstraints(of: certificate) }

    /// A certificate for a server of these names. It is valid since yesterday, for clients whose clocks are late.
    func issue(for names: CertificateNames, now: Date) throws -> Leaf {
        let leafKey = P256.Signing.PrivateKey()
        let publicKey = Certificate.PublicKey(leafKey.publicKey)
        let certificate = try Certificate(
            version: .v3, serialNumber: Certificate.SerialNumber(), publicKey: publicKey,
            notValidBefore: now.addingDays(-1), notValidAfter: now.addingDays(Self.leafValidDays - 1),
            issuer: certificate.subject,
            subject: try DistinguishedName { CommonName("Syncline") },
            extensions: Certificate.Extensions {
                Critical(BasicConstraints.notCertificateAuthority)
                Critical(KeyUsage(digitalSignature: true))
                try ExtendedKeyUsage([.serverAuth])
                SubjectAlternativeNames(names.sorted)
                SubjectKeyIdentifier(hash: publicKey)
                AuthorityKeyIdentifier(
                    keyIdentifier: SubjectKeyIdentifier(hash: self.certificate.publicKey).keyIdentifier)
            }, issuerPrivateKey: Certificate.PrivateKey(key))
        return Leaf(certificate: certificate, key: leafKey)
    }

    /// Whether a certificate is of this authority, for these names, and valid for a while.
    func stillServes(_ leaf: Leaf, _ names: CertificateNames, now: Date) -> Bool {
        CertificateNames(of: leaf.certificate) == names
            && leaf.certificate.publicKey == Certificate.PublicKey(leaf.key.publicKey)
            && leaf.certificate.issuer == certificate.subject
            && certificate.publicKey.isValidSignature(leaf.certificate.signature, for: leaf.certificate)
            && leaf.renewalDate > now && leaf.certificate.notValidBefore <= now
    }
}

extension CertificateAuthority.Leaf {
    /// When it is time for another.
    var renewalDate: Date { certificate.notValidAfter.addingDays(-CertificateAuthority.leafRenewalDays) }
}

extension Date {
    func addingDays(_ days: Int) -> Date { addingTimeInterval(Double(days) * 86_400) }
}
