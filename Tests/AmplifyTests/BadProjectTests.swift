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

    @Test("a region that is none, a name of a project that is too long, and long texts give short messages")
    func longTexts() throws {
        let long = String(repeating: "x", count: 1 << 20)
        for region in ["eu west 1", "EU-WEST-1", "eu-west-1\\u001b[31m", long] {
            var sample = try SampleProject.landmarks
            sample.replace(
                "\"Region\": \"eu-west-1\"", with: "\"Region\": \"\(region)\"",
                in: "amplify/team-provider-info.json")
            let error = try #require(sample.error(), "\(region.prefix(20))")
            let found = try #require(error.diagnostics.first { $0.message.hasPrefix("A region has") })
            #expect(found.place?.sourceName == "amplify/team-provider-info.json")
            #expect(error.diagnostics.map { $0.render().utf8.count }.max() ?? 0 < 8_192)
        }
        var named = try SampleProject.landmarks
        named.replace(
            "\"projectName\": \"landmarks\"", with: "\"projectName\": \"\(long)\"",
            in: "amplify/.config/project-config.json")
        named.replace(
            "\"api\": {", with: "\"api\": {\"rest\": {\"service\": \"\(long)\"},",
            in: "amplify/backend/backend-config.json")
        named.files["amplify/backend/api/rest/x"] = ""
        let (project, error) = AmplifyProject.examine(ProjectFolder(files: named.files), ReadingOptions())
        #expect(error?.diagnostics.map(\.message) == ["A name of a project has at most 128 bytes."])
        #expect(project.title.utf8.count < 200)
        #expect(project.rows.allSatisfy { $0.text.utf8.count < 4_096 } && project.markdown.utf8.count < 1 << 16)
    }

    /// The files of older forms, and those that only some projects have.
    @Test(
        "broken JSON in files of older projects is an error with file, line, column and hint",
        arguments: [
            ("chat-v1", "amplify/backend/auth/isolationchat1c2d3e4f/parameters.json", ""),
            ("chat-v1", "amplify/backend/analytics/isolationchat/parameters.json", ""),
            ("chat-v1", "amplify/#current-cloud-backend/amplify-meta.json", "amplify/backend/amplify-meta.json"),
            ("chat-v1", "amplify/cli.dev.json", ""), ("chat-v1", "amplify.json", "amplify/cli.json"),
            ("chat-v1", "amplify/backend/api/isolationchat/custom-roles.json", ""),
            ("booking-datastore", "amplify/cli.staging.json", ""),
            ("booking-datastore", "awsconfiguration.json", ""), ("booking-datastore", "amplifyconfiguration.json", ""),
            (
                "landmarks-v2-auth", "amplify/backend/storage/landmarkimages/parameters.json",
                "amplify/backend/storage/landmarkimages/cli-inputs.json"
            ),
            (
                "landmarks-v2-auth", "amplify/backend/storage/landmarkimages/storage-params.json",
                "amplify/backend/storage/landmarkimages/cli-inputs.json"
            ),
        ])
    func brokenOlder(project: String, path: String, without: String) throws {
        var sample = try SampleProject(project)
        sample.files[without] = nil
        // With several environments, client files are read once one is checked out.
        if project == "booking-datastore" {
            sample.files["amplify/.config/local-env-info.json"] = #"{"envName": "staging"}"#
        }
        sample.files[path] = "{\n  \"a\": 1 \"b\": 2\n}"
        let error = try #require(sample.error())
        let found = try #require(error.diagnostics.first { $0.place?.sourceName == path }, "\(error.diagnostics)")
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
        let later = String(repeating: "9", count: 20) + ".1"
        sample.replace("\"4.0\"", with: "\"\(later)\"", in: "amplify/.config/project-config.json")
        #expect(try sample.read().warnings.contains { $0.message.contains("unknown version \(later)") })
        sample.replace("\"\(later)\"", with: "\"2.0\"", in: "amplify/.config/project-config.json")
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

    @Test("a project without a GraphQL API is read without a schema, unless the configuration names one")
    func withoutAPI() throws {
        var sample = try SampleProject.chat
        sample.files["amplify/backend/backend-config.json"] = "{}"
        let project = try sample.read()
        #expect(project.settings.value["schema"] == false && project.api == nil)
        #expect(project.rows.contains { $0.name == "GraphQL" && $0.status == .notServed })
        let other = try sample.read(ReadingOptions(overrides: ["schema": "schema.graphql"]))
        #expect(other.settings.value["schema"] == nil)
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

    @Test("a file of more values than the bound is refused, and one of a single long line is read in time")
    func manyValues() throws {
        var sample = try SampleProject.landmarks
        let path = "amplify/backend/auth/userPoolGroups/user-pool-group-precedence.json"
        sample.files[path] = "[" + String(repeating: "1,", count: LocatedJSON.valuesMax) + "1]"
        #expect(sample.error()?.diagnostics.contains { $0.message.contains("more than 100000 values") } == true)
        let groups = (0..<10_001).map { "{\"groupName\": \"g\($0)\"}" }.joined(separator: ",")
        sample.files[path] = "[\(groups)]"
        #expect(sample.error()?.diagnostics.contains { $0.message.contains("at most 10000 groups") } == true)
        // Each element is an error with its place in the one line.
        sample.files[path] = "[" + String(repeating: "{\"ä\":1},", count: 9_000) + "{}]"
        let errors = try #require(sample.error()).diagnostics
        #expect(errors.count == ProjectLimits.findingsMax + 1 && errors.last?.message == "Further ones are left out.")
        #expect(errors[0].place?.line == 1 && errors[0].place?.column == 2 && errors[0].place?.sourceLine == "")
    }

    @Test("thousands of flags, models and keys that are there twice end in bounded reports")
    func manyFindings() throws {
        var sample = try SampleProject.booking
        let flags = (0..<2_000).map { "\"f\($0)\": true, \"f\($0)\": true" }.joined(separator: ",\n")
        sample.files["amplify/cli.json"] = "{\"features\": {\"codegen\": {\n\(flags)\n}}}"
        let project = try sample.read()
        #expect(project.warnings.count == ProjectLimits.findingsMax + 1)
        let models = (0...ProjectLimits.modelStrategiesMax).map {
            "{\"entityName\": \"M\($0)\", \"resolutionStrategy\": {\"type\": \"AUTOMERGE\"}}"
        }
        sample.files["amplify/backend/api/bookingstay/cli-inputs.json"] =
            "{\"serviceConfiguration\": {\"conflictResolution\": {\"perModelResolutionStrategy\": [\(models.joined(separator: ","))]}}}"
        #expect(sample.error()?.diagnostics.contains { $0.message.contains("At most 2000 models") } == true)
    }

    @Test(
        "a name that is no part of a path is refused, for resources and for environments",
        arguments: ["..", ".", "", "a/../../b", "/etc", "a\\b", "a\u{0}b", "a\nb"])
    func names(name: String) throws {
        let text = JSONValue.string(name).description
        var resource = try SampleProject.chat
        resource.files["amplify/backend/backend-config.json"] = "{\"api\": {\(text): {\"service\": \"AppSync\"}}}"
        #expect(resource.error()?.diagnostics.contains { $0.message.contains("A name of a resource") } == true)
        resource.files["amplify/backend/backend-config.json"] = "{\(text): {\"a\": {\"service\": \"AppSync\"}}}"
        #expect(resource.error()?.diagnostics.contains { $0.message.contains("A name of a resource") } == true)
        var environment = try SampleProject.chat
        environment.files["amplify/.config/local-env-info.json"] = nil
        environment.files["amplify/team-provider-info.json"] = "{\(text): {}}"
        #expect(environment.error()?.diagnostics.contains { $0.message.contains("A name of an environment") } == true)
        environment.files["amplify/team-provider-info.json"] = nil
        let asked = environment.error(ReadingOptions(environment: name))
        #expect(asked?.isUsage == true)
    }

    @Test("no message repeats the line of a secret, in whatever file of the project it stands")
    func secrets() throws {
        for line in [
            "\"AppClientSecret\": \"s3cr3t\"", "\"GraphQLAPIKeyOutput\": \"s3cr3t\"", "\"private_key\": \"s3cr3t\"",
            "\"apiKey\": [\n\"s3cr3t\"", "\"key\": \"da2-s3cr3t\"", "\"password\": \"s3cr3t\"",
        ] {
            var sample = try SampleProject.landmarks
            sample.files["amplify/backend/amplify-meta.json"] = "{ \(line) x"
            let diagnostics = try #require(sample.error()).diagnostics
            #expect(!diagnostics.isEmpty && diagnostics.allSatisfy { !$0.render().contains("s3cr3t") }, "\(line)")
        }
    }
}
