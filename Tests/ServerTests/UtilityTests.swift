import Encodings
import Foundation
import GraphQL
import Testing

@testable import Server

@Suite("Utilities")
struct UtilityTests {
    @Test("a sealed text opens with its key and binding, and with no other, and not when a character is changed")
    func seal() throws {
        let seal = Seal(key: Array(0..<32))
        let plain = Array("position".utf8)
        let token = seal.seal(plain, binding: [1, 2])
        #expect(token.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-" || $0 == "_") })
        #expect(seal.open(token, binding: [1, 2]) == plain)
        #expect(seal.open(token, binding: [1]) == nil)
        #expect(Seal(key: Array(1..<33)).open(token, binding: [1, 2]) == nil)
        #expect(seal.seal(plain, binding: [1, 2]) != token, "each seal has a nonce of its own")
        for index in token.indices {
            var changed = token
            changed.replaceSubrange(index...index, with: token[index] == "A" ? "B" : "A")
            #expect(seal.open(changed, binding: [1, 2]) == nil)
        }
        for text in ["", "A", "é", "===", String(repeating: "A", count: 10_000)] {
            #expect(seal.open(text, binding: [1, 2]) == nil)
        }
    }

    @Test("base64url is RFC 4648's, without padding")
    func base64URL() {
        let rows: [(String, String)] = [
            ("", ""), ("f", "Zg"), ("fo", "Zm8"), ("foo", "Zm9v"), ("foob", "Zm9vYg"), ("fooba", "Zm9vYmE"),
            ("foobar", "Zm9vYmFy"),
        ]
        for (plain, text) in rows {
            #expect(Base64.encodeURL(Array(plain.utf8)) == text)
            #expect(Base64.decodeURL(text) == Array(plain.utf8))
        }
        #expect(Base64.encodeURL([0xFB, 0xFF]) == "-_8")
        for text in ["Z", "Zh", "Zg==", "Z g", "+/8"] { #expect(Base64.decodeURL(text) == nil, "\(text)") }
    }

    @Test("bytes are equal when each of them is, however many there are")
    func equalBytes() {
        for count in 0...40 {
            let bytes = (0..<count).map { UInt8($0) }
            #expect(areEqual(bytes, bytes))
            #expect(!areEqual(bytes, bytes + [0]) && !areEqual(bytes + [0], bytes))
            for place in bytes.indices {
                var other = bytes
                other[place] ^= 0x80
                #expect(!areEqual(bytes, other), "byte \(place) of \(count)")
            }
        }
    }

    private func areEqual(_ bytes: [UInt8], _ other: [UInt8]) -> Bool {
        unsafe bytes.withUnsafeBytes { bytes in unsafe other.withUnsafeBytes { unsafe bytes.hasEqualBytes($0) } }
    }

    @Test(
        "moments are written as RFC 3339 writes them",
        arguments: [
            (0, "1970-01-01T00:00:00.000Z"), (951_782_399_999, "2000-02-28T23:59:59.999Z"),
            (951_782_400_000, "2000-02-29T00:00:00.000Z"), (1_767_225_600_001, "2026-01-01T00:00:00.001Z"),
            (4_102_444_799_000, "2099-12-31T23:59:59.000Z"), (4_107_542_400_000, "2100-03-01T00:00:00.000Z"),
        ])
    func moments(milliseconds: Int64, text: String) {
        #expect(Moment(milliseconds: milliseconds).text == text)
    }

    @Test("a change counts once, and only when two looks agree on it")
    func watcher() {
        func view(_ size: Int64) -> Watcher.View {
            ["f": Files.Fingerprint(inode: 1, size: size, modifiedSeconds: 0, modifiedNanoseconds: 0)]
        }
        var watcher = Watcher(view(0))
        let looks: [(Watcher.View, Bool)] = [
            (view(0), false), (view(1), false), (view(2), false), (view(2), true), (view(2), false),
            ([:], false), (view(2), false), (view(2), false), ([:], false), ([:], true),
        ]
        for (number, (view, isChange)) in looks.enumerated() {
            #expect(watcher.hasSettledChange(view) == isChange, "look \(number)")
        }
    }

    @Test("a folder's schema is its *.graphql files in the order of their names; a named file comes where it is named")
    func schemaFiles() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        for name in ["b.graphql", "a.graphql", "c.txt", "z.graphql"] {
            try folder.write("type \(name.prefix(1)) { f: Int }", to: "s/\(name)")
        }
        var configuration = Configuration()
        configuration.schema.paths = [folder.path("s/z.graphql"), folder.path("s")]
        let names = try SchemaFiles(configuration).read().map { $0.name.split(separator: "/").last ?? "" }
        #expect(names == ["z.graphql", "a.graphql", "b.graphql", "z.graphql"])
        configuration.schema.paths = [folder.path("s/none.graphql"), folder.path("empty")]
        try FileManager.default.createDirectory(atPath: folder.path("empty"), withIntermediateDirectories: true)
        let error = #expect(throws: ServerError.self) { try SchemaFiles(configuration).read() }
        #expect(error?.code == .invalid && error?.diagnostics.count == 2)
    }

    @Test("a file is written in one step, and no other file is touched, whatever its name")
    func written() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let other = "file.\(Files.processIdentifier)"
        try folder.write("mine", to: other)
        try FileManager.default.createSymbolicLink(
            atPath: folder.path("link"), withDestinationPath: folder.path(other))
        // The longest name that a file may have.
        let long = String(repeating: "n", count: 255)
        for (text, name) in [("one", "file"), ("two", "file"), ("three", "link"), ("four", long)] {
            try Files.write(text, to: folder.path(name))
            #expect(try Files.read(folder.path(name)) == Array(text.utf8), "\(name)")
        }
        let error = #expect(throws: Files.Failure.self) {
            try Files.write("five", to: folder.path("file"), draft: folder.path(other))
        }
        #expect(error?.code == EEXIST)
        try FileManager.default.createDirectory(atPath: folder.path("folder"), withIntermediateDirectories: true)
        #expect(throws: Files.Failure.self) { try Files.write("six", to: folder.path("folder")) }
        #expect(try Files.read(folder.path(other)) == Array("mine".utf8))
        #expect(try Files.read(folder.path("file")) == Array("two".utf8))
        #expect(folder.names.sorted() == [other, "file", "folder", "link", long].sorted(), "no draft is left")
    }

    @Test("an ephemeral folder is accessible to this user only, and is removed with its contents")
    func ephemeralFolder() throws {
        let folder = try EphemeralFolder()
        let mode = try FileManager.default.attributesOfItem(atPath: folder.path)[.posixPermissions] as? Int
        #expect(mode == 0o700)
        try FileManager.default.createDirectory(atPath: folder.path + "/deep/er", withIntermediateDirectories: true)
        try Files.write("text", to: folder.path + "/deep/file")
        #expect(try Files.read(folder.path + "/deep/file") == Array("text".utf8))
        folder.remove()
        #expect(!Files.exists(folder.path))
    }

    @Test("the folder of a server that was killed is removed by the next one, and no other folder is")
    func abandonedFolder() throws {
        let parent = try TemporaryFolder()
        defer { parent.remove() }
        let used = try EphemeralFolder(in: parent.url.path)
        try parent.write("x", to: "syncline-ephemeral-killed/objects/00/blob")
        try parent.write("x", to: "syncline-other/file")
        try parent.write("x", to: "target/file")
        try FileManager.default.createSymbolicLink(
            atPath: parent.path("syncline-ephemeral-link"), withDestinationPath: parent.path("target"))
        let next = try EphemeralFolder(in: parent.url.path)
        #expect(!Files.exists(parent.path("syncline-ephemeral-killed")))
        #expect(Files.isFolder(used.path) && Files.isFolder(next.path) && used.path != next.path)
        #expect(Files.exists(parent.path("syncline-other/file")) && Files.exists(parent.path("target/file")))
        used.remove()
        next.remove()
    }

    @Test("a file larger than its bound is refused")
    func fileBound() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        try folder.write("12345", to: "f")
        #expect(try Files.read(folder.path("f"), bytesMax: 5).count == 5)
        #expect(throws: Files.Failure.self) { try Files.read(folder.path("f"), bytesMax: 4) }
    }
}
