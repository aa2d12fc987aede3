import Synchronization
import Tables
import Testing

@testable import Buckets

@Suite("Long operations beside short ones")
struct FairnessTests {
    @Test(
        "one identity may take a quarter of the memory of XML bodies, but at least 16 MiB, and never more than its network",
        arguments: [(256, 64), (128, 32), (64, 16), (48, 16), (24, 12), (8, 4)])
    func documentMemory(mebibytes: Int, identityMebibytes: Int) throws {
        let memory = DocumentMemory(bytesMax: mebibytes << 20)
        let owner = CapacityShares.Owner(.identity("us-east-1:jane"), network: "192.0.2.1")
        #expect(throws: S3Error.self) { try memory.reserve(identityMebibytes << 20 | 1, for: owner) }
        try memory.reserve(identityMebibytes << 20, for: owner)
        #expect(throws: S3Error.self) { try memory.reserve(1, for: owner) }
        // Another identity of the network has what is left of its half.
        let other = CapacityShares.Owner(.identity("us-east-1:john"), network: "192.0.2.1")
        let rest = (mebibytes / 2 - identityMebibytes) << 20
        if rest > 0 { try memory.reserve(min(rest, identityMebibytes << 20), for: other) }
        if rest == 0 { #expect(throws: S3Error.self) { try memory.reserve(1, for: other) } }
    }

    @Test("lists are read by a thread of their own, and other requests do not wait for them")
    func lists() async throws {
        let lists = GatedExecutor()
        let stage = try await BucketStage(listExecutor: lists)
        for number in 0..<250 { #expect(await stage.put("public/\(number)", "x").status == 200) }
        async let list = stage.call("GET", "/media?list-type=2&max-keys=240")
        #expect(await stage.put("public/a", "y").status == 200)
        #expect(await stage.call("GET", "/media/public/a").text == "y")
        #expect(await stage.call("DELETE", "/media/public/a").status == 204)
        #expect(lists.submittedCount <= 1)
        lists.open()
        let page = await list
        #expect(page.elements("Key").count == 240 && page.element("IsTruncated") == "true")
        // In pieces, between which other lists have their turn.
        #expect(lists.submittedCount == 3)
        let token = page.element("NextContinuationToken") ?? ""
        let rest = await stage.call("GET", "/media?list-type=2&continuation-token=\(token)")
        #expect(rest.elements("Key").count == 10 && rest.element("IsTruncated") == "false")
        #expect(Set(page.elements("Key") + rest.elements("Key")).count == 250)
    }

    @Test("networks have turns at lists, and operators one of their own")
    func turns() async throws {
        let lists = GatedExecutor()
        let stage = try await BucketStage(listExecutor: lists)
        let course = Course()
        let callers: [(BucketCaller, String)] =
            Array(repeating: (BucketStage.guest, "192.0.2.1"), count: 4)
            + [(BucketStage.operatorCaller, "192.0.2.1"), (BucketStage.guest, "192.0.2.2")]
        await withTaskGroup { group in
            for (index, (caller, address)) in callers.enumerated() {
                let request = S3Request(
                    method: "GET", path: "/media", query: "prefix=public/", host: "localhost", headers: [], id: "R",
                    sourceAddress: address)
                let call = OperationCall(
                    stage.buckets, request,
                    RoutedRequest.Target(operation: .listObjects, bucket: "media", key: ""), caller,
                    stage.buckets.documentShare(of: request, caller))
                group.addTask {
                    try? await stage.buckets.metadata.list(call.turn) { _ throws(S3Error) in course.note("\(index)") }
                }
                while lists.submittedCount <= index { await Task.yield() }
            }
            lists.open()
        }
        #expect(course.steps == ["0", "4", "5", "1", "2", "3"])
    }

    /// The headers of a copy of `public/source`.
    private static let source = ("x-amz-copy-source", "/media/public/source")

    /// Begins an upload whose parts may be small.
    private func beginUpload(_ stage: BucketStage, _ key: String) async -> String {
        await stage.call("POST", "/media/\(key)?uploads").element("UploadId") ?? ""
    }

    @Test(
        "copies are made by a thread of their own, and other requests do not wait for them",
        arguments: ["UploadPartCopy", "CopyObject", "CompleteMultipartUpload"])
    func copies(operation: String) async throws {
        let copies = GatedTaskExecutor()
        let stage = try await BucketStage(copyExecutor: copies)
        await stage.put("public/source", String(repeating: "a", count: 100_000))
        let id = await beginUpload(stage, "public/copy")
        let part = await stage.call(
            "PUT", "/media/public/copy?partNumber=1&uploadId=\(id)", body: [UInt8](repeating: 0x61, count: 100_000))
        let etag = part.headers["etag"] ?? ""
        async let copy =
            switch operation {
            case "UploadPartCopy":
                stage.call("PUT", "/media/public/copy?partNumber=2&uploadId=\(id)", [Self.source])
            case "CopyObject":
                stage.call("PUT", "/media/public/copy", [Self.source, ("x-amz-checksum-algorithm", "SHA256")])
            default:
                stage.call(
                    "POST", "/media/public/copy?uploadId=\(id)",
                    body: Array(
                        "<CompleteMultipartUpload><Part><PartNumber>1</PartNumber><ETag>\(etag)</ETag></Part></CompleteMultipartUpload>"
                            .utf8))
            }
        while copies.submittedCount == 0 { await Task.yield() }
        for number in 0..<20 {
            #expect(await stage.put("public/\(number)", "y").status == 200)
            #expect(await stage.call("GET", "/media/public/\(number)").text == "y")
        }
        #expect(copies.submittedCount == 1)
        copies.open()
        let answer = await copy
        #expect(answer.status == 200, "\(answer.text)")
        #expect(copies.submittedCount > 1)
    }

    @Test("between the pieces of a copy its thread is given to others")
    func pieces() async throws {
        let course = Course()
        let thread = GatedTaskExecutor()
        thread.open()
        var calls = FileCalls.system(synchronizes: false)
        let read = calls.read
        calls.read = { descriptor, offset, count throws(FileError) in
            course.note("piece")
            // Submitted while the piece is copied, so that it comes before the next one.
            Task(executorPreference: thread) { course.note("other") }
            return try read(descriptor, offset, count)
        }
        let stage = try await BucketStage(calls: calls, copyExecutor: thread)
        await stage.put("public/source", String(repeating: "a", count: 5 * BlobStore.copyBytes))
        let id = await beginUpload(stage, "public/copy")
        let copy = await stage.call("PUT", "/media/public/copy?partNumber=1&uploadId=\(id)", [Self.source])
        #expect(copy.status == 200, "\(copy.text)")
        let pair = ["piece", "other"]
        #expect(course.steps.prefix(8) == (pair + pair + pair + pair)[...])
    }

    @Test("copies end at their next piece when the server ends, and leave nothing")
    func end() async throws {
        let stage = try await BucketStage()
        await stage.put("public/source", String(repeating: "a", count: 3 * BlobStore.copyBytes))
        let id = await beginUpload(stage, "public/copy")
        stage.buckets.endCopies()
        let copy = await stage.call("PUT", "/media/public/copy?partNumber=1&uploadId=\(id)", [Self.source])
        #expect(copy.status == 503 && copy.element("Code") == "SlowDown")
        #expect(stage.blobNames.count == 1)
        #expect(await stage.call("GET", "/media/public/source").body.count == 3 * BlobStore.copyBytes)
    }

    /// What happened, in its order.
    private final class Course: Sendable {
        private let noted = Mutex<[String]>([])
        var steps: [String] { noted.withLock { $0 } }
        func note(_ step: String) { noted.withLock { $0.append(step) } }
    }
}
