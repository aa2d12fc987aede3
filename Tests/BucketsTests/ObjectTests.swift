import Encodings
import Foundation
import Tables
import Testing

@testable import Buckets

@Suite("Objects")
struct ObjectTests {
    @Test("an object is read as it was stored, with its headers and metadata")
    func roundTrip() async throws {
        let stage = try await BucketStage()
        let stored = await stage.put(
            "public/a.jpg", "hello world",
            [
                ("Content-Type", "image/jpeg"), ("x-amz-meta-Title", "A day"), ("Cache-Control", "no-cache"),
                ("Content-Encoding", "aws-chunked,gzip"), ("x-amz-checksum-crc32", "DUoRhQ=="),
            ])
        #expect(stored.status == 200)
        #expect(stored.headers["etag"] == "\"5eb63bbbe01eeed093cb22bb8f5acdc3\"")
        #expect(stored.headers["x-amz-checksum-crc32"] == "DUoRhQ==")
        #expect(stored.headers["x-amz-checksum-type"] == "FULL_OBJECT")
        let read = await stage.call("GET", "/media/public/a.jpg", [("x-amz-checksum-mode", "ENABLED")])
        #expect(read.status == 200 && read.text == "hello world")
        #expect(read.headers["content-type"] == "image/jpeg" && read.headers["x-amz-meta-title"] == "A day")
        #expect(read.headers["cache-control"] == "no-cache" && read.headers["content-encoding"] == "gzip")
        #expect(read.headers["x-amz-checksum-crc32"] == "DUoRhQ==" && read.headers["accept-ranges"] == "bytes")
        #expect(read.headers["last-modified"] == "Fri, 15 Jan 2027 08:00:00 GMT")
        let head = await stage.call("HEAD", "/media/public/a.jpg")
        #expect(head.status == 200 && head.body.isEmpty && head.headers["content-length"] == "11")
        #expect(head.headers["x-amz-checksum-crc32"] == nil)
    }

    @Test(
        "a range is answered as RFC 9110 says, and several ranges with the whole object",
        arguments: [
            ("bytes=0-4", 206, "hello", "bytes 0-4/11"), ("bytes=6-", 206, "world", "bytes 6-10/11"),
            ("bytes=-5", 206, "world", "bytes 6-10/11"), ("bytes=-50", 206, "hello world", "bytes 0-10/11"),
            ("bytes=4-400", 206, "o world", "bytes 4-10/11"), ("bytes=0-1,3-4", 200, "hello world", nil),
            ("bytes=4-2", 200, "hello world", nil), ("lines=1-2", 200, "hello world", nil),
            ("bytes=99999999999999999999-", 416, nil, "bytes */11"), ("bytes=11-", 416, nil, "bytes */11"),
            ("bytes=-0", 416, nil, "bytes */11"),
        ] as [(String, Int, String?, String?)])
    func ranges(range: String, status: Int, text: String?, contentRange: String?) async throws {
        let stage = try await BucketStage()
        await stage.put("k", "hello world")
        let answer = await stage.call("GET", "/media/k", [("Range", range)])
        #expect(answer.status == status)
        if let text { #expect(answer.text == text) }
        #expect(answer.headers["content-range"] == contentRange)
        if status == 416 { #expect(answer.element("ActualObjectSize") == "11") }
    }

    @Test(
        "an empty object is its own part and its own suffix, which no Content-Range can name",
        arguments: [
            ("?partNumber=1", nil, 200, nil), ("", "bytes=-5", 200, nil), ("", "bytes=0-", 416, "bytes */0"),
            ("?partNumber=2", nil, 416, nil),
        ] as [(String, String?, Int, String?)])
    func emptyObject(query: String, range: String?, status: Int, contentRange: String?) async throws {
        let stage = try await BucketStage()
        await stage.put("k", "")
        for method in ["GET", "HEAD"] {
            let answer = await stage.call(method, "/media/k\(query)", range.map { [("Range", $0)] } ?? [])
            #expect(answer.status == status && answer.headers["content-range"] == contentRange, "\(answer.headers)")
            if status == 200 { #expect(answer.body.isEmpty && answer.headers["content-length"] == "0") }
        }
    }

    @Test("conditions of reads are tested in the order of RFC 9110")
    func conditions() async throws {
        let stage = try await BucketStage()
        let etag = await stage.put("k", "hello world").headers["etag"] ?? ""
        let (before, at) = ("Fri, 15 Jan 2027 07:59:59 GMT", "Fri, 15 Jan 2027 08:00:00 GMT")
        let cases: [([(String, String)], Int)] = [
            ([("If-Match", etag)], 200), ([("If-Match", "\"x\"")], 412), ([("If-Match", "*")], 200),
            ([("If-None-Match", etag)], 304), ([("If-None-Match", "\"x\", \(etag)")], 304),
            ([("If-None-Match", "\"x\"")], 200), ([("If-Modified-Since", at)], 304),
            ([("If-Modified-Since", before)], 200), ([("If-Unmodified-Since", before)], 412),
            ([("If-Unmodified-Since", at)], 200), ([("If-Match", etag), ("If-Unmodified-Since", before)], 200),
            ([("If-None-Match", "\"x\""), ("If-Modified-Since", at)], 200), ([("If-Modified-Since", "yesterday")], 200),
        ]
        for (headers, status) in cases {
            let answer = await stage.call("GET", "/media/k", headers)
            #expect(answer.status == status, "\(headers)")
            if status == 304 { #expect(answer.body.isEmpty && answer.headers["etag"] == etag) }
        }
    }

    @Test("a caller who may write and not read learns of no object by If-Match")
    func matchWithoutReading() async throws {
        let uploads = try #require(AccessPath("uploads/"))
        let stage = try await BucketStage(access: AccessRules([AccessRule(uploads, .guest, [.write])]))
        for key in ["there", "missing"] {
            let path = "/media/uploads/\(key)"
            if key == "there" { #expect(await stage.call("PUT", path, body: [1], as: BucketStage.guest).status == 200) }
            for etag in ["*", "\"x\"", "\"55a54008ad1ba589aa210d2629c1df41\""] {
                let answer = await stage.call("PUT", path, [("If-Match", etag)], body: [2], as: BucketStage.guest)
                #expect(answer.status == 403 && answer.element("Code") == "AccessDenied", "\(key) \(etag)")
            }
        }
    }

    @Test("a write with If-None-Match: * makes an object and replaces none; one with If-Match replaces that one")
    func conditionalWrites() async throws {
        let stage = try await BucketStage()
        #expect(await stage.put("k", "one", [("If-None-Match", "*")]).status == 200)
        #expect(await stage.put("k", "two", [("If-None-Match", "*")]).status == 412)
        let etag = await stage.call("HEAD", "/media/k").headers["etag"] ?? ""
        #expect(await stage.put("k", "two", [("If-Match", "\"x\"")]).status == 412)
        #expect(await stage.put("k", "two", [("If-Match", etag)]).status == 200)
        #expect(await stage.put("other", "two", [("If-Match", etag)]).status == 404)
        #expect(await stage.call("GET", "/media/k").text == "two")
        #expect(stage.blobNames.count == 1, "what was replaced and what was refused is removed")
    }

    @Test(
        "keys of every kind are stored, listed and fetched, and no file is outside of the folder",
        arguments: [
            "..", "../../etc/passwd", "a//b", "//", "a/", "/", ".", "a/./b", "100%", "a+b c", "é", "e\u{301}", "日本語",
            "🏞️/👨‍👩‍👧.jpg", "a&b<c>\"d'", "\u{1}\u{7F}", String(repeating: "k", count: 1_024), "a\\b", "?#[]",
        ])
    func keys(key: String) async throws {
        let stage = try await BucketStage()
        let path = Percent.encode(key)
        #expect(await stage.put(path, "this one").status == 200)
        // The two forms of one letter are two keys.
        if key.utf8.count == 2, key == "é" {
            #expect(await stage.put(Percent.encode("e\u{301}"), "other").status == 200)
            #expect(await stage.call("DELETE", "/media/\(Percent.encode("e\u{301}"))").status == 204)
        }
        #expect(await stage.call("GET", "/media/\(path)").text == "this one")
        let list = await stage.call("GET", "/media?list-type=2&encoding-type=url")
        let listed = list.element("Key").map { Percent.decode($0) }
        #expect(listed.map { Array($0.utf8) } == Array(key.utf8))
        let files = try FileManager.default.subpathsOfDirectory(atPath: stage.folder + "/objects")
            .filter { $0.hasSuffix("") && $0.utf8.count > 10 }
        #expect(files.count == 1 && BlobStore.isName(String(files[0].suffix(32))))
    }

    @Test("keys that are too long, not UTF-8 or have a NUL are refused")
    func refusedKeys() async throws {
        let stage = try await BucketStage()
        #expect(await stage.put(String(repeating: "k", count: 1_025), "").element("Code") == "KeyTooLongError")
        #expect(await stage.put("%FF", "").element("Code") == "InvalidURI")
        #expect(await stage.put("a%00b", "").element("Code") == "InvalidURI")
        #expect(await stage.put("%zz", "").element("Code") == "InvalidURI")
    }

    @Test("a body that is not the one that was announced changes nothing")
    func refusedBodies() async throws {
        let stage = try await BucketStage()
        await stage.put("k", "old")
        let cases: [([(String, String)], S3Payload, String)] = [
            ([("Content-MD5", "AAAAAAAAAAAAAAAAAAAAAA==")], .unsigned, "BadDigest"),
            ([("Content-MD5", "xyz")], .unsigned, "InvalidDigest"),
            ([("x-amz-checksum-crc32", "AAAAAA==")], .unsigned, "BadDigest"),
            ([("x-amz-checksum-crc32", "AAAA")], .unsigned, "InvalidRequest"),
            ([("x-amz-checksum-sha256", "DUoRhQ==")], .unsigned, "InvalidRequest"),
            ([], .hash(String(repeating: "0", count: 64)), "XAmzContentSHA256Mismatch"),
            ([("x-amz-server-side-encryption", "aws:kms")], .unsigned, "NotImplemented"),
            ([("x-amz-acl", "public-read")], .unsigned, "NotImplemented"),
            ([("x-amz-storage-class", "GLACIER")], .unsigned, "NotImplemented"),
        ]
        for (headers, payload, code) in cases {
            let answer = await stage.call("PUT", "/media/k", headers, body: Array("new".utf8), payload: payload)
            #expect(answer.element("Code") == code)
        }
        let broken = await stage.buckets.respond(
            to: BucketStage.request("PUT", "/media/k"), from: BucketStage.operatorCaller,
            body: BucketStage.body(Array("new".utf8), fails: true))
        #expect(BucketStage.answer(broken).element("Code") == "IncompleteBody")
        let unknown = await stage.buckets.respond(
            to: BucketStage.request("PUT", "/media/k"), from: BucketStage.operatorCaller,
            body: S3Body(byteCount: nil) { .end })
        #expect(unknown.status == 411)
        #expect(await stage.call("GET", "/media/k").text == "old")
        #expect(stage.blobNames.count == 1)
    }

    @Test("what x-amz-acl, storage class and owner restate of the default is accepted")
    func defaults() async throws {
        let stage = try await BucketStage()
        let headers = [
            ("x-amz-acl", "private"), ("x-amz-storage-class", "STANDARD"),
            ("x-amz-expected-bucket-owner", "000000000000"),
        ]
        #expect(await stage.put("k", "", headers).status == 200)
        let other = ("x-amz-expected-bucket-owner", "111111111111")
        #expect(await stage.put("k", "", [other]).status == 403)
        #expect(await stage.call("GET", "/media/k", [other]).status == 403)
        let encrypted = ("x-amz-server-side-encryption-customer-algorithm", "AES256")
        #expect(await stage.call("GET", "/media/k", [encrypted]).status == 501)
    }

    @Test("metadata in the query of a presigned URL is stored; a value that would end its line is refused")
    func metadataInQuery() async throws {
        let stage = try await BucketStage()
        #expect(await stage.put("k?x-amz-meta-Note=a%20b", "").status == 200)
        #expect(await stage.call("HEAD", "/media/k").headers["x-amz-meta-note"] == "a b")
        #expect(await stage.put("k?x-amz-meta-note=a%0D%0AX:%20y", "").element("Code") == "InvalidArgument")
        #expect(
            await stage.put("k", "", [("x-amz-meta-n", String(repeating: "x", count: 2_048))]).element("Code")
                == "MetadataTooLarge")
        // The checksum of an empty body, which SDKs write into a URL, is not that of the body.
        #expect(
            await stage.put("k?x-amz-checksum-crc32=AAAAAA%3D%3D&x-amz-sdk-checksum-algorithm=CRC32", "x").status == 200
        )
    }

    @Test("response parameters override headers, but not for anonymous callers")
    func overrides() async throws {
        let stage = try await BucketStage(
            access: AccessRules(anonymousPrefixes: ["open/"]))
        await stage.put("open/k", "x", [("Content-Type", "text/plain")])
        let target = "/media/open/k?response-content-type=text/html&response-content-disposition=attachment"
        let answer = await stage.call("GET", target)
        #expect(answer.headers["content-type"] == "text/html")
        #expect(answer.headers["content-disposition"] == "attachment")
        #expect(await stage.call("GET", target, as: .anonymous).element("Code") == "InvalidRequest")
        #expect(await stage.call("GET", "/media/open/k", as: .anonymous).text == "x")
        let injected = await stage.call("GET", "/media/open/k?response-content-type=a%0D%0Ab")
        #expect(injected.element("Code") == "InvalidArgument")
    }

    @Test("a copy has the bytes and headers of its source, or the headers of the request")
    func copies() async throws {
        let stage = try await BucketStage()
        await stage.put("a%3Ab%20c", "hello", [("Content-Type", "text/plain"), ("x-amz-meta-a", "1")])
        let source = ("x-amz-copy-source", "/media/a%3Ab%20c")
        let copied = await stage.call("PUT", "/media/copy", [source])
        #expect(copied.status == 200 && copied.element("ETag") == "&quot;5d41402abc4b2a76b9719d911017c592&quot;")
        let read = await stage.call("GET", "/media/copy")
        #expect(read.text == "hello" && read.headers["content-type"] == "text/plain")
        #expect(read.headers["x-amz-meta-a"] == "1")
        #expect(await stage.call("PUT", "/media/a:b%20c", [source]).element("Code") == "InvalidRequest")
        let replaced = await stage.call(
            "PUT", "/media/a:b%20c", [source, ("x-amz-metadata-directive", "REPLACE"), ("Content-Type", "text/css")])
        #expect(replaced.status == 200)
        let again = await stage.call("GET", "/media/a:b%20c")
        #expect(again.text == "hello" && again.headers["content-type"] == "text/css")
        #expect(again.headers["x-amz-meta-a"] == nil)
        #expect(await stage.call("DELETE", "/media/a:b%20c").status == 204)
        #expect(await stage.call("GET", "/media/copy").text == "hello", "a copy does not end with its source")
        #expect(await stage.call("PUT", "/media/x", [source]).element("Code") == "NoSuchKey")
        let etag = "\"5d41402abc4b2a76b9719d911017c592\""
        for (name, value) in [
            ("If-Match", "\"x\""), ("If-None-Match", etag), ("If-Modified-Since", "Fri, 15 Jan 2100 08:00:00 GMT"),
            ("If-Unmodified-Since", "Thu, 15 Jan 2015 08:00:00 GMT"),
        ] {
            let condition = ("x-amz-copy-source-\(name)", value)
            let refused = await stage.call("PUT", "/media/x", [("x-amz-copy-source", "media/copy"), condition])
            #expect(refused.element("Code") == "PreconditionFailed" && refused.status == 412)
            #expect(refused.element("Condition") == "x-amz-copy-source-\(name)", "the condition that failed is named")
        }
        let hashed = await stage.call(
            "PUT", "/media/x", [("x-amz-copy-source", "media/copy"), ("x-amz-checksum-algorithm", "CRC32C")])
        #expect(hashed.element("ChecksumCRC32C") == "mnG7TA==")
    }

    @Test("a copy is only made of what the caller may read")
    func deniedCopies() async throws {
        let stage = try await BucketStage()
        await stage.put("private/us-east-1:other/x", "secret")
        let source = ("x-amz-copy-source", "media/private/us-east-1:other/x")
        let answer = await stage.call("PUT", "/media/public/x", [source], as: BucketStage.jane)
        #expect(answer.element("Code") == "AccessDenied")
        let absent = ("x-amz-copy-source", "nowhere/x")
        #expect(await stage.call("PUT", "/media/public/x", [absent]).element("Code") == "NoSuchBucket")
    }

    @Test("tags are stored with an object, read, replaced and removed")
    func tags() async throws {
        let stage = try await BucketStage()
        await stage.put("k", "x", [("x-amz-tagging", "a=1&b=two+words")])
        let tags = await stage.call("GET", "/media/k?tagging")
        #expect(tags.elements("Key") == ["a", "b"] && tags.elements("Value") == ["1", "two words"])
        #expect(await stage.call("GET", "/media/k").headers["x-amz-tagging-count"] == "2")
        let document = "<Tagging><TagSet><Tag><Key>c</Key><Value/></Tag></TagSet></Tagging>"
        #expect(await stage.call("PUT", "/media/k?tagging", body: Array(document.utf8)).status == 200)
        #expect(await stage.call("GET", "/media/k?tagging").elements("Key") == ["c"])
        #expect(await stage.call("DELETE", "/media/k?tagging").status == 204)
        #expect(await stage.call("GET", "/media/k?tagging").elements("Key").isEmpty)
        #expect(await stage.put("k", "x", [("x-amz-tagging", "a=1&a=2")]).element("Code") == "InvalidTag")
        // The prefix is reserved in any case, for keys alone.
        for name in ["aws:a", "AWS:", "aWs%3Ab"] {
            let answer = await stage.put("k", "x", [("x-amz-tagging", "\(name)=1")])
            #expect(answer.element("Code") == "InvalidTag", "\(name)")
        }
        let reserved = "<Tagging><TagSet><Tag><Key>aws:c</Key><Value>1</Value></Tag></TagSet></Tagging>"
        #expect(
            await stage.call("PUT", "/media/k?tagging", body: Array(reserved.utf8)).element("Code") == "InvalidTag")
        #expect(await stage.put("k", "x", [("x-amz-tagging", "aws=aws:1&a:aws:=2")]).status == 200)
    }

    @Test("DeleteObjects needs a digest of its body, and tags whose names differ in their bytes are two")
    func digestsAndTags() async throws {
        let stage = try await BucketStage()
        await stage.put("k", "x")
        let body = Array("<Delete><Object><Key>k</Key></Object></Delete>".utf8)
        let refused = await stage.buckets.respond(
            to: BucketStage.request("POST", "/media?delete"), from: BucketStage.operatorCaller,
            body: BucketStage.body(body))
        #expect(BucketStage.answer(refused).element("Code") == "InvalidRequest" && refused.status == 400)
        #expect(await stage.call("GET", "/media/k").text == "x")
        #expect(await stage.put("k", "x", [("x-amz-tagging", "%C3%A9=1&e%CC%81=2")]).status == 200)
        #expect(await stage.put("k", "x", [("x-amz-tagging", "a=1&a=2")]).element("Code") == "InvalidTag")
    }

    @Test("DeleteObjects removes what may be removed, and says of the others why not")
    func deleteObjects() async throws {
        let stage = try await BucketStage()
        await stage.put("public/a", "1")
        await stage.put("private/us-east-1:other/b", "2")
        let document =
            "<Delete xmlns=\"http://s3.amazonaws.com/doc/2006-03-01/\"><Object><Key>public/a</Key></Object>"
            + "<Object><Key>private/us-east-1:other/b</Key></Object><Object><Key>public/none</Key></Object></Delete>"
        let answer = await stage.call("POST", "/media?delete", body: Array(document.utf8), as: BucketStage.jane)
        #expect(answer.status == 200)
        #expect(answer.elements("Deleted") == ["<Key>public/a</Key>", "<Key>public/none</Key>"])
        #expect(answer.element("Error")?.hasPrefix("<Key>private/us-east-1:other/b</Key><Code>AccessDenied") == true)
        #expect(await stage.call("GET", "/media/public/a").status == 404)
        #expect(await stage.call("GET", "/media/private/us-east-1:other/b").text == "2")
        await stage.put("public/twice", "3")
        let twice =
            "<Delete>" + String(repeating: "<Object><Key>public/twice</Key></Object>", count: 2) + "</Delete>"
        let repeated = await stage.call("POST", "/media?delete", body: Array(twice.utf8))
        #expect(repeated.status == 200 && repeated.elements("Deleted").count == 2)
        #expect(await stage.call("GET", "/media/public/twice").status == 404)
        let many = "<Delete>" + String(repeating: "<Object><Key>k</Key></Object>", count: 1_001) + "</Delete>"
        #expect(await stage.call("POST", "/media?delete", body: Array(many.utf8)).element("Code") == "MalformedXML")
    }

    @Test("the object of a deleted key is gone, and a reader goes on reading it")
    func deletionWhileReading() async throws {
        let stage = try await BucketStage()
        await stage.put("k", "hello")
        let response = await stage.buckets.respond(
            to: BucketStage.request("GET", "/media/k"), from: BucketStage.operatorCaller)
        #expect(await stage.call("DELETE", "/media/k").status == 204)
        #expect(await stage.call("DELETE", "/media/k").status == 204)
        #expect(stage.blobNames.isEmpty)
        #expect(BucketStage.answer(response).text == "hello")
        let missing = await stage.call("GET", "/media/k")
        #expect(missing.status == 404 && missing.element("Code") == "NoSuchKey" && missing.element("Key") == "k")
        #expect(await stage.call("HEAD", "/media/k").body.isEmpty)
    }

    @Test("respondNow answers reads on its own thread as respond does, and nothing else")
    func reading() async throws {
        let stage = try await BucketStage()
        await stage.put("public/k", "hello")
        let reader = try stage.buckets.makeReader(on: BucketStage.QueueExecutor())
        for (caller, target) in [
            (BucketStage.guest, "/media/public/k"), (BucketStage.guest, "/media/private/k"),
            (BucketStage.operatorCaller, "/media/none"), (BucketStage.operatorCaller, "/nowhere/k"),
        ] {
            let request = BucketStage.request("GET", target, [("Range", "bytes=1-2")])
            let now = try #require(stage.buckets.respondNow(to: request, from: caller, reading: reader))
            let later = BucketStage.answer(await stage.buckets.respond(to: request, from: caller))
            #expect(BucketStage.answer(now).status == later.status && BucketStage.answer(now).text == later.text)
        }
        let list = BucketStage.request("GET", "/media?list-type=2")
        #expect(stage.buckets.respondNow(to: list, from: BucketStage.operatorCaller, reading: reader) == nil)
        await stage.put("public/k", "changed")
        let request = BucketStage.request("GET", "/media/public/k")
        let now = try #require(stage.buckets.respondNow(to: request, from: BucketStage.guest, reading: reader))
        #expect(BucketStage.answer(now).text == "changed")
    }

    /// What an object takes beside its body, with a key of one byte and no metadata.
    private static let overhead = StoredSize.recordBytes + 3

    /// What an operator's upload takes, with a key of one byte and no metadata.
    private static var uploadBytes: Int {
        var upload = UploadRecord(
            bucket: "media", key: "k", id: String(repeating: "0", count: 51), created: 0,
            initiator: BucketStage.operatorCaller.principal)
        upload.initiatorClass = .operator
        return upload.storedSize.overheadBytes
    }

    @Test("empty objects and parts count, and so do keys, metadata and tags")
    func overheads() async throws {
        var limits = BucketLimits()
        // Room for two objects beside an upload.
        limits.storedBytesMax = 2 * Self.overhead + Self.uploadBytes
        let stage = try await BucketStage(limits: limits)
        let id = await stage.call("POST", "/media/m?uploads").element("UploadId") ?? ""
        for key in ["a", "b"] { #expect(await stage.put(key, "").status == 200) }
        #expect(await stage.put("c", "").element("Code") == "QuotaExceeded")
        let part = await stage.call("PUT", "/media/m?partNumber=1&uploadId=\(id)")
        #expect(part.element("Code") == "QuotaExceeded")
        #expect(await stage.call("DELETE", "/media/b").status == 204)
        #expect(await stage.put("long", "").element("Code") == "QuotaExceeded")
        #expect(await stage.put("b", "", [("x-amz-meta-k", "v")]).element("Code") == "QuotaExceeded")
        #expect(await stage.put("b", "", [("x-amz-tagging", "k=v")]).element("Code") == "QuotaExceeded")
        #expect(await stage.call("PUT", "/media/m?partNumber=1&uploadId=\(id)").status == 200)
        #expect(stage.buckets.stored == (0, 1))
        let tags = "<Tagging><TagSet><Tag><Key>k</Key><Value>v</Value></Tag></TagSet></Tagging>"
        #expect(await stage.call("PUT", "/media/a?tagging", body: Array(tags.utf8)).status == 200)
        // The next start counts the same.
        let size = stage.buckets.usage.size
        #expect(size.overheadBytes > 2 * StoredSize.recordBytes)
        stage.store.close()
        let again = try await BucketStage(folder: stage.folder, limits: limits, ownsFolder: false)
        _ = try await again.buckets.collect()
        #expect(again.buckets.usage.size == size && again.buckets.stored == (0, 1))
    }

    /// A reader of an object, as a download is.
    private func reader(of key: String, _ stage: BucketStage) async throws -> OpenBlob {
        let response = await stage.buckets.respond(
            to: BucketStage.request("GET", "/media/\(key)"), from: BucketStage.operatorCaller)
        guard case .blob(let blob, _) = response.body else { throw BlobError.missing }
        return blob
    }

    @Test(
        "a version that was replaced or deleted does not count as stored, also while it is read",
        arguments: [true, false])
    func readVersions(isReplaced: Bool) async throws {
        var limits = BucketLimits()
        limits.storedBytesMax = 2 * Self.overhead + 2_500
        let stage = try await BucketStage(limits: limits)
        let text = String(repeating: "x", count: 2_000)
        #expect(await stage.put("a", text).status == 200)
        let reader = try await reader(of: "a", stage)
        if isReplaced {
            #expect(await stage.put("a", "y").status == 200)
        } else {
            #expect(await stage.call("DELETE", "/media/a").status == 204)
        }
        #expect(await stage.put("b", text).status == 200)
        #expect(!reader.isRevoked)
        #expect(try String(decoding: reader.read(at: 0, count: 2_000), as: UTF8.self) == text)
    }

    @Test("beyond a bound of bytes, the readers of the versions that were removed first have to end")
    func revokedReaders() async throws {
        var limits = BucketLimits()
        limits.removedBytesMax = 5
        let stage = try await BucketStage(limits: limits)
        for key in ["a", "b", "c", "d"] { await stage.put(key, "12") }
        let readers = try await [reader(of: "a", stage), reader(of: "a", stage), reader(of: "b", stage)]
        await stage.put("a", "new")
        await stage.put("b", "new")
        // A version without readers takes nothing.
        await stage.put("d", "new")
        #expect(readers.map(\.isRevoked) == [false, false, false])
        let stays = try await reader(of: "a", stage)
        let last = try await reader(of: "c", stage)
        #expect(await stage.call("DELETE", "/media/c").status == 204)
        #expect(readers.map(\.isRevoked) == [true, true, false])
        #expect(!stays.isRevoked && !last.isRevoked)
    }

    @Test("a reader that has ended makes room for those of other removed versions")
    func endedReaders() async throws {
        var limits = BucketLimits()
        limits.removedBytesMax = 5
        let stage = try await BucketStage(limits: limits)
        for key in ["a", "b", "c"] { await stage.put(key, "12") }
        var first: OpenBlob? = try await reader(of: "a", stage)
        await stage.put("a", "new")
        #expect(first?.isRevoked == false)
        first = nil
        let (second, third) = (try await reader(of: "b", stage), try await reader(of: "c", stage))
        await stage.put("b", "new")
        await stage.put("c", "new")
        #expect(!second.isRevoked && !third.isRevoked)
    }

    @Test("objects and their bytes are bounded over all")
    func quota() async throws {
        var limits = BucketLimits()
        (limits.storedBytesMax, limits.objectsMax) = (3 * Self.overhead + 9, 3)
        limits.bodyBytesMax = 2 * Self.overhead
        let stage = try await BucketStage(limits: limits)
        let text = String(repeating: "x", count: limits.bodyBytesMax)
        #expect(await stage.put("a", text + "x").element("Code") == "EntityTooLarge")
        #expect(await stage.put("a", text).status == 200)
        let bytes = await stage.put("b", "1234567890")
        #expect(bytes.element("Code") == "QuotaExceeded" && bytes.element("Limit") == "storageBytesMax")
        #expect(await stage.call("DELETE", "/media/a").status == 204)
        for key in ["b", "c", "d"] { #expect(await stage.put(key, "123").status == 200) }
        let objects = await stage.put("e", "")
        #expect(objects.element("Code") == "QuotaExceeded" && objects.element("Limit") == "storageObjectsMax")
        #expect(stage.buckets.stored == (9, 3))
    }

    @Test("a declared size takes no quota from others, and bytes that have arrived do", arguments: ["object", "part"])
    func declaredSize(kind: String) async throws {
        var limits = BucketLimits()
        limits.storedBytesMax =
            (kind == "object" ? Self.overhead : StoredSize.recordBytes) + Self.overhead + Self.uploadBytes + 10
        let stage = try await BucketStage(limits: limits)
        let upload = await stage.call("POST", "/media/a?uploads").element("UploadId") ?? ""
        let target = kind == "object" ? "/media/a" : "/media/a?partNumber=1&uploadId=\(upload)"
        for (arrived, status) in [(0, 200), (6, 403)] {
            let stalled = StalledBody(byteCount: 10, [UInt8](repeating: 1, count: arrived))
            async let answer = stage.buckets.respond(
                to: BucketStage.request("PUT", target), from: BucketStage.operatorCaller, body: stalled.body)
            await stalled.waitUntilRead()
            #expect(await stage.put("b", "12345").status == status)
            #expect(await stage.call("DELETE", "/media/b").status == 204)
            stalled.fail()
            #expect(await answer.status == 400)
            #expect(await stage.put("b", "1234567890").status == 200)
            #expect(await stage.call("DELETE", "/media/b").status == 204)
        }
    }

    @Test("a body in XML takes of a shared bound what has arrived of it, and one identity and one network have half")
    func documents() async throws {
        var limits = BucketLimits()
        limits.documentsBytesMax = 100_000
        let stage = try await BucketStage(limits: limits)
        let stalled = StalledBody(byteCount: 1_000_000, [UInt8](repeating: 0x20, count: 20_000))
        async let answer = stage.buckets.respond(
            to: BucketStage.request("POST", "/media?delete", [BucketStage.checksum(of: [])]), from: BucketStage.jane,
            body: stalled.body)
        await stalled.waitUntilRead()
        let joe = BucketCaller.authenticated(identityID: "us-east-1:joe")
        let text = "<Delete>\(String(repeating: " ", count: 10_000))<Object><Key>k</Key></Object></Delete>"
        func remove(
            _ text: String, from address: String, _ caller: BucketCaller = BucketStage.jane
        ) async -> BucketStage.Answer {
            let request = S3Request(
                method: "POST", path: "/media", query: "delete", host: "localhost",
                headers: [BucketStage.checksum(of: Array(text.utf8))].map { (name: $0.0, value: $0.1) }, id: "R",
                sourceAddress: address)
            return BucketStage.answer(
                await stage.buckets.respond(to: request, from: caller, body: BucketStage.body(Array(text.utf8))))
        }
        #expect(await remove(text, from: "127.0.0.1").element("Code") == "SlowDown")
        #expect(await remove(text, from: "127.0.0.1", joe).element("Code") == "SlowDown")
        #expect(await remove(text, from: "127.0.0.2").element("Code") == "SlowDown")
        #expect(await remove(text, from: "127.0.0.2", joe).status == 200)
        #expect(await remove(text, from: "127.0.0.1", BucketStage.operatorCaller).status == 200)
        // Elements take more memory than their text.
        let wide = "<Delete>\(String(repeating: "<a/>", count: 2_000))</Delete>"
        #expect(await remove(wide, from: "127.0.0.2", joe).element("Code") == "SlowDown")
        stalled.fail()
        #expect(await answer.status == 400)
        #expect(await remove(text, from: "127.0.0.1").status == 200)
        #expect(stage.buckets.documents.byteCount == 0)
    }

    @Test("the body of a request in XML is received only from callers who may make it")
    func documentRights() async throws {
        let stage = try await BucketStage()
        func isReceived(_ method: String, _ target: String, _ caller: BucketCaller) -> Bool {
            stage.buckets.documentBody(
                of: stage.buckets.route(BucketStage.request(method, target)), from: caller) != nil
        }
        let cases: [(method: String, target: String, guest: Bool, jane: Bool)] = [
            // Guests may get and list.
            ("POST", "/media?delete", false, true), ("PUT", "/media/public/a?tagging", false, false),
            ("PUT", "/media/private/other/a?tagging", false, false),
            ("POST", "/media/public/a?uploadId=1", false, true), ("PUT", "/media?cors", false, false),
            ("PUT", "/new", false, false),
        ]
        for (method, target, guest, jane) in cases {
            #expect(isReceived(method, target, BucketStage.guest) == guest, "\(target)")
            #expect(isReceived(method, target, BucketStage.jane) == jane, "\(target)")
            #expect(isReceived(method, target, BucketStage.operatorCaller), "\(target)")
        }
        #expect(!isReceived("PUT", "/media/public/a", BucketStage.operatorCaller))
        let stalled = StalledBody(byteCount: 10)
        let refused = await stage.buckets.respond(
            to: BucketStage.request("POST", "/media?delete"), from: BucketStage.guest, body: stalled.body)
        #expect(BucketStage.answer(refused).element("Code") == "AccessDenied")
    }

    @Test("a body in XML that was received before takes as much memory as one that is read")
    func receivedDocument() async throws {
        var limits = BucketLimits()
        limits.documentsBytesMax = 100_000
        let stage = try await BucketStage(limits: limits)
        let text = "<Delete>\(String(repeating: " ", count: 20_000))<Object><Key>k</Key></Object></Delete>"
        let request = BucketStage.request("POST", "/media?delete", [BucketStage.checksum(of: Array(text.utf8))])
        do {
            let document = try #require(
                stage.buckets.documentBody(of: stage.buckets.route(request), from: BucketStage.jane))
            try document.append(Array(text.utf8))
            #expect(stage.buckets.documents.byteCount == text.utf8.count)
            let answer = await stage.buckets.respond(
                to: stage.buckets.route(request), from: BucketStage.jane, payload: .unsigned, body: document,
                byteCount: text.utf8.count)
            #expect(answer.status == 200)
            #expect(stage.buckets.documents.byteCount > 2 * text.utf8.count)
            let other = try #require(
                stage.buckets.documentBody(of: stage.buckets.route(request), from: BucketStage.jane))
            #expect(throws: S3Error.slowDown) { try other.append(Array(text.utf8)) }
        }
        #expect(stage.buckets.documents.byteCount == 0)
    }

    @Test("a body that sets tags or rules has the bound of S3")
    func settingsBound() async throws {
        let stage = try await BucketStage()
        await stage.put("k", "x")
        let body = Array("<Tagging>\(String(repeating: " ", count: 64 << 10))<TagSet/></Tagging>".utf8)
        #expect(await stage.call("PUT", "/media/k?tagging", body: body).element("Code") == "MalformedXML")
    }
}
