import Foundation
import JSON
import Testing
import UserPools

@testable import Server

@Suite("Backups of users and their keys", .serialized)
struct UserBackupTests {
    private static let dev = ["dev", "--port", "0", "--tls", "off"]

    /// A folder with a schema, two passphrases, and the data folders `a` and `b`, each with a user, keys of its own and
    /// a backup with its keys.
    private func stage(_ names: [String] = ["a", "b"]) throws -> TemporaryFolder {
        let folder = try TemporaryFolder()
        try folder.write(CommandLineTests.valid, to: "schema.graphql")
        // Without a server, verbs make a data folder for a pool that is configured only.
        try folder.write(
            """
            {"userPool": {"id": "us-east-1_People", "clients": [{
              "id": "1example23456789", "explicitAuthFlows": ["ALLOW_USER_PASSWORD_AUTH", "ALLOW_REFRESH_TOKEN_AUTH"]
            }]}}
            """, to: "config/syncline.json")
        try folder.write("correct horse\n", to: "passphrase")
        try folder.write("another horse\n", to: "wrong")
        for name in names {
            let made = try run(
                ["users", "create", "ada", "--password", "Passw0rd-\(name)", "--data", name], in: folder)
            try #require(made.code == 0, "\(made)")
            let backup = try run(
                ["backup", "\(name).bak", "--passphrase-file", "passphrase", "--data", name], in: folder)
            try #require(backup.code == 0, "\(backup)")
        }
        return folder
    }

    /// Whose password signs in: that of `a` or `b`.
    private func owner(of data: String, in folder: TemporaryFolder) throws -> [String] {
        let server = try Running(Self.dev + ["--data", data], in: folder)
        defer { server.stop() }
        let client = try server.connect()
        return try ["a", "b"].filter { name in
            let text = JSONValue.object([
                "AuthFlow": "USER_PASSWORD_AUTH", "ClientId": "1example23456789",
                "AuthParameters": ["USERNAME": "ada", "PASSWORD": .string("Passw0rd-\(name)")],
            ]).description
            try client.send(
                "POST / HTTP/1.1\r\nHost: localhost\r\nX-Amz-Target: AWSCognitoIdentityProviderService.InitiateAuth\r\n"
                    + "Content-Length: \(text.utf8.count)\r\n\r\n\(text)")
            return try client.receive().body.contains("AccessToken")
        }
    }

    private func mode(_ path: String) throws -> Int? {
        try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
    }

    @Test("a restore over a folder with other keys lists what is lost and asks; with the right keys it does not")
    func otherKeys() throws {
        let folder = try stage()
        defer { folder.remove() }
        #expect(try run(["restore", "a.bak", "--data", "a", "--yes"], in: folder).complaint == "", "its own keys")
        // Both folders hold data: --yes answers that question, and what is lost is still said.
        let asked = try run(["restore", "b.bak", "--data", "a"], in: folder)
        #expect(asked.code == 7, "\(asked)")
        let lost = try run(["restore", "b.bak", "--data", "a", "--yes"], in: folder)
        #expect(
            lost.code == 0 && lost.complaint.contains("A restore loses the passwords of 1 user"), "\(lost)")
        #expect(try owner(of: "a", in: folder) == [], "a password of the backup opens with its keys only")
        // A folder that has keys and no data does not ask for the data; it asks for the keys.
        try FileManager.default.createDirectory(atPath: folder.path("c"), withIntermediateDirectories: true)
        try FileManager.default.copyItem(atPath: folder.path("a/keys"), toPath: folder.path("c/keys"))
        let refused = try run(["restore", "b.bak", "--data", "c"], in: folder)
        #expect(refused.code == 7 && refused.complaint.contains("the passwords of 1 user"), "\(refused)")
        #expect(try !FileManager.default.contentsOfDirectory(atPath: folder.path("c")).contains("tables.sqlite"))
        // The keys of another backup.
        try FileManager.default.copyItem(atPath: folder.path("b.bak"), toPath: folder.path("d.bak"))
        try FileManager.default.copyItem(atPath: folder.path("a.bak.keys"), toPath: folder.path("d.bak.keys"))
        let mixed = try run(["restore", "d.bak", "--data", "d", "--passphrase-file", "passphrase"], in: folder)
        #expect(mixed.code == 7 && mixed.complaint.contains("are not all those of"), "\(mixed)")
        let right = try run(
            ["restore", "b.bak", "--data", "a", "--passphrase-file", "passphrase", "--yes"], in: folder)
        #expect(right.code == 0 && right.complaint == "", "\(right)")
        #expect(try owner(of: "a", in: folder) == ["b"])
    }

    @Test(
        "a restore with keys, killed at any moment, leaves the old data with the old keys or the new with the new")
    func killed() throws {
        let folder = try stage()
        defer { folder.remove() }
        let files = FileManager.default
        try files.copyItem(atPath: folder.path("a"), toPath: folder.path("before"))
        let restore = ["restore", "b.bak", "--data", "a", "--passphrase-file", "passphrase", "--yes"]
        let began = ContinuousClock.now
        #expect(try run(restore, in: folder).code == 0)
        let duration = ContinuousClock.now - began
        let seed = UInt64.testSeed(in: .min ... .max)
        var random = SeededGenerator(seed: seed)
        var found: [String: Int] = [:]
        for round in 0..<6 {
            try files.removeItem(atPath: folder.path("a"))
            try files.copyItem(atPath: folder.path("before"), toPath: folder.path("a"))
            let process = try Command(restore, in: folder).process
            usleep(UInt32(duration / .microseconds(1) * Double.random(in: 0.6...1.2, using: &random)))
            process.send(SIGKILL)
            _ = process.waitUntilExit()
            let owner = try owner(of: "a", in: folder)
            #expect(owner.count == 1, "seed \(seed), round \(round): \(owner)")
            found[owner.first ?? "", default: 0] += 1
            let names = try files.contentsOfDirectory(atPath: folder.path("a"))
            #expect(!names.contains { $0.contains("restored") || $0.contains("replaced") }, "\(names)")
        }
        print("Killed restores with keys, by whose data was found: \(found), seed \(seed).")
    }

    @Test("a backup with more keys than a restore reads fails before it writes anything")
    func tooManyKeys() throws {
        let folder = try stage(["a"])
        defer { folder.remove() }
        // Without blocks on the disk.
        for number in 0..<150 {
            let path = folder.path("a/keys/us-east-1_\(number).json")
            try #require(FileManager.default.createFile(atPath: path, contents: nil))
            let file = try #require(FileHandle(forWritingAtPath: path))
            try file.truncate(atOffset: 1 << 20)
            try file.close()
        }
        let backup = try run(["backup", "large.bak", "--passphrase-file", "passphrase", "--data", "a"], in: folder)
        #expect(backup.code == 7 && backup.complaint.contains("at most 256 MiB"), "\(backup)")
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path(""))
        #expect(!names.contains { $0.hasPrefix("large.bak") }, "\(names)")
    }

    @Test("a file of keys that is cut, changed, foreign or of another passphrase changes nothing")
    func damagedKeys() throws {
        let folder = try stage(["a"])
        defer { folder.remove() }
        let whole = try Data(contentsOf: URL(filePath: folder.path("a.bak.keys")))
        let text = String(decoding: whole, as: UTF8.self)
        let before = try FileManager.default.contentsOfDirectory(atPath: folder.path("a/keys")).sorted()
        var rows: [(Data, String, Int32)] = [0, 1, whole.count / 2, whole.count - 3].map {
            (whole.prefix($0), "passphrase", 5)
        }
        rows.append((whole, "wrong", 5))
        rows.append(
            (Data(text.replacingOccurrences(of: #""rounds":32768"#, with: #""rounds":1"#).utf8), "passphrase", 5))
        rows.append((Data(text.replacingOccurrences(of: #""sealed":"A"#, with: #""sealed":"B"#).utf8), "wrong", 5))
        rows.append((Data(#"{"version":1}"#.utf8), "passphrase", 5))
        for (index, row) in rows.enumerated() {
            try row.0.write(to: URL(filePath: folder.path("a.bak.keys")))
            let outcome = try run(
                ["restore", "a.bak", "--data", "a", "--yes", "--passphrase-file", row.1], in: folder)
            #expect(outcome.code == row.2 && outcome.complaint.contains("a.bak.keys"), "\(index): \(outcome)")
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path("a/keys")).sorted() == before)
        try FileManager.default.removeItem(atPath: folder.path("a.bak.keys"))
        let missing = try run(
            ["restore", "a.bak", "--data", "a", "--yes", "--passphrase-file", "passphrase"], in: folder)
        #expect(missing.code == 2, "\(missing)")
        #expect(try owner(of: "a", in: folder) == ["a"])
    }

    @Test("files of keys are their owner's alone, take the place of links, and are not replaced without --force")
    func links() throws {
        let folder = try stage(["a"])
        defer { folder.remove() }
        let files = FileManager.default
        #expect(try mode(folder.path("a.bak.keys")) == 0o600)
        let again = try run(
            ["backup", "new.bak", "--passphrase-file", "passphrase", "--data", "a"], in: folder)
        #expect(again.code == 0)
        try files.removeItem(atPath: folder.path("new.bak"))
        let refused = try run(
            ["backup", "new.bak", "--passphrase-file", "passphrase", "--data", "a"], in: folder)
        #expect(refused.code == 7 && refused.complaint.contains("new.bak.keys is there already"), "\(refused)")
        #expect(!files.fileExists(atPath: folder.path("new.bak")), "nor is the backup made")
        // A link in place of the target is replaced; what it leads to stays.
        try folder.write("precious", to: "target")
        try files.removeItem(atPath: folder.path("new.bak.keys"))
        try files.createSymbolicLink(
            atPath: folder.path("new.bak.keys"), withDestinationPath: folder.path("target"))
        let forced = try run(
            ["backup", "new.bak", "--passphrase-file", "passphrase", "--data", "a", "--force"], in: folder)
        #expect(forced.code == 0, "\(forced)")
        #expect(try String(contentsOfFile: folder.path("target"), encoding: .utf8) == "precious")
        #expect(try mode(folder.path("new.bak.keys")) == 0o600)
        let restore = ["restore", "new.bak", "--data", "c", "--passphrase-file", "passphrase"]
        try files.createDirectory(atPath: folder.path("c"), withIntermediateDirectories: true)
        try files.createDirectory(atPath: folder.path("elsewhere"), withIntermediateDirectories: true)
        try files.createSymbolicLink(atPath: folder.path("c/keys"), withDestinationPath: folder.path("elsewhere"))
        let linked = try run(restore, in: folder)
        #expect(linked.code == 7 && linked.complaint.contains("is a symbolic link"), "\(linked)")
        #expect(try files.contentsOfDirectory(atPath: folder.path("elsewhere")).isEmpty)
        try files.removeItem(atPath: folder.path("c/keys"))
        // What a killed restore left half written.
        try files.createDirectory(atPath: folder.path("c/keys.restored"), withIntermediateDirectories: true)
        try folder.write("{", to: "c/keys.restored/sealing.json")
        let interrupted = try run(
            ["backup", "x.bak", "--passphrase-file", "passphrase", "--data", "c"], in: folder)
        #expect(interrupted.code == 5, "\(interrupted)")
        let restored = try run(restore, in: folder)
        #expect(restored.code == 0, "\(restored)")
        for name in try files.contentsOfDirectory(atPath: folder.path("c/keys")) {
            #expect(try mode(folder.path("c/keys/\(name)")) == 0o600, "\(name)")
        }
        #expect(try mode(folder.path("c/keys")) == 0o700)
        #expect(try owner(of: "c", in: folder) == ["a"])
    }

    @Test("a backup holds no code and no temporary password as text, and the outbox shows them")
    func codes() throws {
        let folder = try stage([])
        defer { folder.remove() }
        let made = try run(
            ["users", "create", "eve", "--email", "eve@example.com", "--data", "a"], in: folder)
        try #require(made.code == 0, "\(made)")
        let message = try JSONReader.read(try run(["outbox", "--json", "--data", "a"], in: folder).output)
        let password = try #require(message["code"]?.stringValue)
        #expect(message["text"]?.stringValue?.contains(password) == true)
        try #require(try run(["backup", "a.bak", "--data", "a"], in: folder).code == 0)
        let bytes = try Data(contentsOf: URL(filePath: folder.path("a.bak")))
        #expect(bytes.range(of: Data("eve@example.com".utf8)) != nil)
        #expect(
            bytes.range(of: Data(password.utf8)) == nil && bytes.range(of: Data("temporary password".utf8)) == nil)
        let restored = try run(["restore", "a.bak", "--data", "c", "--yes"], in: folder)
        #expect(restored.complaint.contains("1 message of the outbox"), "\(restored)")
        let lost = try JSONReader.read(try run(["outbox", "--data", "c"], in: folder).output)
        #expect(lost["lost"] == true && lost["code"] == .null && lost["recipient"] == "eve@example.com")
    }
}
