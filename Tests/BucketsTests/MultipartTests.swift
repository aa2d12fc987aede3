import Synchronization
import Testing

@testable import Buckets

@Suite("Multipart uploads")
struct MultipartTests {
    private static func limits() -> BucketLimits {
        var limits = BucketLimits()
        limits.partBytesMin = 5
        return limits
    }

    private func begin(
        _ stage: BucketStage, _ key: String = "k", _ headers: [(String, String)] = []
    ) async throws -> String {
        let answer = await stage.call("POST", "/media/\(key)?uploads", headers)
        #expect(answer.status == 200 && answer.element("Key") == key)
        return try #require(answer.element("UploadId"))
    }

    private func put(
        _ stage: BucketStage, _ id: String, _ number: Int, _ text: String, _ headers: [(String, String)] = []
    ) async -> BucketStage.Answer {
        await stage.call(
            "PUT", "/media/k?partNumber=\(number)&uploadId=\(id)", headers, body: Array(text.utf8))
    }

    private func document(_ parts: [(Int, String)], _ extra: String = "") -> [UInt8] {
        let parts = parts.map { "<Part><PartNumber>\($0.0)</PartNumber><ETag>\($0.1)</ETag>\(extra)</Part>" }
        return Array("<CompleteMultipartUpload>\(parts.joined())</CompleteMultipartUpload>".utf8)
    }

    private func complete(
        _ stage: BucketStage, _ id: String, _ parts: [(Int, String)], _ headers: [(String, String)] = []
    ) async -> BucketStage.Answer {
        await stage.call("POST", "/media/k?uploadId=\(id)", headers, body: document(parts))
    }

    @Test("the location of a completed object has the scheme of the request")
    func location() async throws {
        let stage = try await BucketStage(limits: Self.limits())
        let id = try await begin(stage, "k")
        _ = await put(stage, id, 1, "b")
        let plain = BucketStage.request("POST", "/media/k?uploadId=\(id)")
        let request = S3Request(
            method: "POST", path: plain.path, query: plain.query, host: "s3.example.com", isSecure: true,
            headers: plain.headers, id: "R", sourceAddress: "::1")
        let response = await stage.buckets.respond(
            to: request, from: BucketStage.operatorCaller, body: BucketStage.body(document([(1, Self.bee)])))
        #expect(BucketStage.answer(response).element("Location") == "https://s3.example.com/media/k")
    }

    @Test("an upload is completed only if the object has the size and the type of checksum that the request declares")
    func declarations() async throws {
        let stage = try await BucketStage(limits: Self.limits())
        let id = try await begin(stage, "k", [("x-amz-checksum-algorithm", "CRC32")])
        _ = await put(stage, id, 1, "b")
        for header in [("x-amz-mp-object-size", "2"), ("x-amz-checksum-type", "FULL_OBJECT")] {
            let refused = await complete(stage, id, [(1, Self.bee)], [header])
            #expect(refused.element("Code") == "InvalidRequest" && refused.status == 400, "\(header)")
        }
        #expect(await stage.call("GET", "/media/k").status == 404)
        let headers = [("x-amz-mp-object-size", "1"), ("x-amz-checksum-type", "COMPOSITE")]
        #expect(await complete(stage, id, [(1, Self.bee)], headers).status == 200)
    }

    private static let (aaaaa, bee) = ("594f803b380a41396ed63dca39503542", "92eb5ffee6ae2fec3ad71c777531578f")

    @Test("parts in any order become one object, with the ETag of their MD5s and the headers of the upload")
    func upload() async throws {
        let stage = try await BucketStage(limits: Self.limits())
        let id = try await begin(stage, "k", [("Content-Type", "text/plain"), ("x-amz-meta-a", "1")])
        #expect(await put(stage, id, 2, "b").headers["etag"] == "\"\(Self.bee)\"")
        _ = await put(stage, id, 1, "wrong")
        #expect(await put(stage, id, 1, "aaaaa").headers["etag"] == "\"\(Self.aaaaa)\"")
        #expect(await stage.call("GET", "/media/k").status == 404)
        #expect(stage.blobNames.count == 2)
        let parts = await stage.call("GET", "/media/k?uploadId=\(id)&max-parts=1")
        #expect(parts.elements("PartNumber") == ["1"] && parts.element("IsTruncated") == "true")
        #expect(parts.element("NextPartNumberMarker") == "1" && parts.element("Size") == "5")
        let rest = await stage.call("GET", "/media/k?uploadId=\(id)&part-number-marker=1")
        #expect(rest.elements("PartNumber") == ["2"] && rest.element("IsTruncated") == "false")
        let etags = [(1, "&quot;\(Self.aaaaa)&quot;"), (2, Self.bee)]
        let done = await complete(stage, id, etags)
        #expect(done.element("ETag") == "&quot;d6cf633d4421b23c497ad462505168a1-2&quot;")
        #expect(done.element("Location") == "http://localhost:20002/media/k")
        let read = await stage.call("GET", "/media/k")
        #expect(read.text == "aaaaab" && read.headers["content-type"] == "text/plain")
        #expect(read.headers["x-amz-meta-a"] == "1" && read.headers["etag"] == "\"d6cf633d4421b23c497ad462505168a1-2\"")
        #expect(stage.blobNames.count == 1 && stage.buckets.stored == (6, 1))
        let again = await complete(stage, id, etags)
        #expect(again.status == 200 && again.element("ETag") == done.element("ETag"))
        #expect(await put(stage, id, 3, "c").element("Code") == "NoSuchUpload")
        let part = await stage.call("GET", "/media/k?partNumber=2")
        #expect(part.status == 206 && part.text == "b" && part.headers["x-amz-mp-parts-count"] == "2")
        #expect(part.headers["content-range"] == "bytes 5-5/6")
        #expect(await stage.call("HEAD", "/media/k?partNumber=3").status == 416)
    }

    @Test(
        "the parts of an object are counted from 1, whatever numbers they were uploaded with",
        arguments: [[1, 3], [5, 10_000]])
    func partsWithGaps(_ numbers: [Int]) async throws {
        let stage = try await BucketStage(limits: Self.limits())
        let id = try await begin(stage)
        _ = await put(stage, id, numbers[0], "aaaaa")
        // A part that the completion leaves out is no part of the object.
        _ = await put(stage, id, numbers[0] + 1, "other")
        _ = await put(stage, id, numbers[1], "b")
        #expect(await complete(stage, id, [(numbers[0], Self.aaaaa), (numbers[1], Self.bee)]).status == 200)
        for (number, text, range) in [(1, "aaaaa", "bytes 0-4/6"), (2, "b", "bytes 5-5/6")] {
            for method in ["GET", "HEAD"] {
                let part = await stage.call(method, "/media/k?partNumber=\(number)")
                #expect(part.status == 206 && part.headers["content-range"] == range, "\(method) \(number)")
                #expect(part.headers["x-amz-mp-parts-count"] == "2", "\(method) \(number)")
                if method == "GET" { #expect(part.text == text) }
            }
        }
        for number in [3, 5, 10_000] {
            for method in ["GET", "HEAD"] {
                #expect(await stage.call(method, "/media/k?partNumber=\(number)").status == 416, "\(method) \(number)")
            }
        }
        #expect(await stage.call("GET", "/media/k?partNumber=3").element("Code") == "InvalidPartNumber")
    }

    @Test("completions of one upload at one time are all answered as the one that stored the object")
    func completionsAtOneTime() async throws {
        let stage = try await BucketStage(limits: Self.limits())
        for _ in 0..<20 {
            let id = try await begin(stage)
            _ = await put(stage, id, 1, "b")
            let answers = await withTaskGroup(of: BucketStage.Answer.self) { group in
                for _ in 0..<6 { group.addTask { await complete(stage, id, [(1, Self.bee)]) } }
                return await group.reduce(into: []) { $0.append($1) }
            }
            for answer in answers { #expect(answer.status == 200, "\(answer.text)") }
        }
    }

    @Test("a completion names parts that are there, in order, and large enough")
    func refusals() async throws {
        let stage = try await BucketStage(limits: Self.limits())
        let id = try await begin(stage)
        _ = await put(stage, id, 1, "aaaaa")
        _ = await put(stage, id, 2, "b")
        _ = await put(stage, id, 3, "b")
        let cases: [([(Int, String)], String)] = [
            ([(2, Self.bee), (1, Self.aaaaa)], "InvalidPartOrder"),
            ([(1, Self.aaaaa), (1, Self.aaaaa)], "InvalidPartOrder"),
            ([(1, Self.bee)], "InvalidPart"), ([(4, Self.bee)], "InvalidPart"), ([], "MalformedXML"),
            ([(1, Self.aaaaa), (2, Self.bee), (3, Self.bee)], "EntityTooSmall"), ([(0, Self.bee)], "InvalidPartOrder"),
        ]
        for (parts, code) in cases { #expect(await complete(stage, id, parts).element("Code") == code, "\(parts)") }
        #expect(await complete(stage, "none", [(1, Self.bee)]).element("Code") == "NoSuchUpload")
        #expect(await put(stage, id, 0, "x").element("Code") == "InvalidArgument")
        #expect(await put(stage, id, 10_001, "x").element("Code") == "InvalidArgument")
        #expect(await put(stage, "none", 1, "x").element("Code") == "NoSuchUpload")
        // An upload belongs to its key.
        let other = await stage.call("PUT", "/media/other?partNumber=1&uploadId=\(id)")
        #expect(other.element("Code") == "NoSuchUpload")
        #expect(await complete(stage, id, [(1, Self.aaaaa), (3, Self.bee)]).status == 200)
    }

    @Test("a completed upload is forgotten with its bucket")
    func forgotten() async throws {
        let stage = try await BucketStage(limits: Self.limits())
        #expect(await stage.call("PUT", "/own-bucket").status == 200)
        let id = try #require(await stage.call("POST", "/own-bucket/k?uploads").element("UploadId"))
        let part = await stage.call("PUT", "/own-bucket/k?partNumber=1&uploadId=\(id)", body: Array("aaaaa".utf8))
        #expect(part.status == 200)
        let target = "/own-bucket/k?uploadId=\(id)"
        for _ in 0..<2 {
            #expect(await stage.call("POST", target, body: document([(1, Self.aaaaa)])).status == 200)
        }
        #expect(await stage.call("DELETE", "/own-bucket/k").status == 204)
        #expect(await stage.call("DELETE", "/own-bucket").status == 204)
        #expect(await stage.call("PUT", "/own-bucket").status == 200)
        let again = await stage.call("POST", target, body: document([(1, Self.aaaaa)]))
        #expect(again.status == 404 && again.element("Code") == "NoSuchUpload")
    }

    @Test("an aborted upload leaves nothing")
    func abort() async throws {
        let stage = try await BucketStage(limits: Self.limits())
        let id = try await begin(stage)
        _ = await put(stage, id, 1, "aaaaa")
        #expect(await stage.call("DELETE", "/media/k?uploadId=\(id)").status == 204)
        #expect(await stage.call("DELETE", "/media/k?uploadId=\(id)").element("Code") == "NoSuchUpload")
        #expect(stage.blobNames.isEmpty && stage.buckets.stored == (0, 0))
    }

    @Test("checksums are those of the parts' checksums, or of the whole object")
    func checksums() async throws {
        let stage = try await BucketStage(limits: Self.limits())
        let cases: [([(String, String)], String, String, String)] = [
            ([("x-amz-checksum-algorithm", "CRC32")], "crc32", "9JLu0A==-2", "COMPOSITE"),
            (
                [("x-amz-checksum-algorithm", "CRC32"), ("x-amz-checksum-type", "FULL_OBJECT")], "crc32", "w+1IQg==",
                "FULL_OBJECT"
            ),
        ]
        for (headers, name, value, type) in cases {
            let id = try await begin(stage, "k", headers)
            #expect(await put(stage, id, 1, "aaaaa").headers["x-amz-checksum-\(name)"] != nil)
            _ = await put(stage, id, 2, "b")
            let wrong = ("x-amz-checksum-\(name)", "AAAAAA==" + (type == "COMPOSITE" ? "-2" : ""))
            let parts = [(1, Self.aaaaa), (2, Self.bee)]
            #expect(await complete(stage, id, parts, [wrong]).element("Code") == "BadDigest")
            let done = await complete(stage, id, parts, [("x-amz-checksum-\(name)", value)])
            #expect(done.element("ChecksumCRC32") == value && done.element("ChecksumType") == type)
            let read = await stage.call("HEAD", "/media/k", [("x-amz-checksum-mode", "ENABLED")])
            #expect(read.headers["x-amz-checksum-\(name)"] == value && read.headers["x-amz-checksum-type"] == type)
        }
        let invalid = [("x-amz-checksum-algorithm", "SHA256"), ("x-amz-checksum-type", "FULL_OBJECT")]
        #expect(await stage.call("POST", "/media/k?uploads", invalid).element("Code") == "InvalidRequest")
        let id = try await begin(stage, "k", [("x-amz-checksum-algorithm", "CRC64NVME")])
        let mismatch = await put(stage, id, 1, "aaaaa", [("x-amz-checksum-crc32", "dNGKDg==")])
        #expect(mismatch.status == 400)
    }

    @Test("a copy of an object that was uploaded in parts has the MD5 and the checksum of its bytes, and no parts")
    func copiesOfParts() async throws {
        let stage = try await BucketStage(limits: Self.limits())
        for headers in [[], [("x-amz-checksum-algorithm", "CRC32")]] {
            let id = try await begin(stage, "k", headers)
            _ = await put(stage, id, 1, "aaaaa")
            _ = await put(stage, id, 2, "b")
            #expect(await complete(stage, id, [(1, Self.aaaaa), (2, Self.bee)]).status == 200)
            let copied = await stage.call("PUT", "/media/copy", [("x-amz-copy-source", "media/k")])
            #expect(copied.element("ETag") == "&quot;9dcf6acc37500e699f572645df6e87fc&quot;")
            #expect(copied.element("ChecksumCRC32") == (headers.isEmpty ? nil : "w+1IQg=="))
            #expect(copied.element("ChecksumType") == (headers.isEmpty ? nil : "FULL_OBJECT"))
            let read = await stage.call("GET", "/media/copy")
            #expect(read.text == "aaaaab" && read.headers["etag"] == "\"9dcf6acc37500e699f572645df6e87fc\"")
            #expect(await stage.call("HEAD", "/media/copy?partNumber=2").status == 416)
        }
    }

    @Test("a part is copied of a range of an object")
    func copies() async throws {
        let stage = try await BucketStage(limits: Self.limits())
        await stage.put("source", "xaaaaay")
        let id = try await begin(stage)
        let source = ("x-amz-copy-source", "media/source")
        let target = "/media/k?partNumber=1&uploadId=\(id)"
        let copied = await stage.call("PUT", target, [source, ("x-amz-copy-source-range", "bytes=1-5")])
        #expect(copied.element("ETag") == "&quot;\(Self.aaaaa)&quot;")
        for range in ["bytes=1-7", "bytes=-3", "bytes=1-", "1-2"] {
            let refused = await stage.call("PUT", target, [source, ("x-amz-copy-source-range", range)])
            #expect(refused.element("Code") == "InvalidArgument")
        }
        #expect(await complete(stage, id, [(1, Self.aaaaa)]).status == 200)
        #expect(await stage.call("GET", "/media/k").text == "aaaaa")
    }

    @Test("uploads in progress are listed by key and by their beginning, in pages")
    func list() async throws {
        let stage = try await BucketStage(limits: Self.limits())
        var ids: [String] = []
        for key in ["a", "b/1", "b/2", "c", "c"] {
            stage.time.milliseconds.withLock { $0 += 1 }
            ids.append(try await begin(stage, key))
        }
        let all = await stage.call("GET", "/media?uploads")
        #expect(all.elements("UploadId") == ids && all.element("IsTruncated") == "false")
        let grouped = await stage.call("GET", "/media?uploads&delimiter=/")
        #expect(grouped.elements("Key") == ["a", "c", "c"] && grouped.elements("CommonPrefixes").count == 1)
        for delimiter in ["", "/"] {
            var (listed, marker): ([String], String) = ([], "")
            for _ in 0..<6 {
                let page = await stage.call("GET", "/media?uploads&max-uploads=1&delimiter=\(delimiter)\(marker)")
                listed += page.elements("UploadId") + page.elements("CommonPrefixes")
                guard page.element("IsTruncated") == "true" else { break }
                marker =
                    "&key-marker=\(page.element("NextKeyMarker") ?? "")&upload-id-marker=\(page.element("NextUploadIdMarker") ?? "")"
            }
            #expect(listed.count == (delimiter.isEmpty ? 5 : 4))
        }
        #expect(await stage.call("GET", "/media?uploads&prefix=b/").elements("Key") == ["b/1", "b/2"])
    }

    @Test("uploads in progress are bounded")
    func bounds() async throws {
        var limits = Self.limits()
        limits.uploadsMax = 2
        let stage = try await BucketStage(limits: limits)
        let id = try await begin(stage)
        _ = try await begin(stage)
        // SDKs would retry a 503.
        let refused = await stage.call("POST", "/media/k?uploads")
        #expect(refused.status == 403 && refused.element("Code") == "QuotaExceeded")
        #expect(refused.element("Limit") == "uploadsPerBucketMax")
        #expect(await stage.call("DELETE", "/media/k?uploadId=\(id)").status == 204)
        _ = try await begin(stage)
        #expect(await stage.call("POST", "/media/k?uploads").status == 403)
    }

    @Test("one caller, and all guests together, leave places for the uploads of others and of operators")
    func shares() async throws {
        var limits = Self.limits()
        (limits.uploadsMax, limits.uploadsPerCallerMax) = (20, 5)
        let all: Set<AmplifyAccess.Permission> = Set(AmplifyAccess.Permission.allCases)
        let access = AccessRules(AmplifyAccess(guest: all).rules)
        let stage = try await BucketStage(limits: limits, access: access)
        func begin(_ caller: BucketCaller, in buckets: Buckets) async -> (status: Int, id: String) {
            let answer = BucketStage.answer(
                await buckets.respond(to: BucketStage.request("POST", "/media/public/k?uploads"), from: caller))
            return (answer.status, answer.element("UploadId") ?? "")
        }
        func count(_ attempts: Int, _ caller: (Int) -> BucketCaller, in buckets: Buckets) async -> Int {
            var count = 0
            for number in 0..<attempts where await begin(caller(number), in: buckets).status == 200 { count += 1 }
            return count
        }
        let first = await begin(BucketStage.jane, in: stage.buckets).id
        #expect(await count(9, { _ in BucketStage.jane }, in: stage.buckets) == 4)
        let refused = await stage.call("POST", "/media/public/k?uploads", as: BucketStage.jane)
        #expect(refused.element("Message")?.hasSuffix("The limit is uploadsPerCallerMax.") == true)
        #expect(await count(15, { .guest(identityID: "g\($0)") }, in: stage.buckets) == 10)
        // Who began them is stored.
        let reopened = try Buckets(
            store: stage.store, tables: stage.tables, executor: BucketStage.QueueExecutor(), blobs: stage.blobs,
            limits: limits)
        try await reopened.serve(BucketConfiguration(buckets: [.init(name: "media", access: access)]))
        #expect(await count(2, { .guest(identityID: "h\($0)") }, in: reopened) == 0)
        #expect(await count(9, { .authenticated(identityID: "u\($0)") }, in: reopened) == 3)
        #expect(await count(9, { _ in BucketStage.operatorCaller }, in: reopened) == 2)
        let abort = BucketStage.request("DELETE", "/media/public/k?uploadId=\(first)")
        #expect(await reopened.respond(to: abort, from: BucketStage.jane).status == 204)
        #expect(await count(2, { _ in BucketStage.operatorCaller }, in: reopened) == 1)
    }

    @Test("uploads that nobody completes are removed after some days")
    func abandoned() async throws {
        let stage = try await BucketStage(limits: Self.limits())
        let id = try await begin(stage)
        _ = await put(stage, id, 1, "aaaaa")
        let completed = try await begin(stage)
        _ = await put(stage, completed, 1, "aaaaa")
        _ = await complete(stage, completed, [(1, Self.aaaaa)])
        stage.time.advance(days: 2)
        #expect(try await stage.buckets.removeAbandonedUploads() == 0)
        #expect(await complete(stage, completed, [(1, Self.aaaaa)]).element("Code") == "NoSuchUpload")
        stage.time.advance(days: 6)
        #expect(try await stage.buckets.removeAbandonedUploads() == 1)
        #expect(stage.blobNames.count == 1)
        #expect(await complete(stage, id, [(1, Self.aaaaa)]).element("Code") == "NoSuchUpload")
    }

    @Test("what is remembered of a completed upload is little, counts as stored, and is bounded in number")
    func completedRecords() async throws {
        var limits = Self.limits()
        limits.completedUploadsMax = 3
        let stage = try await BucketStage(limits: limits)
        _ = try await stage.buckets.collect()
        let headers = [("Cache-Control", String(repeating: "c", count: 8_000))]
        var ids: [String] = []
        for _ in 0..<5 {
            stage.time.milliseconds.withLock { $0 += 1 }
            let id = try await begin(stage, "k", headers)
            #expect(stage.buckets.usage.size.overheadBytes > 8_000 * min(ids.count + 1, 2))
            _ = await put(stage, id, 1, "aaaaa")
            #expect(await complete(stage, id, [(1, Self.aaaaa)]).status == 200)
            ids.append(id)
        }
        // The object has the headers as well.
        let size = stage.buckets.usage.size
        #expect(size.overheadBytes > 8_000 + 6 * 1_024 && size.overheadBytes < 8_000 + 9 * 1_024, "\(size)")
        _ = try await stage.buckets.removeAbandonedUploads()
        let reopened = try Buckets(
            store: stage.store, tables: stage.tables, executor: BucketStage.QueueExecutor(), blobs: stage.blobs,
            limits: limits)
        _ = try await reopened.collect()
        #expect(reopened.usage.size == stage.buckets.usage.size && reopened.usage.completedCount == 3)
        for (index, id) in ids.enumerated() {
            #expect(await complete(stage, id, [(1, Self.aaaaa)]).status == (index < 2 ? 404 : 200), "\(index)")
        }
    }

    @Test("uploads in progress take of the bytes that may be stored")
    func uploadBytes() async throws {
        var limits = Self.limits()
        limits.storedBytesMax = 22_000
        let stage = try await BucketStage(limits: limits)
        let headers = [("Cache-Control", String(repeating: "c", count: 8_000))]
        let ids = [try await begin(stage, "k", headers), try await begin(stage, "k", headers)]
        let refused = await stage.call("POST", "/media/k?uploads", headers)
        #expect(refused.element("Code") == "QuotaExceeded" && refused.element("Limit") == "storageBytesMax")
        for id in ids { #expect(await stage.call("DELETE", "/media/k?uploadId=\(id)").status == 204) }
        #expect(stage.buckets.usage.size == StoredSize())
    }

    @Test("only who began an upload sees its parts and aborts it, and only operators list uploads")
    func initiators() async throws {
        let access = AccessRules(AmplifyAccess(guest: Set(AmplifyAccess.Permission.allCases)).rules)
        let stage = try await BucketStage(limits: Self.limits(), access: access)
        let begun = await stage.call("POST", "/media/public/k?uploads", as: BucketStage.jane)
        let target = "/media/public/k?uploadId=\(begun.element("UploadId") ?? "")"
        let joe = BucketCaller.authenticated(identityID: "us-east-1:joe")
        for caller in [joe, BucketStage.guest, .group("Editors", identityID: "us-east-1:joe")] {
            for method in ["GET", "DELETE"] {
                #expect(await stage.call(method, target, as: caller).element("Code") == "AccessDenied")
            }
        }
        for caller in [BucketStage.jane, joe, BucketStage.guest] {
            let list = await stage.call("GET", "/media?uploads&prefix=public/", as: caller)
            #expect(list.status == 403 && list.element("Code") == "AccessDenied")
        }
        for list in [await stage.call("GET", "/media?uploads"), await stage.call("GET", target)] {
            #expect(list.element("Initiator")?.contains("<ID>AWS:us-east-1:jane</ID>") == true)
        }
        #expect(await stage.call("GET", target, as: BucketStage.jane).status == 200)
        #expect(await stage.call("DELETE", target, as: BucketStage.jane).status == 204)
    }

    @Test("uploads under a common prefix are passed over, and prefixes that differ in their bytes are two")
    func uploadPrefixes() async throws {
        let stage = try await BucketStage(limits: Self.limits())
        for number in 0..<150 {
            _ = await stage.call("POST", "/media/u/\(number)?uploads")
            _ = await stage.call("POST", "/media/v\(number)?uploads")
        }
        for prefix in ["%C3%A9", "e%CC%81"] { _ = await stage.call("POST", "/media/\(prefix)/x?uploads") }
        let list = await stage.call("GET", "/media?uploads&delimiter=/")
        #expect(list.elements("UploadId").count == 150 && list.elements("CommonPrefixes").count == 3)
        #expect(list.element("IsTruncated") == "false")
        let first = await stage.call("GET", "/media?uploads&delimiter=/&max-uploads=2")
        #expect(first.element("IsTruncated") == "true" && first.element("NextKeyMarker") == "u/")
        let rest = await stage.call("GET", "/media?uploads&delimiter=/&key-marker=u/")
        #expect(rest.elements("UploadId").count == 150 && rest.elements("CommonPrefixes").count == 1)
    }

    @Test("all objects, uploads and waiting events are removed together, and their places are free again")
    func removeAll() async throws {
        var limits = Self.limits()
        limits.uploadsMax = 2
        let stage = try await BucketStage(limits: limits, triggers: [ObjectTrigger(function: "log")])
        _ = try await stage.buckets.collect()
        await stage.put("a", "x")
        let completed = try await begin(stage)
        _ = await put(stage, completed, 1, "aaaaa")
        _ = await complete(stage, completed, [(1, Self.aaaaa)])
        let ids = [try await begin(stage), try await begin(stage)]
        _ = await put(stage, ids[0], 1, "aaaaa")
        #expect(try await stage.dueEvents("log").count == 2)
        let removed = try await stage.buckets.removeAll()
        #expect(removed == (2, 2))
        #expect(try await stage.dueEvents("log").isEmpty)
        #expect(await stage.call("GET", "/media").elements("Key").isEmpty && stage.blobNames.isEmpty)
        #expect(await stage.call("GET", "/media?uploads").elements("UploadId").isEmpty)
        for id in ids + [completed] {
            #expect(await complete(stage, id, [(1, Self.aaaaa)]).element("Code") == "NoSuchUpload")
        }
        #expect(stage.buckets.usage.size == StoredSize())
        for _ in 0..<2 { _ = try await begin(stage) }
    }

    @Test("the sizes of many parts are kept in little, and say where each part begins")
    func partSizes() throws {
        var sizes = PartSizes()
        for _ in 0..<9_999 { sizes.append(5) }
        sizes.append(2)
        #expect(sizes.text == "9999x5 1x2")
        let read = try #require(PartSizes(text: sizes.text))
        #expect(read.range(of: 1) == 0..<5 && read.range(of: 9_999) == 49_990..<49_995)
        #expect(read.range(of: 10_000) == 49_995..<49_997 && read.range(of: 10_001) == nil && read.range(of: 0) == nil)
        #expect(PartSizes(text: "1y2") == nil && PartSizes(text: "0x2") == nil)
    }
}
