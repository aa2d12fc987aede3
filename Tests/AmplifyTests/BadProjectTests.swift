import JSON
import Testing
import Transformer

@testable import Amplify

@Suite("Amplify projects that cannot be served")
struct BadProjectTests {
    @Test(
        "broken JSON in any file that is read is an error with file, line, column and hint",
        arguments: [
            "amplify/.config/project-config.json", "amplify/.config/local-env-info.json",
            "amplify/team-provider-info.json",
            "amplify/cli.json", "amplify/backend/backend-config.json", "amplify/backend/amplify-meta.json",
            "amplify/backend/api/landmarks/cli-inputs.json", "amplify/backend/api/landmarks/parameters.json",
            "amplify/backend/api/landmarks/transform.conf.json",
            "amplify/backend/api/landmarks/stacks/CustomResources.json",
            "amplify/backend/auth/landmarks5a6b7c8d/cli-inputs.json",
            "amplify/backend/auth/userPoolGroups/user-pool-group-precedence.json",
            "amplify/backend/storage/landmarkimages/cli-inputs.json",
            "amplify/backend/function/landmarks5a6b7c8dPostConfirmation/function-parameters.json",
        ])
    func broken(path: String) throws {
        var sample = try SampleProject.landmarks
        #expect(sample.files[path] != nil)
        sample.files[path] = "{\n  \"a\": 1 \"b\": 2\n}"
        let error = try #require(sample.error())
        let found = try #require(error.diagnostics.first { $0.place?.sourceName == path })
        #expect(found.place?.line == 2 && found.place?.column == 10 && found.hint?.contains("comma") == true)
    }

    @Test("five broken files are five errors")
    func severalBroken() throws {
        var sample = try SampleProject.landmarks
        let paths = [
            "amplify/cli.json", "amplify/backend/amplify-meta.json", "amplify/backend/api/landmarks/cli-inputs.json",
            "amplify/backend/auth/landmarks5a6b7c8d/cli-inputs.json",
            "amplify/backend/storage/landmarkimages/cli-inputs.json",
        ]
        for path in paths { sample.files[path] = "{,}" }
        let error = try #require(sample.error())
        #expect(error.diagnostics.compactMap(\.place?.sourceName).sorted() == paths.sorted())
    }

    @Test("a byte order mark, comments, CRLF and a last comma are accepted; a key that is there twice is a warning")
    func relaxed() throws {
        var sample = try SampleProject.landmarks
        let path = "amplify/backend/storage/landmarkimages/cli-inputs.json"
        sample.files[path] =
            "\u{FEFF}// a comment\r\n"
            + (sample.files[path] ?? "").replacing("\n", with: "\r\n")
            .replacing("\"guestAccess\": [", with: "\"authAccess\": [], \"guestAccess\": [ /* two */")
            .replacing("\"READ\"\r\n", with: "\"READ\",\r\n")
        let project = try sample.read()
        #expect(project.settings.value["storage"]?["guestAccess"] == ["READ"])
        #expect(
            project.warnings.contains {
                $0.message.contains("'authAccess' is there twice") && $0.place?.sourceName == path
            })
    }

    @Test("a project of an unknown version is read with a warning, one from before 2019 is refused")
    func versions() throws {
        var sample = try SampleProject.landmarks
        sample.replace("\"3.1\"", with: "\"4.0\"", in: "amplify/.config/project-config.json")
        #expect(try sample.read().warnings.contains { $0.message.contains("unknown version 4.0") })
        sample.replace("\"4.0\"", with: "\"2.0\"", in: "amplify/.config/project-config.json")
        let error = try #require(sample.error())
        #expect(error.diagnostics[0].place?.line == 3 && error.diagnostics[0].hint?.contains("amplify status") == true)
        var inputs = try SampleProject.landmarks
        inputs.replace("\"version\": 1", with: "\"version\": 2", in: "amplify/backend/api/landmarks/cli-inputs.json")
        #expect(try inputs.read().warnings.contains { $0.message.contains("unknown version 2") })
    }

    @Test("two APIs need --api, which chooses one; an unknown one is refused")
    func twoAPIs() throws {
        var sample = try SampleProject.chat
        sample.replace(
            "\"api\": {", with: "\"api\": {\"second\": {\"service\": \"AppSync\"},",
            in: "amplify/backend/backend-config.json")
        sample.files["amplify/backend/api/second/schema.graphql"] = "type A @model { id: ID! }"
        let error = try #require(sample.error())
        #expect(error.isUsage && error.diagnostics[0].hint?.contains("second, isolationchat") == true)
        #expect(try sample.read(ReadingOptions(api: "isolationchat")).api == "isolationchat")
        let second = try sample.read(ReadingOptions(api: "second"))
        #expect(second.settings.value["schema"] == "amplify/backend/api/second/schema.graphql")
        #expect(sample.error(ReadingOptions(api: "third"))?.isUsage == true)
    }

    @Test("a project without a GraphQL API is refused, unless the configuration names a schema")
    func withoutAPI() throws {
        var sample = try SampleProject.chat
        sample.files["amplify/backend/backend-config.json"] = "{}"
        #expect(sample.error()?.diagnostics.map(\.message).contains { $0.contains("no GraphQL API") } == true)
        #expect(sample.error(ReadingOptions(overrides: ["schema": "schema.graphql"])) == nil)
    }

    @Test("a folder without amplify/.config is read as a project, and this is said")
    func withoutConfig() throws {
        var sample = try SampleProject.landmarks
        sample.files = sample.files.filter { !$0.key.hasPrefix("amplify/.config/") }
        let project = try sample.read()
        #expect(project.environment == "dev" && project.api == "landmarks")
        #expect(project.warnings.contains { $0.message.contains("project-config.json") })
    }

    @Test(
        "a resource without its folder is an error that names both; a folder without its resource is ignored and named")
    func resourcesAndFolders() throws {
        var sample = try SampleProject.landmarks
        sample.files = sample.files.filter { !$0.key.hasPrefix("amplify/backend/storage/") }
        let error = try #require(sample.error())
        #expect(
            error.diagnostics.contains {
                $0.message.contains("storage.landmarkimages")
                    && $0.message.contains("amplify/backend/storage/landmarkimages")
            })
        var other = try SampleProject.landmarks
        other.files["amplify/backend/storage/old/cli-inputs.json"] = "{}"
        #expect(try other.read().rows.contains { $0.name == "old" && $0.status == .notNeeded })
    }

    @Test("files that are too large, and JSON that is too deep, are refused")
    func bounds() throws {
        var sample = try SampleProject.landmarks
        sample.files["amplify/cli.json"] = String(repeating: " ", count: ProjectLimits.fileBytesMax + 1)
        #expect(sample.error()?.diagnostics[0].message.contains("File too large") == true)
        sample.files["amplify/cli.json"] = String(repeating: "[", count: 100_000)
        #expect(sample.error()?.diagnostics[0].place?.sourceName == "amplify/cli.json")
        var many = try SampleProject.landmarks
        let resources = (0..<1_100).map { "\"r\($0)\": {\"service\": \"X\"}" }.joined(separator: ",")
        many.files["amplify/backend/backend-config.json"] = "{\"custom\": {\(resources)}}"
        #expect(many.error()?.diagnostics.contains { $0.message.contains("at most 1000 resources") } == true)
    }
}
