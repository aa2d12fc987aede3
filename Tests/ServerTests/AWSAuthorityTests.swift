import Crypto
import Foundation
import HTTP
import JSON
import SwiftASN1
import Synchronization
import Testing
@_spi(FixedExpiryValidationTime) import X509

@testable import Server

@Suite("The certificate authority for AWS hostnames")
struct AWSAuthorityTests {
    private static let now = Date(timeIntervalSince1970: 1_900_000_000)
    private static let names = CertificateNames([
        "cognito-idp.eu-west-1.amazonaws.com", "media.s3.eu-west-1.amazonaws.com",
        "myapp.auth.eu-west-1.amazoncognito.com",
    ])

    private static func prepare(
        _ folder: CertificateFolder?, _ names: CertificateNames = names
    ) throws -> CertificateFolder.Contents {
        try CertificateFolder.prepare(folder, .awsNames, for: names, now: now)
    }

    /// Verified as RFC 5280 §6 has it, name constraints included.
    private static func isValid(_ names: [String], by authority: CertificateAuthority) async throws -> Bool {
        let leaf = try authority.issue(for: CertificateNames(names), now: now)
        var verifier = Verifier(rootCertificates: CertificateStore([authority.certificate])) {
            RFC5280Policy(fixedExpiryValidationTime: now)
        }
        let result = await verifier.validate(leaf: leaf.certificate, intermediates: CertificateStore())
        if case .validCertificate = result { return true }
        return false
    }

    @Test("is constrained to these names, by critical constraints, and its certificate is for them alone")
    func constraints() async throws {
        let contents = try Self.prepare(nil)
        let certificate = contents.authority.certificate
        let extensions = certificate.extensions
        #expect(extensions[oid: .X509ExtensionID.nameConstraints]?.critical == true)
        #expect(try Set(extensions.nameConstraints?.permittedDNSDomains.map(\.self) ?? []) == Set(Self.names.hostNames))
        #expect("\(certificate.subject)".contains("CN=Syncline AWS names CA ("))
        #expect(CertificateNames(of: contents.leaf.certificate) == Self.names)
        let rows: [(String, Bool)] = [
            ("cognito-idp.eu-west-1.amazonaws.com", true), ("media.s3.eu-west-1.amazonaws.com", true),
            ("myapp.auth.eu-west-1.amazoncognito.com", true), ("s3.eu-west-1.amazonaws.com", false),
            ("other.s3.eu-west-1.amazonaws.com", false), ("cognito-idp.us-east-1.amazonaws.com", false),
            ("amazonaws.com", false), ("localhost", false), ("example.com", false), ("127.0.0.1", false),
            ("::1", false), ("10.0.2.2", false), (CertificateNames.machine, false),
        ]
        for (name, isPermitted) in rows {
            #expect(try await Self.isValid([name], by: contents.authority) == isPermitted, "\(name)")
        }
        // One name outside of the constraints spoils the certificate.
        let mixed = ["media.s3.eu-west-1.amazonaws.com", "example.com"]
        #expect(try await !Self.isValid(mixed, by: contents.authority))
    }

    @Test("OpenSSL refuses a certificate for another name, too", .enabled(if: AWSAuthorityTests.openSSL != nil))
    func otherVerifier() throws {
        let openSSL = try #require(Self.openSSL)
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let authority = try CertificateAuthority(.awsNames, machine: "m", permitting: Self.names, now: Date())
        try folder.write(authority.certificate.pem, to: "ca.pem")
        for (names, isPermitted) in [
            (["media.s3.eu-west-1.amazonaws.com"], true), (["example.com"], false), (["127.0.0.1"], false),
            (["media.s3.eu-west-1.amazonaws.com", "s3.us-east-1.amazonaws.com"], false), (["::1"], false),
        ] {
            let leaf = try authority.issue(for: CertificateNames(names), now: Date())
            try folder.write(leaf.certificate.pem, to: "leaf.pem")
            let code = try Subprocess.run([
                openSSL, "verify", "-CAfile", folder.path("ca.pem"), folder.path("leaf.pem"),
            ])
            #expect((code == 0) == isPermitted, "\(names)")
        }
    }

    private static let openSSL: String? = ["/usr/bin/openssl", "/usr/local/bin/openssl", "/opt/homebrew/bin/openssl"]
        .first(where: Files.exists)

    @Test("is made again only when the names change; the one before stays to be removed from where it is trusted")
    func renewal() throws {
        let temporary = try TemporaryFolder()
        defer { temporary.remove() }
        let folder = CertificateFolder(path: temporary.path("tls-aws"), kind: .awsNames)
        let first = try Self.prepare(folder)
        #expect(first.isNewAuthority && !first.replacesAuthority)
        #expect(try folder.keep(first))
        let second = try Self.prepare(folder)
        #expect(!second.isNewAuthority && !second.isNewLeaf)
        #expect(second.authority.certificate == first.authority.certificate)
        // In another order the names are the same.
        #expect(try !Self.prepare(folder, CertificateNames(Self.names.hostNames.reversed())).isNewAuthority)

        let more = CertificateNames(Self.names.hostNames + ["new.s3.eu-west-1.amazonaws.com"])
        let third = try Self.prepare(folder, more)
        #expect(third.isNewAuthority && third.replacesAuthority && third.refusedNames.isEmpty)
        #expect(
            try Files.read(folder.authorityFile) == Array(first.authority.certificate.pem.utf8), "nothing is written")
        #expect(try folder.keep(third))
        #expect(try Files.read(folder.previousFile) == Array(first.authority.certificate.pem.utf8))
        let fourth = try Self.prepare(folder, more)
        #expect(!fourth.isNewAuthority && !fourth.isNewLeaf)
        #expect(CertificateNames(of: fourth.leaf.certificate) == more)
        // Fewer names are other names as well: the authority must not be good for what is not the project's.
        #expect(try Self.prepare(folder).replacesAuthority)
    }

    @Test("an authority without constraints is never used for AWS hostnames")
    func unconstrained() throws {
        let temporary = try TemporaryFolder()
        defer { temporary.remove() }
        let folder = CertificateFolder(path: temporary.path("tls-aws"), kind: .awsNames)
        let key = P256.Signing.PrivateKey()
        let name = try DistinguishedName { CommonName("Syncline local CA (old)") }
        let certificate = try Certificate(
            version: .v3, serialNumber: Certificate.SerialNumber(), publicKey: Certificate.PublicKey(key.publicKey),
            notValidBefore: Self.now, notValidAfter: Self.now.addingDays(CertificateAuthority.validDays), issuer: name,
            subject: name,
            extensions: Certificate.Extensions {
                Critical(BasicConstraints.isCertificateAuthority(maxPathLength: 0))
                Critical(KeyUsage(keyCertSign: true))
            }, issuerPrivateKey: Certificate.PrivateKey(key))
        try temporary.write(certificate.pem, to: "tls-aws/ca.pem")
        try temporary.write(key.pemRepresentation, to: "tls-aws/ca-key.pem")
        let contents = try Self.prepare(folder)
        #expect(contents.replacesAuthority && contents.authority.constraints?.domains == Self.names.hostNames)
        // Nor is the local one, which is for more.
        let local = try CertificateAuthority(.local, machine: "m", permitting: Self.names, now: Self.now)
        #expect(!AuthorityKind.awsNames.accepts(local, for: Self.names))
    }

    @Test("what an interrupted renewal of one authority left is never taken for the other's")
    func recovery() throws {
        let temporary = try TemporaryFolder()
        defer { temporary.remove() }
        let local = CertificateFolder(path: temporary.path("tls"))
        let aws = CertificateFolder(path: temporary.path("tls-aws"), kind: .awsNames)
        let shared = CertificateFolder(path: temporary.path("tls-aws-1a2b3c4d"), kind: .awsNames)
        #expect(try aws.keep(Self.prepare(aws)))
        // Killed between the two renames.
        let aside = try Files.makeFreshFolder(in: temporary.path(""), prefix: aws.replacedPrefix)
        let authority = try Files.read(aws.authorityFile)
        try Files.move(aws.path, to: aside)
        for other in [local, shared] {
            try other.recover()
            #expect(!Files.exists(other.path) && Files.exists(aside))
        }
        try aws.recover()
        #expect(try Files.read(aws.authorityFile) == authority && !Files.exists(aside))
    }

    @Test("projects that throw their data away have an authority each, and those with a data folder one in it")
    func places() throws {
        var configuration = Configuration()
        (configuration.data.isEphemeral, configuration.userFolder) = (true, "/user")
        let first = configuration.certificateFolder(of: .awsNames)?.path
        #expect(first?.hasPrefix("/user/tls-aws-") == true)
        #expect(first == configuration.certificateFolder(of: .awsNames)?.path)
        configuration.region = "eu-west-1"
        #expect(first != configuration.certificateFolder(of: .awsNames)?.path)
        #expect(configuration.certificateFolder(of: .local)?.path == "/user/tls")
        (configuration.data.isEphemeral, configuration.data.folder) = (false, "data")
        #expect(configuration.certificateFolder(of: .awsNames)?.path == "data/tls-aws")
        // No name, no constraint: no authority.
        configuration.region = "no region"
        #expect(configuration.certificateFolder(of: .awsNames) == nil)
    }

    // MARK: Served

    private static func with(
        tls: TLSSetting = .auto, log: Log = Log(format: .text, level: .critical),
        _ body: (TestServer, TemporaryFolder) async throws -> Void
    ) async throws {
        let home = try TemporaryFolder()
        defer { home.remove() }
        let given = try AWSRouteTests.configuration()
        try await TestServer.with(mode: .serve, log: log) { configuration in
            (configuration.tls.setting, configuration.data.isEphemeral) = (tls, false)
            (configuration.data.folder, configuration.userFolder) = (home.path("data"), home.path("home"))
            (configuration.awsNameOptions, configuration.region) = (given.awsNameOptions, given.region)
            (configuration.userPools, configuration.storage) = (given.userPools, given.storage)
        } _: {
            try await body($0, home)
        }
    }

    @Test("a client that trusts this authority alone reaches the AWS hostnames by TLS, and nothing else")
    func handshakes() async throws {
        try await Self.with { server, _ in
            let aws = try #require(server.service.tls?.awsAuthorityFile)
            let local = try #require(server.service.tls?.authorityFile)
            #expect(aws.hasSuffix("/data/tls-aws/ca.pem") && local.hasSuffix("/data/tls/ca.pem"))
            func get(_ path: String, _ name: String, _ host: String? = nil, by authority: String) async throws -> String
            {
                try await TLSClient.get(
                    path, port: server.port, host: name, httpHost: host ?? name, authority: authority)
            }
            let (idp, s3) = ("cognito-idp.eu-west-1.amazonaws.com", "s3.eu-west-1.amazonaws.com")
            for (path, name, part) in [
                ("/", idp, "UnknownOperationException"), ("/", s3, "<Code>AccessDenied</Code>"),
                ("/key", "media.s3.eu-west-1.amazonaws.com", "<Code>AccessDenied</Code>"),
                ("/health", idp, "UnknownOperationException"),
                ("/.well-known/jwks.json", "myapp.auth.eu-west-1.amazoncognito.com", "\"keys\""),
            ] {
                let answer = try await get(path, name, by: aws)
                #expect(answer.contains(part), "\(name): \(answer)")
                await #expect(throws: (any Error).self, "\(name)") { try await get(path, name, by: local) }
            }
            // The name of the handshake is not the Host.
            for (name, host, authority) in [(idp, s3, aws), (idp, "localhost", aws), ("localhost", idp, local)] {
                let answer = try await get("/health", name, host, by: authority)
                #expect(answer.hasPrefix("HTTP/1.1 421 Misdirected Request\r\n"), "\(name) \(host)")
            }
            #expect(try await get("/health", "localhost", by: local).hasPrefix("HTTP/1.1 200 "))
            // No certificate that the authority may issue is for other names.
            for name in ["localhost", "other.s3.eu-west-1.amazonaws.com", "dynamodb.eu-west-1.amazonaws.com"] {
                await #expect(throws: (any Error).self, "\(name)") { try await get("/health", name, by: aws) }
            }
        }
    }

    @Test("beside certificates of one's own the AWS hostnames are served, which no wildcard of these covers")
    func ownCertificates() async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let own = CertificateNames(machine: "one.test", and: ["*.eu-west-1.amazonaws.com"])
        let made = try CertificateFolder.prepare(nil, for: own, now: Date())
        try folder.write(made.authority.certificate.pem, to: "ca.pem")
        try folder.write(made.leaf.certificate.pem, to: "own.pem")
        try folder.write(made.leaf.key.pemRepresentation, to: "own.key")
        let files = try #require(CertificateFiles("\(folder.path("own.pem")),\(folder.path("own.key"))"))
        try await Self.with(tls: .files([files])) { server, _ in
            let aws = try #require(server.service.tls?.awsAuthorityFile)
            #expect(server.service.tls?.authorityFile == nil)
            let name = "s3.eu-west-1.amazonaws.com"
            let answer = try await TLSClient.get("/", port: server.port, host: name, httpHost: name, authority: aws)
            #expect(answer.contains("<Code>AccessDenied</Code>"))
            let health = try await TLSClient.get(
                "/health", port: server.port, host: "one.test", authority: folder.path("ca.pem"))
            #expect(health.hasPrefix("HTTP/1.1 200 "))
        }
    }

    @Test("a reload that changes the names makes another authority, serves it, and logs the command to trust it")
    func reload() async throws {
        let lines = Mutex<[String]>([])
        let log = Log(format: .text, level: .notice) { line in lines.withLock { $0.append(line) } }
        func announcements() -> [String] {
            lines.withLock { $0.filter { $0.contains("new certificate authority for AWS hostnames") } }
        }
        try await Self.with(log: log) { server, _ in
            let file = try #require(server.service.tls?.awsAuthorityFile)
            let first = try Files.read(file)
            #expect(announcements().count == 1 && announcements()[0].contains("'syncline trust --aws-names --data "))
            _ = try server.service.reload(server.configuration)
            #expect(try Files.read(file) == first && announcements().count == 1)

            var changed = server.configuration
            changed.userPools.pools[0]["domain"] = "other"
            _ = try server.service.reload(changed)
            #expect(try Files.read(file) != first)
            #expect(announcements().count == 2 && announcements()[1].contains("because the names have changed"))
            let name = "other.auth.eu-west-1.amazoncognito.com"
            let answer = try await TLSClient.get(
                "/graphql", port: server.port, host: name, httpHost: name, authority: file)
            #expect(answer.hasPrefix("HTTP/1.1 404 "), "\(answer)")

            // Another process has made one for other names: this server goes on with its own and leaves the other in place.
            let folder = try #require(changed.certificateFolder(of: .awsNames))
            let foreign = CertificateNames(["s3.us-east-1.amazonaws.com"])
            try folder.renew(for: foreign, now: Date())
            let renewed = try Files.read(file)
            try server.service.certificates?.reload()
            #expect(try Files.read(file) == renewed)
            try Data(Files.read(folder.previousFile)).write(to: URL(filePath: file + ".old"))
            let again = try await TLSClient.get(
                "/graphql", port: server.port, host: name, httpHost: name, authority: file + ".old")
            #expect(again.hasPrefix("HTTP/1.1 404 "))
        }
    }
}
