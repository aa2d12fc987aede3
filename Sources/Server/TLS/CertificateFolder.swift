#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif
import Crypto
import HTTP
import SwiftASN1
import X509

/// The folder in which an authority is kept with the certificate it issued last:
///
///     ca.pem            the authority's certificate, for clients to trust
///     ca-key.pem        its key
///     server.pem        the server's certificate and key
///     ca-previous.pem   the certificate of the authority before the last renewal, to end the trust in it
///
/// All are readable by this user alone.
struct CertificateFolder: Sendable, Hashable {
    let path: String
    var kind = AuthorityKind.local

    static let authorityName = "ca.pem"
    private static let authorityKeyName = "ca-key.pem"
    private static let serverName = "server.pem"
    static let previousName = "ca-previous.pem"
    static let fileNames = [authorityName, authorityKeyName, serverName, previousName]
    /// The files without which the folder cannot be served from.
    static let neededNames = [authorityName, authorityKeyName, serverName]

    /// The authority's certificate.
    var authorityFile: String { "\(path)/\(Self.authorityName)" }

    /// What is in the folder, or will be once it is kept.
    struct Contents: Sendable {
        let authority: CertificateAuthority
        let leaf: CertificateAuthority.Leaf
        let isNewAuthority: Bool
        let isNewLeaf: Bool
        /// Whether the folder has an authority for other names, whose place the new one takes.
        var replacesAuthority = false
        /// The names that the authority may not issue for.
        let refusedNames: [String]
    }

    /// Reads what there is and makes what is missing or due, in memory. An authority that is there but cannot be read
    /// is refused: people may have trusted it.
    ///
    /// - Parameter kind: That of the folder, if there is one.
    static func prepare(
        _ folder: CertificateFolder?, _ kind: AuthorityKind = .local, for names: CertificateNames, now: Date
    ) throws(ServerError) -> Contents {
        try folder?.recover()
        let stored = try folder?.readAuthority(now: now)
        let kept = stored.flatMap { kind.accepts($0, for: names) ? $0 : nil }
        do {
            let authority = try kept ?? make(kind, for: names, now: now)
            let (permittedNames, refusedNames) = names.permitted(by: authority.constraints)
            if kept != nil, let leaf = folder?.readLeaf(), authority.stillServes(leaf, permittedNames, now: now) {
                return Contents(
                    authority: authority, leaf: leaf, isNewAuthority: false, isNewLeaf: false,
                    refusedNames: refusedNames)
            }
            let leaf = try authority.issue(for: permittedNames, now: now)
            return Contents(
                authority: authority, leaf: leaf, isNewAuthority: kept == nil, isNewLeaf: true,
                replacesAuthority: kept == nil && stored != nil, refusedNames: refusedNames)
        } catch {
            throw ServerError(.failed, "Cannot make a certificate: \(error).")
        }
    }

    private static func make(
        _ kind: AuthorityKind, for names: CertificateNames, now: Date
    ) throws -> CertificateAuthority {
        try CertificateAuthority(kind, machine: CertificateNames.machine, permitting: names, now: now)
    }

    /// Puts a new authority in the place of the one that is there, if any, whatever its state; its certificate is kept.
    /// A server that runs reads the folder again.
    func renew(for names: CertificateNames, now: Date) throws(ServerError) {
        let authority: CertificateAuthority
        let leaf: CertificateAuthority.Leaf
        do {
            authority = try Self.make(kind, for: names, now: now)
            leaf = try authority.issue(for: names, now: now)
        } catch {
            throw ServerError(.failed, "Cannot make a certificate: \(error).")
        }
        do throws(Files.Failure) {
            try replace(with: authority, leaf)
        } catch {
            throw ServerError(.data, "Cannot keep certificates in \(path): \(error.reason).")
        }
    }

    private func replace(
        with authority: CertificateAuthority, _ leaf: CertificateAuthority.Leaf
    ) throws(Files.Failure) {
        try Files.makeFolder(parent)
        let lock = lockParent()
        defer { lock?.release() }
        if lock != nil { try recoverLocked() }
        let previous = Files.exists(authorityFile) ? try read(Self.authorityName) : nil
        let draft = try makeDraft(authority)
        do throws(Files.Failure) {
            try Files.write(leaf.pem, to: "\(draft)/\(Self.serverName)", isPrivate: true)
            if let previous {
                try Files.write(previous, to: "\(draft)/\(Self.previousName)", isPrivate: true)
            }
            guard Files.exists(path) else { return try Files.move(draft, to: path) }
            let aside = try Files.makeFreshFolder(in: parent, prefix: replacedPrefix)
            try Files.move(path, to: aside)
            try Files.move(draft, to: path)
            Files.removeFolder(aside)
        } catch {
            Files.removeFolder(draft)
            throw error
        }
    }

    /// The certificate of the authority before the last renewal.
    var previousFile: String { "\(path)/\(Self.previousName)" }

    /// Writes what is new. False when another process has made an authority meanwhile, which then counts.
    func keep(_ contents: Contents) throws(ServerError) -> Bool {
        do throws(Files.Failure) {
            if contents.replacesAuthority {
                try replace(with: contents.authority, contents.leaf)
                return true
            }
            if contents.isNewAuthority {
                guard try keepAuthority(contents.authority) else { return false }
            }
            if contents.isNewLeaf {
                try Files.write(contents.leaf.pem, to: "\(path)/\(Self.serverName)", isPrivate: true)
            }
            return true
        } catch {
            throw ServerError(.data, "Cannot keep certificates in \(path): \(error.reason).")
        }
    }

    /// The folder takes its name when both files are in it, so an authority is there whole or not at all.
    private func keepAuthority(_ authority: CertificateAuthority) throws(Files.Failure) -> Bool {
        try Files.makeFolder(parent)
        let lock = lockParent()
        defer { lock?.release() }
        let draft = try makeDraft(authority)
        do throws(Files.Failure) {
            try Files.move(draft, to: path)
            return true
        } catch {
            Files.removeFolder(draft)
            if Files.exists(authorityFile) { return false }
            throw error
        }
    }

    /// The folder that this one is in.
    var parent: String {
        path.split(separator: "/", omittingEmptySubsequences: false).dropLast().joined(separator: "/")
    }

    /// The folder's own name.
    var name: String { Files.name(of: path) }

    /// A folder beside this one with an authority in it.
    private func makeDraft(_ authority: CertificateAuthority) throws(Files.Failure) -> String {
        let draft = try Files.makeFreshFolder(in: parent, prefix: draftPrefix)
        do throws(Files.Failure) {
            try Files.write(
                authority.key.pemRepresentation + "\n", to: "\(draft)/\(Self.authorityKeyName)", isPrivate: true)
            try Files.write(authority.certificate.pem, to: "\(draft)/\(Self.authorityName)", isPrivate: true)
            return draft
        } catch {
            Files.removeFolder(draft)
            throw error
        }
    }

    // MARK: Reading

    private static let fileBytesMax = 1 << 20

    /// The authority; nil when there is none yet.
    func readAuthority(now: Date) throws(ServerError) -> CertificateAuthority? {
        guard Files.exists(authorityFile) else { return nil }
        do {
            let certificate = try Certificate(pemEncoded: read(Self.authorityName))
            let key = try P256.Signing.PrivateKey(pemRepresentation: read(Self.authorityKeyName))
            guard certificate.publicKey == Certificate.PublicKey(key.publicKey) else {
                throw damaged("its key is another's")
            }
            guard certificate.notValidAfter.addingDays(-CertificateAuthority.leafValidDays) > now else {
                throw damaged("it expires soon")
            }
            return CertificateAuthority(certificate: certificate, key: key)
        } catch let error as ServerError {
            throw error
        } catch {
            throw damaged((error as? Files.Failure)?.reason ?? "\(error)")
        }
    }

    private func damaged(_ reason: String) -> ServerError {
        ServerError(
            .data,
            "The certificate authority in \(path) cannot be used: \(reason). '\(kind.trustCommand) --renew' makes "
                + "another, which must be trusted anew; or serve clear text only, with \(Setting.tls.flag) off.")
    }

    /// The certificate that was issued last, if it can be read: another is made otherwise.
    private func readLeaf() -> CertificateAuthority.Leaf? {
        guard let text = try? read(Self.serverName), let documents = try? PEMDocument.parseMultiple(pemString: text),
            documents.count == 2, let certificate = try? Certificate(pemDocument: documents[0]),
            let key = try? P256.Signing.PrivateKey(pemRepresentation: documents[1].pemString)
        else { return nil }
        return CertificateAuthority.Leaf(certificate: certificate, key: key)
    }

    private func read(_ name: String) throws(Files.Failure) -> String {
        String(decoding: try Files.read("\(path)/\(name)", bytesMax: Self.fileBytesMax), as: UTF8.self)
    }
}

extension CertificateFolder.Contents {
    /// What TLS is given. The authority itself is not sent: who trusts it has it (RFC 8446 §4.4.2).
    var identity: TLSCertificates.Identity {
        TLSCertificates.Identity(
            hostNames: CertificateNames(of: leaf.certificate).hostNames,
            chainPEM: Array(leaf.certificate.pem.utf8), keyPEM: Array(leaf.key.pemRepresentation.utf8))
    }
}

extension CertificateAuthority.Leaf {
    /// The file of both.
    fileprivate var pem: String { certificate.pem + key.pemRepresentation + "\n" }
}

extension Certificate {
    /// PEM text that ends with a line end (RFC 7468). A certificate that was read or made can be written.
    var pem: String { (try? serializeAsPEM().pemString + "\n") ?? "" }
}
