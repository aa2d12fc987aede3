import Foundation
import Synchronization
import Tables
import Testing

@testable import Buckets

@Suite("The store of blobs")
struct BlobStoreTests {
    /// What a client does: replaces an object, copies it, uploads one in parts, and removes one.
    private func work(_ stage: BucketStage) async -> (put: Int, copied: Int, completed: Int, deleted: Int) {
        let put = await stage.put("k", "new version").status
        let copied = await stage.call("PUT", "/media/copy", [("x-amz-copy-source", "media/source")]).status
        let id = await stage.call("POST", "/media/multi?uploads").element("UploadId") ?? ""
        let part = await stage.call("PUT", "/media/multi?partNumber=1&uploadId=\(id)", body: Array("part".utf8))
        let etag = part.headers["etag"] ?? ""
        let document =
            "<CompleteMultipartUpload><Part><PartNumber>1</PartNumber><ETag>\(etag)</ETag></Part></CompleteMultipartUpload>"
        let completed = await stage.call("POST", "/media/multi?uploadId=\(id)", body: Array(document.utf8)).status
        let deleted = await stage.call("DELETE", "/media/gone").status
        return (put, copied, completed, deleted)
    }

    /// Checks that each object is one of its versions, the new one where that was answered.
    private func check(
        _ stage: BucketStage, _ done: (put: Int, copied: Int, completed: Int, deleted: Int), _ what: String
    ) async {
        let k = await stage.call("GET", "/media/k")
        #expect(k.text == "new version" || (done.put != 200 && k.text == "old"), "\(what): \(k.text)")
        let copy = await stage.call("GET", "/media/copy")
        #expect(copy.text == "source" || (done.copied != 200 && copy.text == "old copy"), "\(what): \(copy.text)")
        let multi = await stage.call("GET", "/media/multi")
        #expect(multi.text == "part" || (done.completed != 200 && multi.status == 404), "\(what): \(multi.text)")
        let gone = await stage.call("GET", "/media/gone")
        #expect(gone.status == 404 || (done.deleted != 204 && gone.text == "gone"), "\(what): \(gone.text)")
        #expect(await stage.call("GET", "/media/source").text == "source", "\(what)")
    }

    private func prepare(_ disk: SimulatedDisk) async throws -> BucketStage {
        let stage = try await BucketStage(calls: disk.calls, ownsFolder: false)
        for (key, text) in [("k", "old"), ("copy", "old copy"), ("source", "source"), ("gone", "gone")] {
            #expect(await stage.put(key, text).status == 200)
        }
        return stage
    }

    @Test("after the end of the process or of the power at any call, each object is whole and no orphan stays")
    func crashes() async throws {
        let seed = UInt64.testSeed(in: 1...1_000_000)
        var generator = SeededGenerator(seed: seed)
        var (number, hasEnded) = (0, false)
        while !hasEnded {
            number += 1
            let disk = SimulatedDisk()
            let folder: String
            let done: (put: Int, copied: Int, completed: Int, deleted: Int)
            do {
                let stage = try await prepare(disk)
                folder = stage.folder
                disk.fail(at: number, .death)
                done = await work(stage)
                hasEnded = disk.callCount < number
                stage.store.close()
            }
            disk.crash(&generator)
            let stage = try await BucketStage(folder: folder, calls: disk.calls)
            _ = try await stage.buckets.collect()
            await check(stage, done, "seed \(seed), call \(number)")
            let objects = await stage.call("GET", "/media").elements("Key").count
            let parts = await stage.call("GET", "/media?uploads").elements("UploadId").count
            #expect(disk.fileCount >= objects && disk.fileCount <= objects + parts, "seed \(seed), call \(number)")
        }
        #expect(number > 20, "the work makes calls")
    }

    @Test(
        "a full disk or an error at any call changes nothing, and what was begun is removed",
        arguments: [ENOSPC, EIO, EMFILE])
    func errors(code: CInt) async throws {
        var (number, hasEnded) = (0, false)
        while !hasEnded {
            number += 1
            let disk = SimulatedDisk()
            let stage = try await prepare(disk)
            defer { try? FileManager.default.removeItem(atPath: stage.folder) }
            disk.fail(at: number, .error(code))
            let done = await work(stage)
            hasEnded = disk.callCount < number
            disk.fail(at: .max, .death)
            await check(stage, done, "call \(number)")
            for status in [done.put, done.copied] where status != 200 {
                // What is answered says whether a client should try again.
                #expect(status == [ENOSPC: 507, EIO: 500, EMFILE: 503][code], "call \(number)")
            }
            _ = try await stage.buckets.collect()
            await check(stage, done, "call \(number), collected")
            let objects = await stage.call("GET", "/media").elements("Key").count
            let uploads = await stage.call("GET", "/media?uploads").elements("UploadId").count
            #expect(disk.fileCount >= objects && disk.fileCount <= objects + uploads, "call \(number)")
        }
    }

    @Test("blobs that nobody names are removed at the start, and what is being stored meanwhile is not")
    func orphans() async throws {
        let stage = try await BucketStage()
        await stage.put("k", "x")
        let orphan = try stage.blobs.makeWriter()
        try orphan.append([1, 2, 3])
        let name = try orphan.finish()
        #expect(try await stage.buckets.collect().orphanCount == 0, "it is not committed yet")
        stage.store.close()
        let again = try await BucketStage(folder: stage.folder, ownsFolder: false)
        #expect(try await again.buckets.collect().orphanCount == 1)
        #expect(throws: BlobError.missing) { try again.blobs.open(name) }
        #expect(await again.call("GET", "/media/k").text == "x")
        #expect(again.buckets.stored == (1, 1))
    }

    @Test("a blob that is not finished is removed, and one that was being written at the end of the process as well")
    func unfinished() async throws {
        let stage = try await BucketStage()
        do {
            let writer = try stage.blobs.makeWriter()
            try writer.append([1])
            #expect(stage.blobNames.count == 1)
        }
        #expect(stage.blobNames.isEmpty)
        try Data([1]).write(to: URL(fileURLWithPath: stage.folder + "/objects/incoming/abc"))
        _ = try BlobStore(folder: stage.folder + "/objects")
        #expect(stage.blobNames.isEmpty)
    }

    @Test("while a backup holds its lease the files of removed objects are kept, and removed after it")
    func lease() async throws {
        let stage = try await BucketStage()
        await stage.put("k", "1")
        await stage.put("gone", "2")
        do {
            let lease = try #require(BackupLease(BlobFolder(stage.folder + "/objects")))
            let other = BackupLease(BlobFolder(stage.folder + "/objects"))
            await stage.put("k", "3")
            #expect(await stage.call("DELETE", "/media/gone").status == 204)
            // What was never committed is in no backup.
            #expect(await stage.put("k", "4", [("Content-MD5", "AAAAAAAAAAAAAAAAAAAAAA==")]).status == 400)
            try await stage.buckets.removeAbandonedUploads()
            #expect(stage.blobNames.count == 3)
            withExtendedLifetime((lease, other)) {}
        }
        await stage.put("k", "5")
        #expect(stage.blobNames.count == 3)
        try await stage.buckets.removeAbandonedUploads()
        #expect(stage.blobNames.count == 1)
        #expect(BackupLease(BlobFolder(stage.folder + "/none")) == nil)
    }

    @Test("without room for the rest of the server nothing is uploaded or kept for a backup, but objects are removed")
    func room() async throws {
        let free = Mutex(1_000_000)
        var calls = FileCalls.system(synchronizes: false)
        calls.space = { _ in FileCalls.Space(freeBytes: free.withLock { $0 }, byteCount: 100_000_000) }
        var limits = BucketLimits()
        limits.freeBytesMin = 900_000
        let stage = try await BucketStage(calls: calls, limits: limits)
        #expect(await stage.put("k", String(repeating: "x", count: 50_000)).status == 200)
        #expect(await stage.put("k", String(repeating: "x", count: 100_001)).status == 507)
        let id = await stage.call("POST", "/media/k?uploads").element("UploadId") ?? ""
        free.withLock { $0 = 899_999 }
        let lease = BackupLease(BlobFolder(stage.folder + "/objects"))
        for (method, target) in [
            ("PUT", "/media/k"), ("POST", "/media/k?uploads"), ("PUT", "/media/k?partNumber=1&uploadId=\(id)"),
        ] {
            let refused = await stage.call(method, target)
            #expect(refused.status == 507 && refused.element("Code") == "InsufficientStorage", "\(method) \(target)")
        }
        let copy = await stage.call("PUT", "/media/copy", [("x-amz-copy-source", "media/k")])
        #expect(copy.status == 507 && stage.blobNames.count == 1)
        #expect(await stage.call("GET", "/media/k").body.count == 50_000)
        #expect(await stage.call("DELETE", "/media/k").status == 204)
        #expect(await stage.call("DELETE", "/media/k?uploadId=\(id)").status == 204)
        #expect(stage.blobNames.isEmpty)
        // A small disk keeps a tenth.
        calls.space = { _ in FileCalls.Space(freeBytes: 101, byteCount: 1_000) }
        let small = try BlobStore(folder: stage.folder + "/objects", calls: calls)
        #expect(small.hasRoom(for: 1) && !small.hasRoom(for: 2))
        withExtendedLifetime(lease) {}
    }

    @Test("files and folders belong to their owner alone")
    func rights() async throws {
        let stage = try await BucketStage()
        await stage.put("k", "x")
        let objects = stage.folder + "/objects"
        for path in [""] + (try FileManager.default.subpathsOfDirectory(atPath: objects)) {
            let rights =
                try FileManager.default.attributesOfItem(atPath: "\(objects)/\(path)")[.posixPermissions] as? Int
            #expect((rights ?? 0) & 0o077 == 0)
        }
    }

    @Test("clients put one key while others read it, and each reader sees one whole version")
    func concurrency() async throws {
        let stage = try await BucketStage()
        let sizes = [1, 1_000, 100_000]
        func body(_ number: Int) -> [UInt8] { [UInt8](repeating: UInt8(number & 0xFF), count: sizes[number % 3]) }
        #expect(await stage.call("PUT", "/media/k", body: body(0)).status == 200)
        await withTaskGroup(of: Void.self) { group in
            for writer in 0..<2 {
                group.addTask {
                    for number in 0..<150 {
                        let answer = await stage.call("PUT", "/media/k", body: body(number * 2 + writer))
                        #expect(answer.status == 200)
                    }
                }
            }
            for _ in 0..<3 {
                group.addTask {
                    for _ in 0..<150 {
                        let answer = await stage.call("GET", "/media/k")
                        let first = answer.body.first
                        #expect(answer.status == 200 && answer.body.allSatisfy { $0 == first })
                        #expect(sizes.contains(answer.body.count))
                        #expect(answer.headers["content-length"] == String(answer.body.count))
                    }
                }
            }
        }
        #expect(stage.blobNames.count == 1 && stage.buckets.stored.objects == 1)
    }

    @Test("orphans are collected while objects are stored, and no object loses its bytes")
    func collectionBesideWrites() async throws {
        let stage = try await BucketStage()
        await withTaskGroup(of: Void.self) { group in
            for writer in 0..<3 {
                group.addTask {
                    for number in 0..<60 {
                        #expect(await stage.put("k\(writer)-\(number % 5)", "version \(number)").status == 200)
                    }
                }
            }
            group.addTask {
                for _ in 0..<15 { #expect((try? await stage.buckets.collect()) != nil) }
            }
        }
        for writer in 0..<3 {
            for number in 0..<5 {
                #expect(await stage.call("GET", "/media/k\(writer)-\(number)").text == "version \(55 + number)")
            }
        }
    }

    @Test("an object whose file was removed by someone else is an internal error and not an endless search")
    func lostFile() async throws {
        let stage = try await BucketStage()
        await stage.put("k", "x")
        let name = try #require(stage.blobNames.first)
        try FileManager.default.removeItem(atPath: "\(stage.folder)/objects/\(name.prefix(2))/\(name)")
        let answer = await stage.call("GET", "/media/k")
        #expect(answer.status == 500 && answer.element("Code") == "InternalError")
        #expect(stage.missingBlobs.names == ["media/k"])
        #expect(await stage.call("HEAD", "/media/k").status == 500)
        let reader = try stage.buckets.makeReader(on: BucketStage.QueueExecutor())
        let request = BucketStage.request("GET", "/media/k")
        #expect(stage.buckets.respondNow(to: request, from: BucketStage.operatorCaller, reading: reader) == nil)
        let head = BucketStage.request("HEAD", "/media/k")
        #expect(stage.buckets.respondNow(to: head, from: BucketStage.operatorCaller, reading: reader) == nil)
        #expect(await stage.put("k", "y").status == 200)
        #expect(await stage.call("GET", "/media/k").text == "y")
    }

    @Test("a copy of a file system without links has its own bytes")
    func copiesWithoutLinks() async throws {
        var calls = FileCalls.system(synchronizes: false)
        calls.link = { _, _ throws(FileError) in throw FileError(code: EPERM) }
        let stage = try await BucketStage(calls: calls)
        await stage.put("k", String(repeating: "0123456789", count: 200_000))
        _ = await stage.call("PUT", "/media/copy", [("x-amz-copy-source", "media/k")])
        #expect(await stage.call("GET", "/media/copy").body.count == 2_000_000)
        #expect(stage.blobNames.count == 2)
    }
}
