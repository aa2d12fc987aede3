import JSON
import Testing
import Transformer

@testable import Amplify

@Suite("Feature flags of an Amplify project")
struct FlagTests {
    @Test("without cli.json a project is of version 1, and the report says why")
    func absent() throws {
        var sample = try SampleProject.landmarks
        sample.files["amplify/cli.json"] = nil
        let project = try sample.read()
        #expect(project.settings.value["transformerVersion"] == 1)
        #expect(project.settings.value["featureFlags"]?["addMissingOwnerFields"] == false)
        #expect(project.rows.contains { $0.name == "cli.json" && $0.sentence.contains("version 1") })
        #expect(project.warnings.contains { $0.message.contains("There is no amplify/cli.json") })
    }

    @Test("no project sets sandboxModeEnabled, so that its schema decides about models without rules")
    func sandbox() throws {
        for sample in [try SampleProject.landmarks, try SampleProject.chat] {
            let parameters = try sample.read().settings.value["transformParameters"]
            #expect(parameters?["sandboxModeEnabled"] == nil)
        }
    }

    @Test("a variable of the process or of .env goes before the files, and one of the environment before both")
    func variables() throws {
        let name = "AMPLIFYCLI_GRAPHQLTRANSFORMER__USEEXPERIMENTALPIPELINEDTRANSFORMER"
        var sample = try SampleProject.landmarks
        let fromProcess = try sample.read(ReadingOptions(variables: [name: "false"]))
        #expect(fromProcess.settings.value["transformerVersion"] == 1)
        #expect(fromProcess.settings.places[["transformerVersion"]]?.sourceName == "env \(name)")
        sample.files[".env"] = "SECRET=1\n\(name)=false\n"
        let fromFile = try sample.read()
        #expect(fromFile.settings.value["transformerVersion"] == 1)
        #expect(fromFile.settings.places[["transformerVersion"]]?.line == 2)
        let own = "AMPLIFYCLI-dev_GRAPHQLTRANSFORMER__USEEXPERIMENTALPIPELINEDTRANSFORMER"
        #expect(try sample.read(ReadingOptions(variables: [own: "true"])).settings.value["transformerVersion"] == 2)
    }

    @Test(
        "a variable that sets no flag is an error that names it and not its value",
        arguments: [
            ("AMPLIFYCLI_GRAPHQLTRANSFORMER__USEEXPERIMENTALPIPELINEDTRANSFORMER", "maybe"), ("AMPLIFYCLI_X", "maybe"),
            ("AMPLIFYCLIX", "maybe"),
        ])
    func wrongVariables(name: String, value: String) throws {
        let error = try #require(SampleProject.landmarks.error(ReadingOptions(variables: [name: value])))
        #expect(!error.isUsage && error.diagnostics[0].message.contains(name))
        #expect(!error.diagnostics[0].message.contains(value))
    }

    @Test("an unknown flag is a warning with its place; a text in place of a boolean is an error")
    func wrongFlags() throws {
        var sample = try SampleProject.chat
        sample.replace("\"secondarykeyasgsi\": true", with: "\"secondkey\": true", in: "amplify/cli.json")
        let project = try sample.read()
        let warning = try #require(project.warnings.first { $0.message.contains("unknown feature flag 'secondkey'") })
        #expect(warning.place?.sourceName == "amplify/cli.json" && warning.place?.line == 8)
        sample.replace(
            "\"addmissingownerfields\": true", with: "\"addmissingownerfields\": \"true\"", in: "amplify/cli.json")
        let error = try #require(sample.error())
        #expect(error.diagnostics[0].place?.line == 4)
    }

    @Test("the misspelled flag that some projects have counts as the one that is meant, in files and variables")
    func misspelled() throws {
        var sample = try SampleProject.chat
        func value(_ variables: [String: String] = [:]) throws -> JSONValue? {
            try sample.read(ReadingOptions(variables: variables)).settings.value["featureFlags"]?[
                "validateTypeNameReservedWords"]
        }
        #expect(try value() == true)
        let variable = "AMPLIFYCLI_graphqltransformer__validateTypeNamesReservedWords"
        #expect(try value([variable: "false"]) == false)
        sample.replace(
            "\"secondarykeyasgsi\": true", with: "\"validatetypenamesreservedwords\": false", in: "amplify/cli.json")
        #expect(try value() == false)
        #expect(try sample.read().warnings.allSatisfy { !$0.message.contains("unknown feature flag") })
    }

    @Test("every flag has a value, that of an old project where the files do not name it")
    func all() throws {
        let project = try SampleProject.chat.read()
        let (transformer, codegen) = (project.settings.value["featureFlags"], project.settings.value["codegen"])
        for flag in FlagTable.settings(of: FlagTable.transformer) {
            #expect(transformer?[flag]?.boolValue != nil, "\(flag)")
        }
        for flag in FlagTable.codegenSettings { #expect(codegen?[flag]?.boolValue != nil, "\(flag)") }
        #expect(transformer?["improvePluralization"] == false && transformer?["validateTypeNameReservedWords"] == true)
        #expect(codegen?["addTimestampFields"] == false)
    }

    @Test("a variable in .env has a value in quotes of each kind, or none", arguments: ["'", "\"", "`", ""])
    func quotes(quote: String) throws {
        var sample = try SampleProject.landmarks
        sample.files[".env"] =
            "AMPLIFYCLI_GRAPHQLTRANSFORMER__USEEXPERIMENTALPIPELINEDTRANSFORMER=\(quote)false\(quote)\n"
        #expect(try sample.read().settings.value["transformerVersion"] == 1)
    }

    @Test("a file of flags, or a group in it, that is no object is an error; a folder is as no file")
    func shapes() throws {
        var sample = try SampleProject.landmarks
        let path = "amplify/cli.json"
        for text in ["[]", "null", #"{"features": []}"#, #"{"features": {"codegen": []}}"#] {
            sample.files[path] = text
            #expect(sample.error()?.diagnostics.first?.place?.sourceName == path, "\(text)")
        }
        sample.files[path] = nil
        sample.files["\(path)/x"] = ""
        #expect(try sample.read().warnings.contains { $0.message.hasPrefix("There is no amplify/cli.json") })
    }
}
