import Encodings
import Testing

@testable import Buckets

@Suite("Addresses and operations")
struct RoutingTests {
    private func address(_ host: String, _ path: String) throws(S3Error) -> S3Address {
        try S3Address(
            path: path, bucketOfHost: BaseHosts(["s3.example.test", "localhost"]).bucket(of: host))
    }

    @Test("a path names a bucket and a key, decoded once and not normalized")
    func paths() throws {
        let cases: [(String, String?, String?)] = [
            ("/", nil, nil), ("/media", "media", nil), ("/media/", "media", nil), ("/media/a", "media", "a"),
            ("/media/a/../b", "media", "a/../b"), ("/media//a/", "media", "/a/"),
            ("/media/a%2Fb%253A", "media", "a/b%3A"),
            ("/media/us-east-1%3Ax/a+b", "media", "us-east-1:x/a+b"),
        ]
        for (path, bucket, key) in cases {
            let address = try address("127.0.0.1:20002", path)
            #expect(address.bucket == bucket && address.key == key, "\(path)")
        }
    }

    @Test("a host before a base host is the bucket")
    func hosts() throws {
        for host in ["media.s3.example.test", "Media.S3.example.test:443", "media.localhost:20005"] {
            let address = try address(host, "/public/a.jpg")
            #expect(address.bucket == "media" && address.key == "public/a.jpg")
        }
        #expect(try address("a.b.localhost", "/").bucket == "a.b")
        #expect(try address("localhost:20002", "/media/k").bucket == "media")
        #expect(try address("[::1]:20002", "/media/k").bucket == "media")
        #expect(try address("[::1]", "/media/k").bucket == "media")
        #expect(try address(".localhost", "/media/k").bucket == "media", "a base host alone names no bucket")
    }

    @Test("a source of a copy is read with and without a slash, and with the only version")
    func copySources() throws {
        for text in ["media/a%20b", "/media/a%20b", "media%2Fa%20b", "/media/a%20b?versionId=null"] {
            let address = try S3Address(copySource: text)
            #expect(address.bucket == "media" && address.key == "a b")
        }
        for text in ["", "media", "media/", "/media", "media/%FF", "media/a?versionId=2"] {
            #expect(throws: S3Error.self) { try S3Address(copySource: text) }
        }
    }

    @Test("method and query name the operation")
    func operations() throws {
        let cases: [(String, String, S3Operation)] = [
            ("GET", "/", .listBuckets), ("GET", "/b", .listObjects), ("GET", "/b?list-type=2", .listObjectsV2),
            ("GET", "/b/?location", .getBucketLocation), ("GET", "/b?versioning", .getBucketVersioning),
            ("GET", "/b?acl", .getBucketACL), ("GET", "/b?cors", .getBucketCORS),
            ("GET", "/b?uploads", .listMultipartUploads),
            ("HEAD", "/b", .headBucket), ("PUT", "/b", .createBucket), ("DELETE", "/b", .deleteBucket),
            ("PUT", "/b?cors", .putBucketCORS), ("DELETE", "/b?cors", .deleteBucketCORS),
            ("POST", "/b?delete=", .deleteObjects), ("GET", "/b/k?x-id=GetObject", .getObject),
            ("HEAD", "/b/k", .headObject),
            ("PUT", "/b/k", .putObject), ("DELETE", "/b/k", .deleteObject),
            ("POST", "/b/k?uploads", .createMultipartUpload),
            ("PUT", "/b/k?partNumber=1&uploadId=x", .uploadPart), ("GET", "/b/k?uploadId=x", .listParts),
            ("POST", "/b/k?uploadId=x", .completeMultipartUpload), ("DELETE", "/b/k?uploadId=x", .abortMultipartUpload),
            ("GET", "/b/k?tagging", .getObjectTagging), ("PUT", "/b/k?acl", .putObjectACL),
            ("OPTIONS", "/b/k", .preflight),
            ("GET", "/b/k?versionId=null", .getObject),
        ]
        for (method, target, operation) in cases {
            let request = BucketStage.request(method, target)
            #expect(try S3Operation(request, address(request.host, request.path)) == operation, "\(method) \(target)")
        }
        let copy = BucketStage.request("PUT", "/b/k", [("X-Amz-Copy-Source", "b/x")])
        #expect(try S3Operation(copy, address(copy.host, copy.path)) == .copyObject)
        let part = BucketStage.request("PUT", "/b/k?partNumber=1&uploadId=x", [("x-amz-copy-source", "b/x")])
        #expect(try S3Operation(part, address(part.host, part.path)) == .uploadPartCopy)
    }

    @Test(
        "what is not implemented is refused and never ignored",
        arguments: [
            ("PUT", "/media?versioning"), ("GET", "/media?lifecycle"), ("PUT", "/media?policy"),
            ("GET", "/media?versions"),
            ("PUT", "/media?website"), ("POST", "/media"), ("GET", "/media/k?torrent"), ("POST", "/media/k?restore"),
            ("PUT", "/media/k?legal-hold"), ("GET", "/media/k?attributes"), ("GET", "/media?tagging"),
            // What no operation serves, and what another one does.
            ("GET", "/media/k?unknown=1"), ("POST", "/media/k?append&position=0"), ("PUT", "/media/k?prefix=a"),
            ("GET", "/media?list-type=3"), ("DELETE", "/media/k?partNumber=1"), ("PUT", "/media/k?versionId=null"),
            ("GET", "/media?versioning&acl"), ("GET", "/media/k?Signature=x"), ("GET", "/media/k?x-amz-new-feature=1"),
            ("PUT", "/media/k?x-amz-copy-source=media/a"), ("PUT", "/media/k?x-amz-decoded-content-length=1"),
            ("GET", "/media/k?x-amz-meta-a=b"),
        ])
    func notImplemented(method: String, target: String) async throws {
        let stage = try await BucketStage()
        let answer = await stage.call(method, target)
        #expect(answer.status == 501 && answer.element("Code") == "NotImplemented")
        #expect(await stage.call("GET", "/media/k").status == 404)
    }

    @Test(
        "a parameter that is given twice is refused, and one for custom logs is not",
        arguments: [
            ("GET", "/media/k?partNumber=1&partNumber=1"), ("GET", "/media/k?response-expires=a&response-expires=b"),
            ("GET", "/media?prefix=a&list-type=2&prefix=b"), ("GET", "/media/k?tagging&x-id=a&tagging"),
            ("PUT", "/media/k?x-amz-meta-a=1&x-amz-meta-a=2"), ("PUT", "/media/k?partNumber=1&uploadId=u&partNumber=2"),
        ])
    func repeatedParameters(method: String, target: String) async throws {
        let stage = try await BucketStage()
        let answer = await stage.call(method, target)
        #expect(answer.status == 400 && answer.element("Code") == "InvalidArgument", "\(answer.text)")
        let repeated = target.split(separator: "&").last?.split(separator: "=").first.map(String.init)
        #expect(answer.element("ArgumentName") == repeated)
        #expect(await stage.call("PUT", "/media/k?x-id=a&x-id=b", body: [1]).status == 200)
    }

    @Test("numbers are decimal digits alone", arguments: ["+1", "-1", "", " 1", "0x1", "1.0", "\u{661}"])
    func numbers(text: String) async throws {
        let stage = try await BucketStage()
        await stage.put("k", "x")
        for (method, target) in [
            ("GET", "/media/k?partNumber=\(Percent.encode(text))"),
            ("PUT", "/media/k?partNumber=\(Percent.encode(text))&uploadId=u"),
        ] {
            #expect(await stage.call(method, target).element("Code") == "InvalidArgument", "\(target)")
        }
        #expect(await stage.call("GET", "/media/k?partNumber=1").status == 206)
    }

    @Test("parameters of custom logs are ignored, and those of a signature belong to every operation")
    func ignoredParameters() async throws {
        let stage = try await BucketStage()
        let query = "x-id=PutObject&x-log=1&X-Amz-Date=x&X-Amz-Signature=y&x-amz-checksum-crc32=AAAAAA=="
        #expect(await stage.call("PUT", "/media/k?\(query)", body: [1]).status == 200)
        let old = "AWSAccessKeyId=x&Signature=y&Expires=1&content-type=a"
        #expect(await stage.call("GET", "/media/k?\(old)").body == [1])
    }

    @Test(
        "a condition or permission that S3 has for a deletion and this server has not refuses it",
        arguments: [
            ("x-amz-if-match-size", "5"), ("x-amz-if-match-last-modified-time", "Fri, 15 Jan 2027 08:00:00 GMT"),
            ("x-amz-mfa", "20899872 301749"), ("x-amz-bypass-governance-retention", "true"), ("If-None-Match", "*"),
            ("If-Unmodified-Since", "Fri, 15 Jan 2027 08:00:00 GMT"), ("x-amz-never-heard-of", "1"),
        ])
    func deletions(name: String, value: String) async throws {
        let stage = try await BucketStage()
        await stage.put("public/k", "hello")
        for (method, target) in [("DELETE", "/media/public/k"), ("POST", "/media?delete")] {
            let body = Array("<Delete><Object><Key>public/k</Key></Object></Delete>".utf8)
            let answer = await stage.call(method, target, [(name, value)], body: method == "POST" ? body : [])
            #expect(answer.status == 501 && answer.element("Code") == "NotImplemented", "\(method) \(answer.text)")
        }
        #expect(await stage.call("GET", "/media/public/k").text == "hello")
    }

    @Test("If-Match decides a deletion: by the entity tag, which its caller may read, and by whether the object exists")
    func conditionalDeletion() async throws {
        let path = try #require(AccessPath("public/"))
        let stage = try await BucketStage(
            access: AccessRules([AccessRule(path, .authenticated, [.delete, .list])]))
        await stage.put("public/k", "hello")
        let etag = "\"5d41402abc4b2a76b9719d911017c592\""
        func delete(_ etag: String, as caller: BucketCaller = BucketStage.operatorCaller) async -> Int {
            await stage.call("DELETE", "/media/public/k", [("If-Match", etag)], as: caller).status
        }
        #expect(await delete("\"x\"") == 412)
        #expect(await delete(etag, as: BucketStage.jane) == 403)
        #expect(await delete(etag) == 204)
        #expect(await delete("*") == 404)
        await stage.put("public/k", "hello")
        #expect(await delete("*", as: BucketStage.jane) == 204)
    }

    @Test("buckets are listed by pages, prefix and region")
    func bucketPages() async throws {
        let stage = try await BucketStage()
        for name in ["alpha", "beta", "alpine"] { #expect(await stage.call("PUT", "/\(name)").status == 200) }
        #expect(await stage.call("GET", "/").elements("Name") == ["alpha", "alpine", "beta", "media"])
        #expect(await stage.call("GET", "/?prefix=al").elements("Name") == ["alpha", "alpine"])
        #expect(await stage.call("GET", "/?bucket-region=eu-west-1").elements("Name") == [])
        let first = await stage.call("GET", "/?max-buckets=3")
        #expect(first.elements("Name") == ["alpha", "alpine", "beta"])
        let token = try #require(first.element("ContinuationToken"))
        let rest = await stage.call("GET", "/?max-buckets=3&continuation-token=\(token)")
        #expect(rest.elements("Name") == ["media"] && rest.element("ContinuationToken") == nil)
        #expect(await stage.call("GET", "/?continuation-token=!").element("Code") == "InvalidArgument")
    }

    @Test("a body whose length is not declared is refused, and not taken for an empty one")
    func undeclaredLength() async throws {
        let stage = try await BucketStage()
        func status(_ method: String, _ target: String, _ headers: [(String, String)] = []) async -> Int {
            await stage.buckets.respond(
                to: BucketStage.request(method, target, headers), from: BucketStage.operatorCaller, body: .undeclared
            ).status
        }
        #expect(await status("PUT", "/media/k") == 411)
        #expect(await status("PUT", "/media?cors") == 411)
        #expect(await stage.call("GET", "/media/k").status == 404)
        // These need no body.
        #expect(await status("PUT", "/other") == 200)
        #expect(await status("POST", "/media/k?uploads") == 200)
        await stage.put("k", "x")
        #expect(await status("PUT", "/media/copy", [("x-amz-copy-source", "media/k")]) == 200)
    }

    @Test("other methods are not allowed, and a query that is not UTF-8 is no query")
    func refused() async throws {
        let stage = try await BucketStage()
        #expect(await stage.call("PATCH", "/media/k").status == 405)
        #expect(await stage.call("DELETE", "/").status == 405)
        #expect(await stage.call("GET", "/media?prefix=%FF").element("Code") == "InvalidURI")
        #expect(await stage.call("GET", "/media/k?versionId=3").element("Code") == "InvalidArgument")
    }

    @Test("requests by virtual host are answered as those by path")
    func virtualHost() async throws {
        let stage = try await BucketStage()
        let host = "media.s3.example.test:8080"
        #expect(await stage.call("PUT", "/a/b", body: [1], host: host).status == 200)
        #expect(await stage.call("GET", "/media/a/b").body == [1])
        #expect(await stage.call("GET", "/?list-type=2", host: host).elements("Key") == ["a/b"])
        #expect(await stage.call("GET", "/a/b", host: "other.s3.example.test").element("Code") == "NoSuchBucket")
    }

    @Test(
        "a header that is not implemented is refused in each operation, once the caller is authorized",
        arguments: [
            ("GET", "/"), ("PUT", "/other"), ("GET", "/media"), ("GET", "/media?list-type=2"), ("HEAD", "/media"),
            ("GET", "/media?location"), ("GET", "/media?versioning"), ("GET", "/media?acl"), ("PUT", "/media?cors"),
            ("GET", "/media?uploads"), ("POST", "/media?delete"), ("DELETE", "/media"), ("GET", "/media/k"),
            ("HEAD", "/media/k"), ("PUT", "/media/k"), ("DELETE", "/media/k"), ("GET", "/media/k?acl"),
            ("GET", "/media/k?tagging"), ("PUT", "/media/k?tagging"), ("DELETE", "/media/k?tagging"),
            ("POST", "/media/k?uploads"), ("PUT", "/media/k?partNumber=1&uploadId=u"), ("GET", "/media/k?uploadId=u"),
            ("POST", "/media/k?uploadId=u"), ("DELETE", "/media/k?uploadId=u"),
        ])
    func unsupportedHeaders(method: String, target: String) async throws {
        let stage = try await BucketStage()
        // Each value of a repeated header counts.
        for headers in [[("X-Amz-Grant-Read", "id=1")], [("x-amz-acl", "private"), ("x-amz-acl", "public-read")]] {
            #expect(await stage.call(method, target, headers).status == 501)
            #expect(await stage.call(method, target, headers, as: .anonymous).status == 403)
            guard method == "GET" || method == "HEAD" else { continue }
            let reader = try stage.buckets.makeReader(on: BucketStage.QueueExecutor())
            let now = stage.buckets.respondNow(
                to: BucketStage.request(method, target, headers), from: .anonymous, reading: reader)
            #expect(now?.status ?? 403 == 403)
        }
    }
}
