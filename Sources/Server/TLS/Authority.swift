#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif
import Crypto
import Encodings
import SwiftASN1
import X509

/// A certificate authority that the server has made, as people see it: a file to trust.
public struct Authority: Sendable {
    /// Which one it is.
    public let kind: AuthorityKind
    /// Its certificate; an absolute path.
    public let file: String
    let bytes: [UInt8]

    /// The names that it may issue for, beside addresses, each with all names below it; nil when it has no name
    /// constraints, because an older version made it.
    public var domains: [String]? {
        (try? Certificate(pemEncoded: text)).flatMap(AuthorityConstraints.init(of:))?.domains
    }

    /// Where a configuration's authority is, as an absolute path; nil for throw-away data of a user
    /// without a home, and for that of AWS hostnames if the project has none.
    public static func file(of configuration: Configuration, _ kind: AuthorityKind = .local) -> String? {
        (configuration.certificateFolder(of: kind)?.authorityFile).map(Files.absolute)
    }

    /// Reads the authority of a configuration; nil when there is none yet.
    public init?(_ configuration: Configuration, _ kind: AuthorityKind = .local) throws(ServerError) {
        guard let folder = configuration.certificateFolder(of: kind) else { return nil }
        try folder.recover()
        try self.init(folder)
    }

    /// Reads the authority of a configuration, and makes it when there is none yet. That of AWS hostnames is replaced
    /// if it is for other names.
    public static func make(
        _ configuration: Configuration, _ kind: AuthorityKind = .local
    ) throws(ServerError) -> Authority {
        if kind == .local, let authority = try Authority(configuration) { return authority }
        guard let folder = configuration.certificateFolder(of: kind) else {
            guard kind == .local || !configuration.awsNames.hosts.isEmpty else {
                throw ServerError(.usage, "The region \"\(configuration.region)\" cannot form an AWS hostname.")
            }
            throw ServerError(
                .usage,
                "There is no place for a certificate authority that lasts: HOME is not set. Name a folder with --data.")
        }
        try ServerCertificates.make(kind, configuration)
        guard let authority = try Authority(folder) else {
            throw ServerError(.failed, "The certificate authority was removed while it was made.")
        }
        return authority
    }

    /// Puts a new authority, for the present names, in the place of a configuration's; or makes the first.
    ///
    /// - Returns: The new one and, as far as it could be read, the one before.
    public static func renew(
        _ configuration: Configuration, _ kind: AuthorityKind = .local
    ) throws(ServerError) -> (authority: Authority, previous: Authority?) {
        guard let issuer = configuration.issuer(kind, in: configuration.certificateLocations),
            let folder = issuer.folder
        else { return (try make(configuration, kind), nil) }
        try folder.recover()
        guard Files.exists(folder.authorityFile) else { return (try make(configuration, kind), nil) }
        try folder.renew(for: issuer.names, now: Date())
        if !configuration.data.isEphemeral { PrivateFiles.secure(configuration.data.folder) }
        guard let authority = try Authority(folder) else {
            throw ServerError(.failed, "The certificate authority was removed while it was made.")
        }
        return (authority, try Authority(reading: folder.previousFile, kind))
    }

    private init?(_ folder: CertificateFolder) throws(ServerError) {
        try self.init(reading: folder.authorityFile, folder.kind)
    }

    private init?(reading file: String, _ kind: AuthorityKind) throws(ServerError) {
        guard Files.exists(file) else { return nil }
        (self.kind, self.file) = (kind, Files.absolute(file))
        do {
            bytes = try Files.read(file, bytesMax: 1 << 20)
        } catch {
            throw ServerError(.data, "Cannot read the certificate authority \(file): \(error.reason).")
        }
    }

    var text: String { String(decoding: bytes, as: UTF8.self) }

    /// What it is called among others: the authorities of several projects differ.
    var name: String {
        "syncline-\(Hexadecimal.text(of: SHA256.hash(data: bytes).prefix(4)))"
    }
}
