import NIOCore
import NIOSSL

/// The certificates that a server shows, by the host names that clients ask for: TLS 1.2 and 1.3, ALPN `http/1.1`.
///
/// Immutable and ready for handshakes. To make one parses certificates and keys, so it is not made on a loop.
public struct TLSCertificates: Sendable {
    /// A certificate with its chain and its private key, and the names it is shown for.
    public struct Identity: Sendable {
        /// Host names in any case; `*.example.org` stands for one label more than `example.org`.
        public var hostNames: [String]
        /// The certificate and those between it and a root, as PEM.
        public var chainPEM: [UInt8]
        /// The private key of the certificate, as PEM without a passphrase.
        public var keyPEM: [UInt8]

        /// An identity by its parts.
        public init(hostNames: [String], chainPEM: [UInt8], keyPEM: [UInt8]) {
            self.hostNames = hostNames
            self.chainPEM = chainPEM
            self.keyPEM = keyPEM
        }
    }

    let context: NIOSSLContext
    /// The domains of which `Reply.serverName` has the names that clients ask for; in lower case, each with a dot before it.
    let trackedDomains: [String]

    /// The certificates of a server. The first identity is shown to clients that ask for none of the names, or name
    /// no host at all, as clients do that dial an address (RFC 6066 §3).
    ///
    /// - Parameter trackedDomains: Domains, each with a dot before it. `Reply.serverName` is the name that the client asks for, if
    ///   that is in one of them. With any, TLS begins when the ClientHello is complete; without, nothing is read twice.
    public init(_ identities: [Identity], trackedDomains: [String] = []) throws(TLSCertificatesError) {
        self.trackedDomains = trackedDomains.map { $0.lowercased() }
        let loaded = try identities.map { identity throws(TLSCertificatesError) in try LoadedIdentity(identity) }
        guard let first = loaded.first else {
            throw TLSCertificatesError(code: .badChain, message: "There is no certificate to show.")
        }
        // Each by itself as well: a key that belongs to another certificate is found now and not in a handshake.
        for identity in loaded.dropFirst() { _ = try identity.makeContext() }
        context = try first.makeContext(loaded.count > 1 ? ServerNames(zip(identities.map(\.hostNames), loaded)) : nil)
    }
}

extension TLSCertificates {
    /// A name without the dot that may end it, if it is in a tracked domain.
    ///
    /// - Parameter name: In lower case.
    func trackedName(_ name: String) -> String? {
        let name = name.hasSuffix(".") ? String(name.dropLast()) : name
        return trackedDomains.contains { ".\(name)".hasSuffix($0) } ? name : nil
    }
}

// MARK: - Parts

/// An identity, parsed.
private struct LoadedIdentity {
    let chain: [NIOSSLCertificateSource]
    let key: NIOSSLPrivateKeySource

    init(_ identity: TLSCertificates.Identity) throws(TLSCertificatesError) {
        do {
            chain = try NIOSSLCertificate.fromPEMBytes(identity.chainPEM).map { .certificate($0) }
        } catch {
            throw TLSCertificatesError(
                code: .badChain, message: "The certificate is not one or more PEM blocks 'CERTIFICATE'.", cause: error)
        }
        do {
            key = .privateKey(try NIOSSLPrivateKey(bytes: identity.keyPEM, format: .pem))
        } catch {
            throw TLSCertificatesError(
                code: .badKey, message: "The private key is not a PEM block 'PRIVATE KEY' without a passphrase.",
                cause: error)
        }
    }

    /// For TLS 1.2: forward secrecy and authenticated encryption (RFC 9325 §4.2). Those with CBC take four times as long.
    private static let cipherSuites: [NIOTLSCipher] = [
        .TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256, .TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256,
        .TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384, .TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384,
        .TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256, .TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256,
    ]

    func makeContext(_ names: ServerNames? = nil) throws(TLSCertificatesError) -> NIOSSLContext {
        var configuration = TLSConfiguration.makeServerConfiguration(certificateChain: chain, privateKey: key)
        configuration.minimumTLSVersion = .tlsv12
        configuration.cipherSuiteValues = Self.cipherSuites
        // An upgrade to WebSocket is one of HTTP/1.1, and HTTP/2 is not spoken here (RFC 7301).
        configuration.applicationProtocols = ["http/1.1"]
        // How long a closed connection waits for the client's own close_notify.
        configuration.shutdownTimeout = .seconds(1)
        if let names {
            configuration.sslContextCallback = { hello, promise in
                promise.succeed(hello.serverHostname.flatMap(names.identity) ?? .noChanges)
            }
        }
        do {
            return try NIOSSLContext(configuration: configuration)
        } catch {
            throw TLSCertificatesError(
                code: .mismatch, message: "The private key is not the certificate's, or TLS cannot use the two.",
                cause: error)
        }
    }
}

/// Identities by host name. RFC 6066 §3, RFC 6125 §6.4.3.
private struct ServerNames: Sendable {
    private var identities: [String: NIOSSLContextConfigurationOverride] = [:]

    /// Where several identities have the same name, the first has it.
    init(_ named: some Sequence<([String], LoadedIdentity)>) {
        for (names, identity) in named {
            var override = NIOSSLContextConfigurationOverride()
            override.certificateChain = identity.chain
            override.privateKey = identity.key
            for name in names.map({ $0.lowercased() }) where identities[name] == nil { identities[name] = override }
        }
    }

    /// The identity for a name; a wildcard stands for the first label only.
    func identity(for name: String) -> NIOSSLContextConfigurationOverride? {
        let name = name.lowercased()
        if let identity = identities[name] { return identity }
        guard let dot = name.firstIndex(of: ".") else { return nil }
        return identities["*" + name[dot...]]
    }
}
