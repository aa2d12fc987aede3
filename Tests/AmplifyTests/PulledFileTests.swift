import JSON
import Testing

@testable import Amplify

@Suite("Client files that 'syncline pull' has written beside a project")
struct PulledFileTests {
    private static let swift = "amplifyconfiguration.json"
    private static let aws = "awsconfiguration.json"

    /// A project of two environments in one region, whose ids no file has.
    private func sample() throws -> SampleProject {
        var sample = try SampleProject.chat
        sample.replace("eu-west-1", with: "us-east-1", in: "amplify/team-provider-info.json")
        let paths = ["amplify/backend/amplify-meta.json", "amplify/#current-cloud-backend/amplify-meta.json"]
        for path in paths + [Self.swift, Self.aws] { sample.files[path] = nil }
        return sample
    }

    /// The members of a client file that have the ids of an environment.
    private func clientFile(of project: AmplifyProject, key: String = "da2-fakeApiId123456") -> String {
        let settings = project.settings.value
        let file: JSONValue = [
            "CognitoUserPool": [
                "Default": [
                    "PoolId": settings["userPool"]?["id"] ?? .null,
                    "AppClientId": settings["userPool"]?["clients"]?.arrayValue?.last?["id"] ?? .null,
                    "Region": "us-east-1",
                ]
            ],
            "CredentialsProvider": [
                "CognitoIdentity": [
                    "Default": ["PoolId": settings["identityPool"]?["id"] ?? .null, "Region": "us-east-1"]
                ]
            ],
            "AppSync": ["Default": ["ApiKey": .string(key), "Region": "us-east-1"]],
            "PinpointAnalytics": ["Default": ["AppId": settings["analytics"]?["appId"] ?? .null]],
        ]
        return file.description
    }

    private func key(of project: AmplifyProject) -> JSONValue? {
        project.settings.value["apiKey"]?.arrayValue?.first?["key"]
    }

    @Test("ids of one environment are not those of another one", arguments: ["dev", "prod"])
    func environments(pulled: String) throws {
        var sample = try sample()
        let own = try sample.read()
        sample.files[Self.aws] = clientFile(of: try sample.read(ReadingOptions(environment: pulled)))
        sample.files[Self.swift] = #"{"auth": {"plugins": {"awsCognitoAuthPlugin": \#(sample.files[Self.aws] ?? "")}}}"#
        let project = try sample.read()
        for key in ["userPool", "identityPool", "analytics"] {
            #expect(project.settings.value[key] == own.settings.value[key], "\(key)")
        }
        #expect(!project.hasCloudIDs && project.inventedIDs == own.inventedIDs)
        #expect(project.rows.contains { $0.name == "ids" && $0.status == .different })
    }

    @Test("what dev adds to a project without it is no id of the cloud")
    func added() throws {
        var sample = try sample()
        sample.files[Self.swift] =
            #"{"storage": {"plugins": {"awsS3StoragePlugin": {"bucket": "syncline", "region": "us-east-1"}}}}"#
        #expect(try !sample.read().hasCloudIDs)
    }

    @Test("an id of the cloud is taken beside one that is invented")
    func mixed() throws {
        var sample = try sample()
        let own = try sample.read()
        let invented = try #require(own.settings.value["userPool"]?["id"]?.stringValue)
        sample.files[Self.aws] = clientFile(of: own).replacing(invented, with: "us-east-1_RealPool1")
        let project = try sample.read()
        #expect(project.settings.value["userPool"]?["id"] == "us-east-1_RealPool1" && project.hasCloudIDs)
        #expect(project.settings.value["analytics"] == own.settings.value["analytics"])
    }

    @Test("an imported pool that two environments share is that of both")
    func shared() throws {
        var sample = try sample()
        sample.replace(
            "\"isolationchat1c2d3e4f\": {}",
            with: #""isolationchat1c2d3e4f": {"userPoolId": "us-east-1_Shared001", "nativeClientId": "shared"}"#,
            in: "amplify/team-provider-info.json")
        sample.files[Self.aws] = clientFile(
            of: try sample.read(ReadingOptions(environment: "dev")), key: "da2-realexample0000000000")
        let project = try sample.read()
        #expect(project.settings.value["userPool"]?["id"] == "us-east-1_Shared001")
        #expect(key(of: project) == "da2-realexample0000000000")
    }

    @Test("the key that every server on loopback accepts is no key of the environment")
    func key() throws {
        var sample = try sample()
        let own = try sample.read()
        sample.files[Self.aws] = clientFile(of: own)
        let project = try sample.read()
        #expect(own.lacksAPIKey && project.lacksAPIKey && project.settings.value["apiKey"] == nil)
        #expect(project.tasks == own.tasks && project.tasks.contains { $0.hasPrefix("Create an API key") })
        sample.files[Self.aws] = clientFile(of: own, key: "da2-realexample0000000000")
        #expect(key(of: try sample.read()) == "da2-realexample0000000000")
        #expect(try !sample.read().lacksAPIKey)
    }
}
