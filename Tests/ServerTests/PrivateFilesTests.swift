import Foundation
import Testing

@testable import Server

@Suite("The data folder's files are the server's user's alone")
struct PrivateFilesTests {
    private func mode(_ path: String) throws -> Int? {
        try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
    }

    @Test("a start makes every file of an existing folder 0600, and has Git ignore the folder")
    func existing() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        try folder.write(CommandLineTests.valid, to: "schema.graphql")
        func files() throws -> [String] {
            folder.names.filter { name in
                var isFolder: ObjCBool = false
                _ = unsafe FileManager.default.fileExists(atPath: folder.path(name), isDirectory: &isFolder)
                return name.hasPrefix(".syncline/") && !isFolder.boolValue
            }
        }
        let first = try Running(["dev", "--port", "0"], in: folder)
        #expect(try run(["operators", "create", "ada", "--role", "owner", "--token"], in: folder).code == 0)
        try #require(first.stop().code == 0)
        #expect(try mode(folder.path(".syncline")) == 0o700)
        for name in try files() {
            try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: folder.path(name))
        }
        let second = try Running(["dev", "--port", "0"], in: folder)
        defer { second.stop() }
        let names = try files()
        #expect(names.count >= 10, "\(names)")
        for name in names where name != ".syncline/.gitignore" {
            #expect(try mode(folder.path(name)) == 0o600, "\(name)")
        }
        let ignored = try String(contentsOfFile: folder.path(".syncline/.gitignore"), encoding: .utf8)
        #expect(ignored.split(separator: "\n").contains("*"))
    }

    @Test("an existing .gitignore stays, and none is written into a folder that holds other files")
    func gitignore() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        try folder.write("mine\n", to: "own/.gitignore")
        try folder.write("", to: "own/lock")
        try folder.write("type A", to: "project/schema.graphql")
        try folder.write("", to: "project/lock")
        try folder.write("", to: "ours/tables.sqlite")
        for name in ["own", "project", "ours", "none"] { PrivateFiles.secure(folder.path(name)) }
        #expect(try String(contentsOfFile: folder.path("own/.gitignore"), encoding: .utf8) == "mine\n")
        #expect(!folder.names.contains("project/.gitignore") && folder.names.contains("ours/.gitignore"))
        #expect(!folder.names.contains("none"))
    }
}
