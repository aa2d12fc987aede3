import Crypto
import Foundation
import HTTP
import NIOSSL
import Testing
@_spi(FixedExpiryValidationTime) import X509

@testable import Server

@Suite("The local certificate authority")
struct CertificateTests {
    static let now = Date(timeIntervalSince1970: 1_900_000_000)

    private func prepare(
        _ folder: CertificateFolder?, _ names: [String] = ["api.example.test", "192.168.1.20"], now: Date = now
    ) throws -> CertificateFolder.Contents {
        try CertificateFolder.prepare(folder, for: CertificateNames(machine: "my-machine", and: names), now: now)
    }

    @Test("is made once, in a folder that is made with it, and its keys are this user's alone")
    func folder() throws {
        let temporary = try TemporaryFolder()
        defer { temporary.remove() }
        let folder = CertificateFolder(path: temporary.path("data/below/tls"))
        let first = try prepare(folder)
        #expect(first.isNewAuthority && first.isNewLeaf && temporary.names.isEmpty, "nothing is written yet")
        #expect(try folder.keep(first))
        let names =
            ["data", "data/below", "data/below/tls"]
            + ["ca-key.pem", "ca.pem", "server.pem"].map { "data/below/tls/\($0)" }
        #expect(temporary.names == names)
        for (name, mode) in [("ca.pem", 0o600), ("ca-key.pem", 0o600), ("server.pem", 0o600)] {
            let attributes = try FileManager.default.attributesOfItem(atPath: "\(folder.path)/\(name)")
            #expect(attributes[.posixPermissions] as? Int == mode, "\(name)")
        }
        let second = try prepare(folder)
        #expect(!second.isNewAuthority && !second.isNewLeaf)
        #expect(second.authority.certificate == first.authority.certificate)
        #expect(second.leaf.certificate == first.leaf.certificate)
        #expect(second.leaf.key.rawRepresentation == first.leaf.key.rawRepresentation)
    }

    @Test("issues for ten years, and each certificate for 397 days")
    func validity() throws {
        let contents = try prepare(nil)
        let (authority, leaf) = (contents.authority.certificate, contents.leaf.certificate)
        #expect(authority.notValidBefore < Self.now && authority.notValidAfter >= Self.now.addingDays(3650))
        #expect(leaf.notValidAfter.timeIntervalSince(leaf.notValidBefore) == 397 * 86_400)
        #expect("\(authority.subject)".contains("CN=Syncline local CA ("))
        #expect(try authority.extensions.basicConstraints == .isCertificateAuthority(maxPathLength: 0))
        #expect(try leaf.extensions.extendedKeyUsage == ExtendedKeyUsage([.serverAuth]))
    }

    @Test(
        "another certificate is issued when it is time, when the names change, or when it is lost; never another authority"
    )
    func renewalOfLeaf() throws {
        let temporary = try TemporaryFolder()
        defer { temporary.remove() }
        let folder = CertificateFolder(path: temporary.path("tls"))
        let first = try prepare(folder)
        #expect(try folder.keep(first))
        func isRenewed(_ names: [String] = ["api.example.test", "192.168.1.20"], days: Int = 0) throws -> Bool {
            let contents = try prepare(folder, names, now: Self.now.addingDays(days))
            #expect(!contents.isNewAuthority && contents.authority.certificate == first.authority.certificate)
            return contents.isNewLeaf
        }
        #expect(try !isRenewed(days: 365))
        #expect(try isRenewed(days: 367))
        #expect(try isRenewed(days: -2), "a clock that goes back")
        #expect(try isRenewed(["other.test"]))
        #expect(try !isRenewed(["192.168.1.20", "API.example.test", "no name"]))
        for text in ["", "garbage", first.authority.certificate.pem] {
            try temporary.write(text, to: "tls/server.pem")
            #expect(try isRenewed())
        }
        // Another authority's.
        let stranger = try prepare(nil)
        try temporary.write(
            stranger.leaf.certificate.pem + stranger.leaf.key.pemRepresentation,
            to: "tls/server.pem")
        #expect(try isRenewed())
    }

    /// Verified as RFC 5280 §6 has it, name constraints included.
    private func isValid(_ names: [String], by authority: CertificateAuthority) async throws -> Bool {
        let leaf = try authority.issue(for: CertificateNames(names), now: Self.now)
        var verifier = Verifier(rootCertificates: CertificateStore([authority.certificate])) {
            RFC5280Policy(fixedExpiryValidationTime: Self.now)
        }
        let result = await verifier.validate(leaf: leaf.certificate, intermediates: CertificateStore())
        if case .validCertificate = result { return true }
        return false
    }

    @Test("a new authority is good for this machine and the names of its time, with all below them, and no other name")
    func constraints() async throws {
        let contents = try prepare(nil, ["api.example.test", "*.wild.example.test", "192.168.1.20", "203.0.113.9"])
        let authority = contents.authority
        let extensions = authority.certificate.extensions
        #expect(extensions[oid: .X509ExtensionID.nameConstraints]?.critical == true)
        #expect(contents.refusedNames.isEmpty)
        let hostNames = Set(CertificateNames(of: contents.leaf.certificate).hostNames)
        #expect(hostNames.isSuperset(of: ["*.localhost", "my-machine", "my-machine.local", "api.example.test"]))
        let rows: [(String, Bool)] = [
            ("localhost", true), ("a.localhost", true), ("my-machine", true), ("my-machine.local", true),
            ("api.example.test", true), ("v2.api.example.test", true), ("a.wild.example.test", true),
            ("127.9.9.9", true), ("10.1.2.3", true), ("::1", true), ("203.0.113.9", true),
            ("example.test", false), ("www.example.com", false), ("my-machine.example.com", false),
            ("notlocalhost", false), ("xmy-machine", false), ("com", false), ("*.com", false),
        ]
        let constraints = try #require(authority.constraints)
        for (name, isPermitted) in rows {
            #expect(try await isValid([name], by: authority) == isPermitted, "\(name)")
            let names = CertificateNames(machine: "my-machine", and: [name])
            #expect(names.permitted(by: constraints).others == (isPermitted ? [] : [name]), "\(name)")
        }
    }

    @Test("a name outside of the constraints is left out of the certificate and reported; a renewal takes it in")
    func renewal() throws {
        let temporary = try TemporaryFolder()
        defer { temporary.remove() }
        let folder = CertificateFolder(path: temporary.path("tls"))
        let first = try prepare(folder, ["api.example.test"])
        #expect(try folder.keep(first))
        let second = try prepare(folder, ["api.example.test", "other.test", "a.other.test"])
        #expect(!second.isNewAuthority && !second.isNewLeaf && second.refusedNames == ["a.other.test", "other.test"])
        let names = CertificateNames(machine: "my-machine", and: ["other.test", "203.0.113.9"])
        try folder.renew(for: names, now: Self.now)
        let third = try CertificateFolder.prepare(folder, for: names, now: Self.now)
        #expect(!third.isNewAuthority && !third.isNewLeaf && third.refusedNames.isEmpty)
        #expect(third.authority.certificate != first.authority.certificate)
        #expect(try Files.read(folder.previousFile) == Array(first.authority.certificate.pem.utf8))
        let kept = ["ca-key.pem", "ca-previous.pem", "ca.pem", "server.pem"]
        #expect(temporary.names == ["tls"] + kept.map { "tls/\($0)" })
        // One that cannot be used is replaced as well.
        try temporary.write("garbage", to: "tls/ca-key.pem")
        try folder.renew(for: names, now: Self.now)
        #expect(throws: Never.self) { try CertificateFolder.prepare(folder, for: names, now: Self.now) }
    }

    @Test("an authority of an older version, without constraints, is kept and serves every name")
    func unconstrained() async throws {
        let temporary = try TemporaryFolder()
        defer { temporary.remove() }
        let folder = CertificateFolder(path: temporary.path("tls"))
        let key = P256.Signing.PrivateKey()
        let name = try DistinguishedName { CommonName("Syncline local CA (old)") }
        let certificate = try Certificate(
            version: .v3, serialNumber: Certificate.SerialNumber(), publicKey: Certificate.PublicKey(key.publicKey),
            notValidBefore: Self.now.addingDays(-1), notValidAfter: Self.now.addingDays(3650), issuer: name,
            subject: name,
            extensions: Certificate.Extensions {
                Critical(BasicConstraints.isCertificateAuthority(maxPathLength: 0))
                Critical(KeyUsage(keyCertSign: true, cRLSign: true))
            }, issuerPrivateKey: Certificate.PrivateKey(key))
        try temporary.write(certificate.pem, to: "tls/ca.pem")
        try temporary.write(key.pemRepresentation, to: "tls/ca-key.pem")
        let contents = try prepare(folder, ["www.example.com"])
        #expect(!contents.isNewAuthority && contents.authority.constraints == nil && contents.refusedNames.isEmpty)
        #expect(CertificateNames(of: contents.leaf.certificate).hostNames.contains("www.example.com"))
        #expect(try await isValid(["www.example.com"], by: contents.authority))
    }

    @Test("an authority that is there and cannot be used is refused, not replaced")
    func damaged() throws {
        let temporary = try TemporaryFolder()
        defer { temporary.remove() }
        let folder = CertificateFolder(path: temporary.path("tls"))
        let first = try prepare(folder)
        #expect(try folder.keep(first))
        let (authority, key) = (try Files.read(folder.authorityFile), try Files.read("\(folder.path)/ca-key.pem"))
        let rows: [(String, String, String)] = [
            ("ca.pem", "garbage", "cannot be used"), ("ca-key.pem", "garbage", "cannot be used"),
            ("ca-key.pem", P256.Signing.PrivateKey().pemRepresentation, "its key is another's"),
        ]
        for (name, text, reason) in rows {
            try temporary.write(text, to: "tls/\(name)")
            let error = #expect(throws: ServerError.self) { try prepare(folder) }
            #expect(error?.code == .data && error?.text.contains(folder.path) == true, "\(name)")
            #expect(error?.text.contains(reason) == true, "\(error?.text ?? "")")
            try temporary.write(String(decoding: authority, as: UTF8.self), to: "tls/ca.pem")
            try temporary.write(String(decoding: key, as: UTF8.self), to: "tls/ca-key.pem")
        }
        #expect(throws: ServerError.self) { try prepare(folder, now: Self.now.addingDays(3400)) }
        try FileManager.default.removeItem(atPath: "\(folder.path)/ca-key.pem")
        #expect(throws: ServerError.self) { try prepare(folder) }
    }

    @Test("a renewal that is killed at any step leaves the old authority or the new one, and no keys beside it")
    func interruptedRenewal() throws {
        let temporary = try TemporaryFolder()
        defer { temporary.remove() }
        let names = CertificateNames(machine: "my-machine", and: [])
        let old = CertificateFolder(path: temporary.path("old/tls"))
        let new = CertificateFolder(path: temporary.path("new/tls"))
        #expect(try old.keep(prepare(old)))
        try FileManager.default.createDirectory(atPath: temporary.path("new"), withIntermediateDirectories: true)
        try FileManager.default.copyItem(atPath: old.path, toPath: new.path)
        try new.renew(for: names, now: Self.now)
        // The folders that each step leaves, and the authority that then counts; the last are of older versions.
        let steps: [(folders: [String: CertificateFolder], counts: CertificateFolder)] = [
            (["tls": old, ".tls-aaaaaa": new], old),
            (["tls": old, ".tls-aaaaaa": new, ".tls-replaced-aaaaaa": CertificateFolder(path: "")], old),
            ([".tls-aaaaaa": new, ".tls-replaced-aaaaaa": old], old),
            (["tls": new, ".tls-replaced-aaaaaa": old], new),
            (["tls": new], new),
            ([".tls-aaaaaa": new, ".tls-bbbbbb": old], old), ([".tls-aaaaaa": old, ".tls-bbbbbb": new], old),
        ]
        for (number, step) in steps.enumerated() {
            for renews in [false, true] {
                let place = temporary.path("place-\(number)-\(renews)")
                try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: true)
                for (name, folder) in step.folders {
                    if folder.path.isEmpty {
                        try FileManager.default.createDirectory(
                            atPath: "\(place)/\(name)", withIntermediateDirectories: true)
                    } else {
                        try FileManager.default.copyItem(atPath: folder.path, toPath: "\(place)/\(name)")
                    }
                }
                let folder = CertificateFolder(path: "\(place)/tls")
                let expected = try Files.read(step.counts.authorityFile)
                if renews {
                    try folder.renew(for: names, now: Self.now)
                    #expect(try Files.read(folder.previousFile) == expected, "step \(number)")
                } else {
                    #expect(try !prepare(folder, []).isNewAuthority, "step \(number)")
                    #expect(try Files.read(folder.authorityFile) == expected, "step \(number)")
                }
                #expect(try Files.names(inFolder: place) == ["tls"], "step \(number)")
            }
        }
    }

    @Test("if two processes make an authority at the same time, the first one counts")
    func race() throws {
        let temporary = try TemporaryFolder()
        defer { temporary.remove() }
        let folder = CertificateFolder(path: temporary.path("tls"))
        let (first, second) = (try prepare(folder), try prepare(folder))
        #expect(try folder.keep(first))
        #expect(try !folder.keep(second))
        #expect(try prepare(folder).authority.certificate == first.authority.certificate)
        #expect(temporary.names == ["tls", "tls/ca-key.pem", "tls/ca.pem", "tls/server.pem"])
        try temporary.write("a file", to: "other")
        #expect(throws: ServerError.self) { try CertificateFolder(path: temporary.path("other")).keep(second) }
        #expect(throws: ServerError.self) { try CertificateFolder(path: temporary.path("other/tls")).keep(second) }
    }

    @Test("what is no name or address is in no certificate")
    func names() {
        let rows: [(String, Bool)] = [
            ("localhost", true), ("a.b-c.test", true), ("*.a.test", true), ("my_machine", true), ("10.0.0.1", true),
            ("::1", true), ("2001:db8::1", true), ("", false), ("a..b", false), ("-a", false), ("a-.b", false),
            ("a b", false), ("a.*.b", false), ("*", false), ("300.1.1.1", false), ("[::1]", false), ("a/b", false),
            (String(repeating: "a", count: 64), false), ("ä.test", false),
        ]
        for (name, isName) in rows { #expect(CertificateNames.isName(name) == isName, "\(name)") }
        #expect(UserFolder.path(dataHome: "/d", home: "/h") == "/d/syncline")
        #expect(UserFolder.path(dataHome: "relative", home: "/h") == "/h/.local/share/syncline")
        #expect(UserFolder.path(dataHome: nil, home: nil) == nil)
    }
}

@Suite("The trust store")
struct TrustStoreTests {
    @Test("an authority is put into a folder, known there, and taken out again; others stay")
    func folder() throws {
        let temporary = try TemporaryFolder()
        defer { temporary.remove() }
        try temporary.write("another's", to: "anchors/other.crt")
        var configuration = Configuration()
        configuration.data.folder = temporary.path("data")
        let store = TrustStore(folder: temporary.path("anchors"))
        let authority = try Authority.make(configuration)
        #expect(authority.file == temporary.path("data/tls/ca.pem"))
        #expect(!store.trusts(authority))
        try store.install(authority)
        try store.install(authority)
        #expect(store.trusts(authority) && temporary.names.contains { $0.hasPrefix("anchors/syncline-") })
        #expect(try Authority.make(configuration).bytes == authority.bytes)
        #expect(store.installCommands(authority).first?.hasPrefix("sudo cp \(authority.file) ") == true)
        try store.remove(authority)
        #expect(!store.trusts(authority))
        #expect(temporary.names.filter { $0.hasPrefix("anchors") } == ["anchors", "anchors/other.crt"])
        #expect(throws: ServerError.self) { try TrustStore(folder: temporary.path("none")).install(authority) }
    }

    @Test("the exit code of a program is returned, and a missing program is reported")
    func subprocess() throws {
        #expect(try Subprocess.run(["true"]) == 0)
        #expect(try Subprocess.run(["sh", "-c", "exit 7"]) == 7)
        #expect(throws: Files.Failure.self) { try Subprocess.run(["no-such-program-of-ours"]) }
    }
}
