import Buckets
import Testing

@testable import Server

@Suite("The configuration of storage")
struct StorageOptionsTests {
    private func load(_ file: String) throws -> Configuration {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        try folder.write(file, to: "syncline.json")
        return try Configuration.load(
            SettingTexts(for: .serve, flags: [.config: [folder.path("syncline.json")]], environment: [:]))
    }

    @Test("dev has a bucket with Amplify's defaults, serve none, and a configured one takes its place")
    func defaults() throws {
        let configuration = try load("{}")
        #expect(configuration.storage.served(in: .serve).buckets.isEmpty)
        let access = try #require(configuration.storage.served(in: .dev).buckets.first?.access)
        #expect(access.allows(.write, on: "public/x", for: .authenticated(identityID: "i")))
        #expect(!access.allows(.get, on: "public/x", for: .guest(identityID: "i")))
        let configured = try load(#"{"storage": {"name": "media"}}"#)
        #expect(configured.storage.served(in: .dev).buckets.map(\.name) == ["media"])
    }

    @Test("access levels and paths of Amplify become rules")
    func access() throws {
        let storage = try load(
            """
            {"storage": {"baseHosts": "S3.example.test", "buckets": [
                {"name": "levels", "guestAccess": ["READ"], "authAccess": ["READ", "CREATE_AND_UPDATE"],
                 "groupAccess": {"Editors": ["DELETE"]}},
                {"name": "paths", "paths": {
                    "photos/*": {"guest": ["get"], "authenticated": ["read", "write"], "groupsAdmin": ["delete"]},
                    "own/${cognito-identity.amazonaws.com:sub}/*": {"entityidentity": ["read", "write", "delete"]}
                }}
            ]}}
            """
        ).storage
        #expect(storage.baseHosts == ["s3.example.test"])
        let (levels, paths) = (storage.buckets[0].access, storage.buckets[1].access)
        let (guest, user) = (BucketCaller.guest(identityID: "g"), BucketCaller.authenticated(identityID: "u"))
        #expect(levels.allows(.get, on: "public/x", for: guest) && !levels.allows(.write, on: "public/x", for: guest))
        #expect(
            levels.allows(.write, on: "private/u/x", for: user) && !levels.allows(.delete, on: "private/u/x", for: user)
        )
        #expect(levels.allows(.delete, on: "anything", for: .group("Editors", identityID: "e")))
        #expect(paths.allows(.get, on: "photos/x", for: guest) && !paths.allows(.list, on: "photos/", for: guest))
        #expect(paths.allows(.list, on: "photos/", for: user) && !paths.allows(.get, on: "own/v/x", for: user))
        #expect(paths.allows(.delete, on: "own/u/x", for: user))
        #expect(paths.allows(.delete, on: "photos/x", for: .group("Admin", identityID: "a")))
    }

    @Test(
        "a mistake is reported with its place",
        arguments: [
            (#""name": "No""#, "cannot be the name of a bucket"), (#""name": "graphql""#, "is a path of this server"),
            (#""guestAccess": ["WRITE"]"#, "CREATE_AND_UPDATE"), (#""access": {}"#, "Unknown key 'storage.access'"),
            (#""paths": {"photos": {"guest": ["get"]}}"#, "ends with"),
            (#""paths": {"own/*/*": {"entityidentity": ["read"]}}"#, "matches nobody"),
            (#""paths": {"own/{entity_id}/*": {"authenticated": ["read"]}}"#, "grants nothing to \"entityidentity\""),
            (#""paths": {"photos/*": {"guest": ["fetch"]}}"#, "There is no action \"fetch\""),
            (#""paths": {}, "guestAccess": ["READ"]"#, "either 'paths' or access levels"),
            (#""anonymousRead": ["/public"]"#, "what keys begin with"),
            (#""triggers": [{"function": "thumbs"}]"#, "There is no function thumbs"),
            (#""triggers": [{"function": "f", "events": ["s3:ObjectRestore:*"]}]"#, "There is no event"),
            (#""triggers": [{}]"#, "names its 'function'"), (#""buckets": []"#, "is a list of buckets"),
            (#""buckets": [{"name": "one"}, {"name": "one"}]"#, "Two buckets have the name one"),
            (#""buckets": [{"name": "one"}, {}]"#, "has a 'name'"),
            (#""cors": [{"allowedMethods": ["PATCH"]}]"#, "PATCH is none of"),
        ])
    func mistakes(_ text: String, _ part: String) throws {
        let error = try #require(
            #expect(throws: ServerError.self) {
                try load("{\"functions\": {\"f\": \"http://localhost:9/\"},\n\"storage\": {\(text)}}")
            })
        #expect(error.text.contains(part) && error.text.contains("syncline.json:2:"), "\(error.text)")
    }

    @Test(
        "a base host above a host of the server is refused with its place",
        arguments: [
            (#""hosts": ["API.example.com"]"#, "Requests to api.example.com"),
            (#""tlsHosts": ["api.example.com"]"#, "Requests to api.example.com"),
            (#""host": "api.example.com""#, "Requests to api.example.com"),
            (#""publicURL": "https://api.example.com:8443/x""#, "Requests to api.example.com"),
            (#""userPool": {"domain": "auth.example.com"}"#, "Requests to auth.example.com"),
        ])
    func baseHosts(_ setting: String, _ part: String) throws {
        let storage = #""storage": {"name": "media", "baseHosts": ["s3.example.com", "example.com"]}"#
        let error = try #require(
            #expect(throws: ServerError.self) { try load("{\(setting),\n\(storage)}") })
        #expect(error.text.contains(part) && error.text.contains("syncline.json:2:"), "\(error.text)")
        #expect(error.text.contains("s3.example.com") && error.code == .invalid, "\(error.text)")
        let own = #""storage": {"name": "media", "baseHosts": ["s3.example.com"]}"#
        #expect(try load("{\(setting),\n\(own)}").storage.baseHosts == ["s3.example.com"])
    }

    @Test("certificates may name the hosts of buckets")
    func bucketCertificates() throws {
        let storage = #""storage": {"name": "media", "baseHosts": ["s3.example.com"]}"#
        let names = #""tlsHosts": ["*.s3.example.com", "media.s3.example.com", "s3.example.com"]"#
        #expect(try load("{\(names), \(storage)}").storage.baseHosts == ["s3.example.com"])
    }
}
