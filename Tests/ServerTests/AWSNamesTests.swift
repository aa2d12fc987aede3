import Testing
import Transformer

@testable import Server

@Suite("AWS hostnames")
struct AWSNamesTests {
    /// The configuration of a file's text.
    static func configuration(
        _ file: String, mode: SettingTexts.Purpose = .serve
    ) throws -> (Configuration, ServerError?) {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        try folder.write(file, to: "syncline.json")
        return Configuration.examine(
            SettingTexts(for: mode, flags: [.config: [folder.path("syncline.json")]], environment: [:]))
    }

    private static func names(_ file: String) throws -> AWSNames {
        let (configuration, error) = try configuration(file)
        #expect(error == nil, "\(error?.text ?? "")")
        return configuration.awsNames
    }

    @Test("a project has the hosts of its services, pages, API and buckets, each with its role")
    func hosts() throws {
        let names = try Self.names(
            #"""
            {"region": "eu-west-1", "appSyncEndpoint": "https://AbCdEf.appsync-api.eu-west-1.amazonaws.com/graphql",
             "userPool": {"id": "eu-west-1_Ab3dE6gHi", "domain": "myapp-dev", "hosts": ["auth.example.test"]},
             "storage": {"buckets": [{"name": "media"}, {"name": "my.files"}]}, "analytics": {"region": "eu-central-1"}}
            """#)
        let expected: [(String, AWSHost.Service)] = [
            ("cognito-idp.eu-west-1.amazonaws.com", .cognitoUserPools),
            ("cognito-identity.eu-west-1.amazonaws.com", .cognitoIdentity),
            ("sts.eu-west-1.amazonaws.com", .sts),
            ("pinpoint.eu-central-1.amazonaws.com", .pinpoint),
            ("s3.eu-west-1.amazonaws.com", .s3),
            ("myapp-dev.auth.eu-west-1.amazoncognito.com", .hostedPages(poolID: "eu-west-1_Ab3dE6gHi")),
            ("abcdef.appsync-api.eu-west-1.amazonaws.com", .appSync),
            ("abcdef.appsync-realtime-api.eu-west-1.amazonaws.com", .appSyncRealtime),
            ("media.s3.eu-west-1.amazonaws.com", .bucket("media")),
            ("my.files.s3.eu-west-1.amazonaws.com", .bucket("my.files")),
        ]
        #expect(names.hosts.map(\.name) == expected.map(\.0) && names.hosts.map(\.service) == expected.map(\.1))
        for (name, role) in expected { #expect(names.service(of: name) == role) }
        for name in ["s3.amazonaws.com", "other.s3.eu-west-1.amazonaws.com", "auth.example.test", ""] {
            #expect(names.service(of: name) == nil, "\(name)")
        }
    }

    @Test("regions of China have a domain of their own, and a pool of another region its own host")
    func regions() throws {
        let names = try Self.names(#"{"region": "cn-north-1", "userPool": {"id": "us-west-2_Ab3dE6gHi"}}"#)
        #expect(names.service(of: "s3.cn-north-1.amazonaws.com.cn") == .s3)
        #expect(names.service(of: "cognito-idp.us-west-2.amazonaws.com") == .cognitoUserPools)
        #expect(names.service(of: "cognito-idp.cn-north-1.amazonaws.com.cn") == .cognitoUserPools)
        #expect(names.service(of: "s3.cn-north-1.amazonaws.com") == nil)
    }

    @Test("the names are the same for serve and dev, with the bucket that dev makes and without what is off")
    func verbs() throws {
        let (configuration, _) = try Self.configuration(#"{"schema": false, "analytics": false}"#)
        #expect(configuration.awsNames == configuration.withServedBuckets(in: .dev).awsNames)
        #expect(configuration.awsNames == configuration.withServedBuckets(in: .serve).awsNames)
        #expect(configuration.awsNames.service(of: "syncline.s3.us-east-1.amazonaws.com") == .bucket("syncline"))
        #expect(!configuration.awsNames.hosts.contains { [.pinpoint, .appSync].contains($0.service) })
        // A region that is no label has no hosts.
        #expect(try Self.names(#"{"region": "my region"}"#).hosts.isEmpty)
    }

    @Test("in us-east-1, S3 and each bucket have the global host too, after the regional one")
    func globalHosts() throws {
        let names = try Self.names(#"{"storage": {"buckets": [{"name": "photos"}]}}"#)
        #expect(names.service(of: "s3.amazonaws.com") == .s3 && names.service(of: "s3.us-east-1.amazonaws.com") == .s3)
        #expect(names.service(of: "photos.s3.amazonaws.com") == .bucket("photos"))
        #expect(names.names.suffix(2) == ["photos.s3.us-east-1.amazonaws.com", "photos.s3.amazonaws.com"])
        #expect(try Self.names(#"{"region": "us-east-2"}"#).names.allSatisfy { !$0.hasSuffix("s3.amazonaws.com") })
    }

    @Test("there are at most a hundred names: further buckets are left out, with a warning if the names are served")
    func bound() throws {
        let buckets = (0..<120).map { "{\"name\": \"bucket-\($0)\"}" }.joined(separator: ",")
        let (configuration, error) = try Self.configuration(
            "{\"awsNames\": true, \"storage\": {\"buckets\": [\(buckets)]}}")
        #expect(error == nil)
        let names = configuration.awsNames
        #expect(names.hosts.count == AWSNames.countMax && names.omittedNames.count == 146)
        #expect(names.service(of: "bucket-119.s3.us-east-1.amazonaws.com") == nil)
        #expect(
            configuration.warnings.contains {
                $0.message.hasPrefix("146 AWS hostnames are not served, bucket-94.s3.us-east-1.amazonaws.com first")
            })
        #expect(try Self.configuration("{\"storage\": {\"buckets\": [\(buckets)]}}").0.warnings.isEmpty)
    }

    @Test(
        "an endpoint of AppSync is one by its host in full",
        arguments: [
            "http://a.appsync-api.eu-west-1.amazonaws.com/graphql", "https://api.example.com/graphql",
            "https://a.appsync-api.eu-west-1.amazonaws.com.example.com/graphql",
            "https://a.b.appsync-api.eu-west-1.amazonaws.com/graphql", "https://appsync-api.eu-west-1.amazonaws.com",
            "https://a.appsync-api.cn-north-1.amazonaws.com/graphql", "https://", "",
            "https://a.appsync-api.eu-west-1.amazonaws.com:443/graphql",
        ])
    func endpoints(url: String) throws {
        #expect(AWSNameOptions.AppSyncEndpoint(url) == nil)
        guard !url.isEmpty else { return }
        let (_, error) = try Self.configuration("{\"appSyncEndpoint\": \"\(url)\"}")
        #expect(error?.text.contains("is the URL of an API at AppSync") == true)
        let chinese = AWSNameOptions.AppSyncEndpoint("https://a.appsync-api.cn-north-1.amazonaws.com.cn/graphql")
        #expect(chinese?.realtimeHost == "a.appsync-realtime-api.cn-north-1.amazonaws.com.cn")
    }

    @Test("identity pools and buckets of another region have their hosts there")
    func otherRegions() throws {
        let names = try Self.names(
            #"""
            {"region": "eu-west-1", "identityPool": {"id": "us-west-2:00000000-0000-4000-8000-000000000001"},
             "storage": {"name": "media", "region": "us-east-1"}}
            """#)
        for region in ["eu-west-1", "us-west-2"] {
            #expect(names.service(of: "cognito-identity.\(region).amazonaws.com") == .cognitoIdentity)
        }
        for host in ["s3.eu-west-1.amazonaws.com", "s3.us-east-1.amazonaws.com", "s3.amazonaws.com"] {
            #expect(names.service(of: host) == .s3, "\(host)")
        }
        for host in ["media.s3.us-east-1.amazonaws.com", "media.s3.amazonaws.com"] {
            #expect(names.service(of: host) == .bucket("media"), "\(host)")
        }
        #expect(names.service(of: "media.s3.eu-west-1.amazonaws.com") == nil)
    }

    @Test(
        "the local authority issues for no top-level domain",
        arguments: ["com", "*.com", "DE", "app", "backend"])
    func topLevelDomain(name: String) throws {
        let (_, error) = try Self.configuration("{\"tlsHosts\": [\"\(name)\"]}")
        #expect(error?.text.contains("would be valid for each name below") == true, "\(error?.text ?? "")")
        let own = CertificateNames.machine
        let (_, none) = try Self.configuration(
            #"{"tlsHosts": ["\#(own)", "*.localhost", "*.test", "co.example", "10.0.0.1", "::1", "nas.internal"]}"#)
        #expect(none == nil, "\(none?.text ?? "")")
    }

    @Test(
        "the local authority issues for no AWS hostname",
        arguments: [
            "s3.eu-west-1.amazonaws.com", "*.s3.eu-west-1.amazonaws.com", "AmazonAWS.com", "*.amazonaws.com",
            "x.amazoncognito.com", "s3.cn-north-1.amazonaws.com.cn",
        ])
    func tlsHosts(name: String) throws {
        let (_, error) = try Self.configuration("{\"tlsHosts\": [\"api.example.com\", \"\(name)\"]}")
        #expect(error?.text.contains("issues no certificate for \(name), an AWS hostname") == true)
        #expect(error?.text.contains("Set 'awsNames' to true") == true)
        let (_, none) = try Self.configuration(#"{"tlsHosts": ["amazonaws.com.example.com", "notamazonaws.com"]}"#)
        #expect(none == nil)
    }
}
