import Foundation
import Testing

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// `syncline codegen models` and `syncline dev --codegen`, as a script runs them.
@Suite("Code generation by the command line")
struct CodegenVerbTests {
    private static let schema = "type Post @model { id: ID! title: String }\ntype Tag @model { id: ID! }\n"
    private static let models = ["codegen", "models", "--out", "Models"]

    private func text(_ name: String, in folder: TemporaryFolder) throws -> String {
        try String(contentsOfFile: folder.path(name), encoding: .utf8)
    }

    @Test("the models are written once, and a second run writes nothing")
    func writes() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        try folder.write(Self.schema, to: "schema.graphql")
        let first = try run(Self.models, in: folder)
        #expect(first.code == 0 && first.output.contains("5 files in Models: 5 written, 0 removed."), "\(first)")
        #expect(
            folder.names.filter { $0.hasPrefix("Models/") } == [
                "Models/.syncline-codegen.json", "Models/AmplifyModels.swift", "Models/Post+Schema.swift",
                "Models/Post.swift", "Models/Tag+Schema.swift", "Models/Tag.swift",
            ])
        #expect(try text("Models/Post.swift", in: folder).hasSuffix("}"))
        #expect(try run(Self.models, in: folder).output.contains("5 files in Models: 0 written, 0 removed."))
        #expect(!folder.names.contains { $0.hasSuffix("syncline") || $0.contains("tables.sqlite") }, "no data is made")
    }

    @Test("what was generated and is no longer in the schema is removed, unless it was edited; nothing else is")
    func stale() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        try folder.write(Self.schema, to: "schema.graphql")
        #expect(try run(Self.models, in: folder).code == 0)
        let own = "// swiftlint:disable all\nimport Amplify\nimport Foundation\n\nlet mine = 1\n"
        try folder.write(own, to: "Models/Mine.swift")
        try folder.write("edited", to: "Models/Tag+Schema.swift")
        try folder.write("type Post @model { id: ID! title: String }", to: "schema.graphql")
        let check = try run(Self.models + ["--check"], in: folder)
        #expect(check.code == 8, "\(check)")
        #expect(check.complaint.contains("differs: Models/AmplifyModels.swift"))
        #expect(check.complaint.contains("stale: Models/Tag.swift") && !check.complaint.contains("Mine"))
        #expect(folder.names.contains("Models/Tag.swift"), "a check changes nothing")

        let outcome = try run(Self.models, in: folder)
        #expect(outcome.output.contains("3 files in Models: 1 written, 1 removed."), "\(outcome)")
        #expect(outcome.complaint.contains("Models/Tag+Schema.swift is not in the schema, but was edited"))
        #expect(try text("Models/Mine.swift", in: folder) == own)
        #expect(try text("Models/Tag+Schema.swift", in: folder) == "edited")
        #expect(!folder.names.contains("Models/Tag.swift"))
        #expect(try run(Self.models + ["--check"], in: folder).code == 0)
    }

    @Test("a type whose name changes in case alone keeps its file where names of files ignore case")
    func renamedInCase() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        func generate(_ name: String) throws {
            try folder.write("type Post @model { id: ID! s: \(name) }\nenum \(name) { a }", to: "schema.graphql")
            let outcome = try run(Self.models, in: folder)
            #expect(outcome.code == 0, "\(outcome)")
        }
        try generate("status")
        // As on such a disk, the new name leads to the file that has the old one. Its text is the same.
        #expect(unsafe link(folder.path("Models/status.swift"), folder.path("Models/Status.swift")) == 0)
        try generate("Status")
        #expect(folder.names.contains("Models/Status.swift") && folder.names.contains("Models/status.swift"))
        #expect(try run(Self.models + ["--check"], in: folder).code == 0)

        // On other disks it is a file of its own.
        try folder.write("{}", to: "Models/.syncline-codegen.json")
        for name in ["Models/Status.swift", "Models/status.swift"] {
            try FileManager.default.removeItem(atPath: folder.path(name))
        }
        try generate("status")
        try generate("Status")
        #expect(folder.names.contains("Models/Status.swift") && !folder.names.contains("Models/status.swift"))
    }

    @Test("a list that names files outside the folder removes none of them")
    func foreignList() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        try folder.write(Self.schema, to: "schema.graphql")
        try folder.write("precious", to: "precious.swift")
        // The digest is the MD5 of the text, as a list would have it.
        let digest = "23f9d50ecd20ccc464f4ad45a3328948"
        try folder.write(
            "{\"swift\":{\"../precious.swift\":\"\(digest)\",\".hidden.swift\":\"\(digest)\"}}",
            to: "Models/.syncline-codegen.json")
        try folder.write("precious", to: "Models/.hidden.swift")
        #expect(try run(Self.models, in: folder).code == 0)
        #expect(folder.names.contains("precious.swift") && folder.names.contains("Models/.hidden.swift"))
        try folder.write("no JSON", to: "Models/.syncline-codegen.json")
        let outcome = try run(Self.models, in: folder)
        #expect(outcome.code == 1 && outcome.complaint.contains("hint: Remove it."), "\(outcome)")
    }

    @Test("a file of JSON that is no list of generated files is not replaced by one")
    func foreignJSON() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        try folder.write(Self.schema, to: "schema.graphql")
        let package = #"{"name": "shop", "swift": {"version": 6}}"#
        try folder.write(package, to: "package.json")
        let outcome = try run(Self.models + ["--list", "package.json"], in: folder)
        #expect(outcome.code == 7 && outcome.complaint.contains("package.json is no list"), "\(outcome)")
        #expect(try text("package.json", in: folder) == package && !folder.names.contains("Models/Post.swift"))
    }

    @Test("a file that is listed and that no generator wrote is neither removed nor replaced")
    func listedForeign() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        try folder.write(Self.schema, to: "schema.graphql")
        try folder.write("precious", to: "Models/mine.swift")
        try folder.write("precious", to: "Models/Post.swift")
        try folder.write(
            #"{"swift": {"mine.swift": "23f9d50ecd20ccc464f4ad45a3328948", "Post.swift": "0"}}"#,
            to: "Models/.syncline-codegen.json")
        #expect(try run(Self.models, in: folder).code == 7)
        #expect(try text("Models/Post.swift", in: folder) == "precious")
        try FileManager.default.removeItem(atPath: folder.path("Models/Post.swift"))
        #expect(try run(Self.models, in: folder).code == 0)
        #expect(try text("Models/mine.swift", in: folder) == "precious")
    }

    @Test("links are not followed out of the folder; what is no file is not replaced")
    func links() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        try folder.write(Self.schema, to: "schema.graphql")
        let files = FileManager.default
        try files.createDirectory(atPath: folder.path("real"), withIntermediateDirectories: true)
        try files.createSymbolicLink(atPath: folder.path("Models"), withDestinationPath: "real")
        let generated = "// swiftlint:disable all\nimport Amplify\nimport Foundation\n\n// another project's"
        try folder.write(generated, to: "elsewhere/Post.swift")
        try files.createSymbolicLink(
            atPath: folder.path("real/Post.swift"), withDestinationPath: folder.path("elsewhere/Post.swift"))
        let outcome = try run(Self.models, in: folder)
        #expect(outcome.code == 0, "\(outcome)")
        #expect(try text("elsewhere/Post.swift", in: folder) == generated)
        #expect(try text("real/Post.swift", in: folder).contains("public struct Post: Model"))
        #expect(try files.destinationOfSymbolicLink(atPath: folder.path("Models")) == "real")

        try folder.write("precious", to: "elsewhere/Tag.swift")
        try files.removeItem(atPath: folder.path("real/Tag.swift"))
        try files.createSymbolicLink(
            atPath: folder.path("real/Tag.swift"), withDestinationPath: folder.path("elsewhere/Tag.swift"))
        #expect(try run(Self.models, in: folder).code == 7)
        #expect(try run(Self.models + ["--force"], in: folder).code == 0)
        #expect(try text("elsewhere/Tag.swift", in: folder) == "precious")

        // A pipe has nobody who writes, and a folder is no file.
        try files.removeItem(atPath: folder.path("real/Tag.swift"))
        #expect(unsafe mkfifo(folder.path("real/Tag.swift"), 0o600) == 0)
        #expect(try run(Self.models, in: folder).code == 7)
        try files.removeItem(atPath: folder.path("real/Tag.swift"))
        try files.createDirectory(atPath: folder.path("real/Tag.swift"), withIntermediateDirectories: true)
        #expect(try run(Self.models, in: folder).code == 7)

        try folder.write("a file", to: "plain")
        let plain = try run(["codegen", "models", "--out", "plain"], in: folder)
        #expect(plain.code == 1 && plain.complaint.contains("plain"), "\(plain)")
        #expect(try text("plain", in: folder) == "a file")
    }

    @Test("a type that has the name of the registry is refused")
    func registryName() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let types = ["AmplifyModels", "amplifymodels"].map { "type \($0) @model { id: ID! }" }
        let relation = #"@manyToMany(relationName: "../amplify models")"#
        let join = "type A @model { id: ID! b: [B] \(relation) }\ntype B @model { id: ID! a: [A] \(relation) }"
        for schema in types + [join] {
            try folder.write(schema, to: "schema.graphql")
            let outcome = try run(Self.models, in: folder)
            #expect(outcome.code == 3 && outcome.complaint.contains("AmplifyModels.swift"), "\(outcome)")
            #expect(folder.names == ["schema.graphql"])
        }
    }

    @Test("a run that is killed leaves whole files alone, and the next one finishes its work")
    func killed() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let types = (0..<150).map { "type T\($0) @model { id: ID! title: String }" }
        try folder.write(types.joined(separator: "\n"), to: "schema.graphql")
        #expect(try run(["codegen", "models", "--out", "Whole"], in: folder).code == 0)
        var hasTornRun = false
        for count in [1, 40, 120, 200, 280] {
            try? FileManager.default.removeItem(atPath: folder.path("Models"))
            let command = try Command(Self.models, in: folder)
            let models = TemporaryFolder(url: folder.url.appending(path: "Models"))
            while command.process.isRunning, models.names.count < count { usleep(200) }
            command.process.send(SIGKILL)
            _ = command.wait()
            let written = models.names.filter { $0.hasSuffix(".swift") }
            hasTornRun = hasTornRun || (1..<301).contains(written.count)
            for name in written {
                #expect(try text("Models/\(name)", in: folder) == text("Whole/\(name)", in: folder), "\(name)")
            }
            // Each file that is there is known to the next run, which has another schema.
            try folder.write("type Post @model { id: ID! }", to: "schema.graphql")
            let next = try run(Self.models, in: folder)
            #expect(next.code == 0, "\(next)")
            #expect(
                models.names == [
                    ".syncline-codegen.json", "AmplifyModels.swift", "Post+Schema.swift", "Post.swift",
                ], "after \(written.count) files")
            try folder.write(types.joined(separator: "\n"), to: "schema.graphql")
        }
        #expect(hasTornRun, "no run was killed in the middle")
    }

    @Test("the draft of a process that has ended is removed, and that of one that runs is not")
    func drafts() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        try folder.write(Self.schema, to: "schema.graphql")
        let own = "Models/.syncline-codegen.draft.\(ProcessInfo.processInfo.processIdentifier)"
        let other = "Models/.syncline-codegen.draft.\(Int32.max)"
        let kept = [own, "\(own)-1f", "Models/.syncline-codegen.draft.x", "Models/.syncline-codegen.draft.-1f"]
        let ended = [other, "\(other)-1f"]
        for name in kept + ended { try folder.write("// half", to: name) }
        #expect(try run(Self.models, in: folder).code == 0)
        for name in kept {
            #expect(try String(contentsOfFile: folder.path(name), encoding: .utf8) == "// half", "\(name)")
        }
        #expect(folder.names.filter { $0.contains(".draft.") }.sorted() == kept.sorted())
    }

    @Test(
        "models are generated of a project that cannot be served as it is",
        arguments: ["landmarks-v2-auth", "booking-datastore"])
    func projects(name: String) throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        // One has a function without URL, the other has two environments of which none is checked out.
        try FileManager.default.copyItem(
            at: TidyTests.root.appending(path: "Tests/AmplifyTests/Fixtures/\(name)/amplify"),
            to: folder.url.appending(path: "amplify"))
        let outcome = try run(Self.models, in: folder)
        #expect(outcome.code == 0 && folder.names.contains("Models/AmplifyModels.swift"), "\(outcome)")
    }

    @Test("a file that no generator wrote is not replaced, and nothing is written beside it")
    func refused() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        try folder.write(Self.schema, to: "schema.graphql")
        try folder.write("struct Post {}", to: "Models/Post.swift")
        // Amplify's generator wrote this one.
        try folder.write(
            "// swiftlint:disable all\nimport Amplify\nimport Foundation\n\npublic struct Tag: Model {\n}",
            to: "Models/Tag.swift")
        let refused = try run(Self.models, in: folder)
        #expect(refused.code == 7, "\(refused)")
        #expect(
            refused.complaint.contains("Models/Post.swift exists and was not generated")
                && !refused.complaint.contains("Tag"))
        #expect(folder.names.filter { $0.hasPrefix("Models/") } == ["Models/Post.swift", "Models/Tag.swift"])
        #expect(try run(Self.models + ["--force"], in: folder).code == 0)
        #expect(try text("Models/Post.swift", in: folder).contains("public struct Post: Model {"))
    }

    @Test("a check of a folder that is not there names every file and makes nothing")
    func missing() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        try folder.write(Self.schema, to: "schema.graphql")
        let outcome = try run(Self.models + ["--check"], in: folder)
        #expect(outcome.code == 8 && outcome.output.isEmpty)
        #expect(outcome.complaint.split(separator: "\n").count == 5)
        #expect(outcome.complaint.contains("missing: Models/AmplifyModels.swift"))
        #expect(folder.names == ["schema.graphql"])
    }

    @Test("the feature flags of the project decide, or the profile that is named")
    func profiles() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        try folder.write(Self.schema, to: "schema.graphql")
        func schema(_ configuration: String, _ arguments: [String] = []) throws -> String {
            try folder.write(configuration, to: "config/syncline.json")
            let outcome = try run(Self.models + arguments, in: folder)
            #expect(outcome.code == 0, "\(outcome)")
            return try text("Models/Post+Schema.swift", in: folder)
        }
        #expect(try schema("{}").contains("model.pluralName") && schema("{}").contains("isReadOnly: true"))
        #expect(try schema("{\"transformerVersion\": 2}").contains(".primaryKey(fields: [post.id])"))
        let old = "{\"featureFlags\": {\"features\": {\"codegen\": {\"useappsyncmodelgenplugin\": true}}}}"
        #expect(try !schema(old).contains("isReadOnly"), "what a project does not set is off")
        let newer = "{\"featureFlags\": {\"features\": {\"codegen\": {\"addtimestampfields\": true}}}}"
        #expect(try schema(newer).contains("isReadOnly"))
        #expect(try schema("{\"codegen\": {\"addTimestampFields\": true}}").contains("isReadOnly"))
        #expect(try schema(newer, ["--profile", "v2-lazy"]).contains("rootPath"))
        #expect(try run(Self.models + ["--profile", "v3"], in: folder).code == 2)
        try folder.write("{\"codegen\": {\"addTimestamps\": true}}", to: "config/syncline.json")
        let unknown = try run(Self.models, in: folder)
        #expect(unknown.code == 3 && unknown.complaint.contains("config/syncline.json:1:14: error: Unknown key"))
    }

    @Test("the build phase of Xcode generates the models, or says what it lacks")
    func buildPhase() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let streams = try TemporaryFolder()
        defer { streams.remove() }
        let script = TidyTests.root.appending(path: "Integrations/xcode-models").path
        func build(_ variables: String) throws -> (code: Int32, complaint: String) {
            for name in ["output", "complaint"] { try streams.write("", to: name) }
            let process = try ChildProcess(
                "/bin/sh", ["-c", "HOME=/nowhere SRCROOT=\"$PWD\" \(variables) exec \"$0\"", script],
                in: folder.url.path, output: streams.path("output"), complaint: streams.path("complaint"))
            let code = process.waitUntilExit()
            return (code, try text("complaint", in: streams))
        }
        let binary = "SYNCLINE='\(try Command.binary.path)'"
        let none = try build("SYNCLINE=/nowhere/syncline")
        #expect(none.code == 1 && none.complaint.hasPrefix("error: syncline is not installed"), "\(none)")
        let noSchema = try build(binary)
        #expect(
            noSchema.code == 1 && noSchema.complaint.contains("error: there is no schema.graphql in"), "\(noSchema)")
        try folder.write(Self.schema, to: "amplify/backend/api/blog/schema.graphql")
        let built = try build(binary)
        #expect(built.code == 0 && folder.names.contains("AmplifyModels/Post.swift"), "\(built)")
        #expect(try build("\(binary) SYNCLINE_CHECK=1").code == 0)
        #expect(try build("\(binary) SYNCLINE_PROFILE=v2 SYNCLINE_CHECK=1").code == 8)
        #expect(!folder.names.contains { $0.hasPrefix("amplify/") && $0.hasSuffix(".swift") })

        // Of a whole project its own schema, and not the one that lies beside it.
        try folder.write(#"{"api": {"blog": {"service": "AppSync"}}}"#, to: "amplify/backend/backend-config.json")
        try folder.write("type Other @model { id: ID! }", to: "schema.graphql")
        let project = try build(binary)
        #expect(project.code == 0 && folder.names.contains("AmplifyModels/Post.swift"), "\(project)")
        #expect(!folder.names.contains("AmplifyModels/Other.swift"))
        #expect(try build("\(binary) SYNCLINE_SCHEMA=schema.graphql").code == 0)
        #expect(
            folder.names.contains("AmplifyModels/Other.swift") && !folder.names.contains("AmplifyModels/Post.swift"))
    }

    @Test("the list of generated files may be elsewhere")
    func list() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        try folder.write(Self.schema, to: "schema.graphql")
        #expect(try run(Self.models + ["--list", "list.json"], in: folder).code == 0)
        #expect(folder.names.contains("list.json") && !folder.names.contains("Models/.syncline-codegen.json"))
        try folder.write("type Post @model { id: ID! title: String }", to: "schema.graphql")
        #expect(try run(Self.models + ["--list", "list.json"], in: folder).output.contains("2 removed"))
    }

    @Test("the list of generated files takes the name of none of them")
    func listInPlaceOfModel() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        try folder.write(Self.schema, to: "schema.graphql")
        let outcome = try run(Self.models + ["--list", "Models/Post.swift"], in: folder)
        #expect(outcome.code == 2 && outcome.complaint.contains("Models/Post.swift has the name of one"), "\(outcome)")
        #expect(folder.names == ["schema.graphql"])
    }

    @Test("introspection is written beside Swift, each with its own list")
    func introspection() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        try folder.write(Self.schema, to: "schema.graphql")
        #expect(try run(Self.models, in: folder).code == 0)
        #expect(try run(Self.models + ["--target", "introspection"], in: folder).code == 0)
        #expect(folder.names.contains("Models/Post.swift"))
        #expect(try text("Models/model-introspection.json", in: folder).hasPrefix("{\n    \"version\": 1,"))
        #expect(try run(Self.models + ["--check"], in: folder).code == 0)
    }

    @Test("a schema that cannot be generated from is 3, with place and hint, and writes nothing")
    func invalid() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        try folder.write("type Post @model { id: ID! blog: Blgo }\ntype Blog @model { id: ID! }", to: "schema.graphql")
        let outcome = try run(Self.models, in: folder)
        #expect(outcome.code == 3 && outcome.complaint.contains("schema.graphql:1:28: error:"), "\(outcome)")
        #expect(folder.names == ["schema.graphql"])
        try folder.write("type Post @model { id: ID! }\ntype post @model { id: ID! }", to: "schema.graphql")
        let same = try run(Self.models, in: folder)
        #expect(same.code == 3 && folder.names == ["schema.graphql"], "names that differ in case alone: \(same)")
        try folder.write(
            "type Post @model @searchable { id: ID! title: String }", to: "schema.graphql")
        #expect(try run(Self.models, in: folder).code == 0, "what is not served is generated")
    }

    @Test("dev keeps the models current when the schema changes")
    func dev() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        try folder.write(Self.schema, to: "schema.graphql")
        let server = try Running(
            ["dev", "--port", "0", "--ephemeral", "--tls", "off", "--codegen", "Models"], in: folder)
        defer { _ = server.stop() }
        func waits(_ condition: () -> Bool) -> Bool {
            let end = ContinuousClock.now + .seconds(30)
            while !condition() {
                guard ContinuousClock.now < end else { return false }
                usleep(20_000)
            }
            return true
        }
        #expect(waits { folder.names.contains("Models/.syncline-codegen.json") }, "\(server.complaint)")
        try folder.write("type Post @model { id: ID! title: String rank: Int }", to: "schema.graphql")
        #expect(
            waits { (try? text("Models/Post.swift", in: folder).contains("rank: Int?")) == true }, "\(server.complaint)"
        )
        #expect(waits { !folder.names.contains("Models/Tag.swift") })
    }
}
