import Foundation
import Synchronization
import Testing

@testable import Buckets

@Suite("Objects that were read recently")
struct ObjectCacheTests {
    private static func object(_ key: String, etag: String = "1") -> ObjectRecord {
        ObjectRecord(
            bucket: "media", key: key, blob: String(repeating: "0", count: 32), size: 1, etag: etag, modified: 0)
    }

    private static func name(_ key: String) -> ObjectCache.Name { ObjectCache.Name("media", key) }

    /// The ETag of an object by the cache, and whether it had to be read.
    private static func read(
        _ cache: ObjectCache, _ key: String, stored etag: String? = "1", meanwhile: () -> Void = {}
    ) throws(S3Error) -> (etag: String?, isRead: Bool) {
        var isRead = false
        let entry = try cache.entry(name(key)) { () throws(S3Error) in
            isRead = true
            meanwhile()
            return etag.map { object(key, etag: $0) }
        }
        return (entry?.object.etag, isRead)
    }

    @Test("an object is read once until it is written, and one that is missing each time")
    func once() throws {
        let cache = ObjectCache(bytesMax: 1 << 20)
        #expect(try Self.read(cache, "k") == ("1", true))
        #expect(try Self.read(cache, "k", stored: "2") == ("1", false))
        cache.beginWrite([Self.name("k")])
        #expect(try Self.read(cache, "k", stored: "1") == ("1", true))
        cache.endWrite([Self.name("k")])
        #expect(try Self.read(cache, "k", stored: "2") == ("2", true))
        #expect(try Self.read(cache, "k", stored: "3") == ("2", false))
        for _ in 0..<2 { #expect(try Self.read(cache, "none", stored: nil) == (nil, true)) }
        #expect(cache.count == 1)
    }

    @Test("what was read before or during a write is not kept after it")
    func duringWrites() throws {
        let (cache, name) = (ObjectCache(bytesMax: 1 << 20), Self.name("k"))
        let writes: [(String, () -> Void)] = [
            ("began during the read", { cache.beginWrite([name]) }),
            ("ended during the read", { cache.endWrite([name]) }),
            (
                "began and ended during the read",
                {
                    cache.beginWrite([name])
                    cache.endWrite([name])
                }
            ),
        ]
        for (what, write) in writes {
            #expect(try Self.read(cache, "k", stored: "old", meanwhile: write) == ("old", true), "\(what)")
            #expect(cache.count == 0, "\(what)")
        }
        // Of two writes, one has not ended.
        for _ in 0..<2 { cache.beginWrite([name]) }
        cache.endWrite([name])
        #expect(try Self.read(cache, "k", stored: "old") == ("old", true) && cache.count == 0)
        cache.endWrite([name])
        #expect(try Self.read(cache, "k", stored: "new") == ("new", true) && cache.count == 1)
    }

    @Test("keys are compared by their bytes")
    func bytes() throws {
        let cache = ObjectCache(bytesMax: 1 << 20)
        #expect(try Self.read(cache, "caf\u{E9}", stored: "1") == ("1", true))
        #expect(try Self.read(cache, "cafe\u{301}", stored: "2") == ("2", true))
        cache.beginWrite([Self.name("cafe\u{301}")])
        #expect(try Self.read(cache, "caf\u{E9}", stored: "3") == ("1", false))
    }

    @Test("what is kept has a bound, and what was read last stays")
    func bound() throws {
        let cache = ObjectCache(bytesMax: 40_000)
        for number in 0..<1_000 {
            _ = try Self.read(cache, "k\(number)")
            #expect(try Self.read(cache, "first").isRead == (number == 0))
            #expect(cache.count <= 100)
        }
        #expect(try Self.read(cache, "k0").isRead)
        // One that alone exceeds the bound.
        let key = String(repeating: "k", count: 50_000)
        for _ in 0..<2 { #expect(try Self.read(cache, key).isRead) }
        #expect(try ObjectCache(bytesMax: 0).entry(Self.name("k")) { Self.object("k") } != nil)
    }

    // MARK: In buckets

    /// The header lines and the text that an operator reads of an object of `media`; nil if the read is not plain.
    private static func plainRead(_ stage: BucketStage, _ key: String, _ reader: MetadataReader) -> (String, String)? {
        let read = stage.buckets.objectRead(BucketStage.request("GET", "/media/\(key)"))
        guard
            let plain = read.flatMap({
                stage.buckets.plainRead($0, from: BucketStage.operatorCaller, reading: reader, bytesMax: 100)
            })
        else { return nil }
        let body: [UInt8] =
            switch plain.body {
            case .bytes(let bytes): bytes
            case .blob(let blob, let count): (try? blob.read(at: 0, count: count)) ?? []
            }
        return (String(decoding: plain.lines, as: UTF8.self), String(decoding: body, as: UTF8.self))
    }

    @Test("each change of an object is seen by the reads after it")
    func changes() async throws {
        let stage = try await BucketStage()
        let reader = try stage.buckets.makeReader(on: BucketStage.QueueExecutor())
        func text(_ key: String = "k") -> String? { Self.plainRead(stage, key, reader)?.1 }
        #expect(text() == nil)
        await stage.put("k", "one", [("x-amz-meta-a", "b")])
        for _ in 0..<2 { #expect(text() == "one") }
        #expect(stage.buckets.metadata.cachedCount == 1)
        let lines = try #require(Self.plainRead(stage, "k", reader)?.0)
        #expect(
            lines.contains("\r\nx-amz-meta-a: b\r\n")
                && lines.hasPrefix("ETag: \"f97c5d29941bfb1b2fdab0874906ab82\"\r\n"))
        let long = String(repeating: "two", count: 100)
        await stage.put("k", long)
        for _ in 0..<2 { #expect(text() == long) }
        await stage.put("source", "three")
        #expect(await stage.call("PUT", "/media/k", [("x-amz-copy-source", "media/source")]).status == 200)
        for _ in 0..<2 { #expect(text() == "three") }
        let id = await stage.call("POST", "/media/k?uploads").element("UploadId") ?? ""
        let part = await stage.call("PUT", "/media/k?partNumber=1&uploadId=\(id)", body: Array("four".utf8))
        let parts =
            "<CompleteMultipartUpload><Part><PartNumber>1</PartNumber><ETag>\(part.headers["etag"] ?? "")</ETag></Part>"
            + "</CompleteMultipartUpload>"
        #expect(await stage.call("POST", "/media/k?uploadId=\(id)", body: Array(parts.utf8)).status == 200)
        for _ in 0..<2 { #expect(text() == "four") }
        // The answer to an operator has the number of the tags.
        let tags = "<Tagging><TagSet><Tag><Key>k</Key><Value>v</Value></Tag></TagSet></Tagging>"
        #expect(await stage.call("PUT", "/media/k?tagging", body: Array(tags.utf8)).status == 200)
        #expect(text() == nil)
        #expect(await stage.call("DELETE", "/media/k?tagging").status == 204)
        #expect(text() == "four")
        #expect(await stage.call("DELETE", "/media/k").status == 204)
        #expect(text() == nil && text("source") == "three")
        let deleted = "<Delete><Object><Key>source</Key></Object></Delete>"
        #expect(await stage.call("POST", "/media?delete", body: Array(deleted.utf8)).status == 200)
        #expect(text("source") == nil)
        await stage.put("k", "five")
        #expect(text() == "five")
        _ = try await stage.buckets.removeAll()
        #expect(text() == nil && stage.buckets.metadata.cachedCount == 0)
    }

    @Test("the rights of a caller are decided with each read")
    func rights() async throws {
        let stage = try await BucketStage(access: AccessRules(anonymousPrefixes: ["open/"]))
        let reader = try stage.buckets.makeReader(on: BucketStage.QueueExecutor())
        for key in ["open/k", "closed/k"] {
            await stage.put(key, "x")
            #expect(Self.plainRead(stage, key, reader)?.1 == "x")
        }
        func read(_ path: String) -> PlainRead? {
            stage.buckets.plainRead(path: path, bucketOfHost: nil, reading: reader, bytesMax: 100)
        }
        #expect(read("/media/open/k") != nil && read("/media/open%2Fk") != nil)
        #expect(read("/media/closed/k") == nil && read("/media/open/none") == nil && read("/none/open/k") == nil)
        #expect(read("/media") == nil && read("/media/%00") == nil && read("/media/%") == nil)
        for target in ["/media/open/k?versionId=null", "/media/open/k?response-expires=x", "/media/open/k?tagging"] {
            let read = stage.buckets.objectRead(BucketStage.request("GET", target))
            #expect(read?.isPlain ?? false == false, "\(target)")
        }
        #expect(try #require(stage.buckets.objectRead(BucketStage.request("GET", "/media/k?x-id=GetObject"))).isPlain)
        #expect(try #require(stage.buckets.objectRead(BucketStage.request("HEAD", "/media/k"))).isPlain == false)
    }

    @Test("a reader beside writers sees whole versions, and none that is older than one it has seen")
    func versions() async throws {
        let stage = try await BucketStage()
        let (countMax, text) = (300, String(repeating: "x", count: 50))
        await stage.put("k", "0 \(text)")
        let outcome = ReadingOutcome()
        @Sendable func readAll() throws -> Int {
            let reader = try stage.buckets.makeReader(on: BucketStage.QueueExecutor())
            var (last, count) = (0, 0)
            while !outcome.hasEnded.load(ordering: .acquiring) {
                // The file may be removed between the read of the row and the opening.
                guard let (lines, body) = Self.plainRead(stage, "k", reader) else { continue }
                let number = body.split(separator: " ").first.flatMap { Int($0) } ?? -1
                let isWhole = number == 0 || lines.contains("\r\nx-amz-meta-number: \(number)\r\n")
                if number < last || !isWhole || !body.hasSuffix(text) {
                    outcome.found.withLock { $0.append("\(body) with \(lines) after \(last)") }
                }
                (last, count) = (max(last, number), count + 1)
            }
            return count
        }
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<2 {
                group.addTask {
                    await withCheckedContinuation { continuation in
                        Thread.detachNewThread {
                            let count = (try? readAll()) ?? 0
                            outcome.counts.withLock { $0.append(count) }
                            continuation.resume()
                        }
                    }
                }
            }
            for number in 1...countMax {
                await stage.put("k", "\(number) \(text)", [("x-amz-meta-number", "\(number)")])
            }
            outcome.hasEnded.store(true, ordering: .releasing)
        }
        #expect(outcome.found.withLock { $0 } == [])
        #expect(outcome.counts.withLock { $0 }.allSatisfy { $0 > 0 })
    }

    /// What threads that read beside writes share.
    private final class ReadingOutcome: Sendable {
        /// Whether all writes are over.
        let hasEnded = Atomic(false)
        /// What should not have been read.
        let found = Mutex<[String]>([])
        /// How often each thread has read.
        let counts = Mutex<[Int]>([])
    }
}
