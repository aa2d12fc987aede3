import Encodings
import Foundation
import Testing

@testable import Buckets

@Suite("Lists of objects")
struct ListTests {
    @Test("a list has the keys under a prefix, and common prefixes for the rest")
    func delimiter() async throws {
        let stage = try await BucketStage()
        for key in ["a.txt", "photos/1.jpg", "photos/2.jpg", "photos/old/3.jpg", "zoo"] { await stage.put(key, "x") }
        let root = await stage.call("GET", "/media?list-type=2&delimiter=/")
        #expect(root.elements("Key") == ["a.txt", "zoo"])
        #expect(root.elements("CommonPrefixes") == ["<Prefix>photos/</Prefix>"])
        #expect(root.element("KeyCount") == "3" && root.element("IsTruncated") == "false")
        #expect(root.element("NextContinuationToken") == nil && root.element("StorageClass") == "STANDARD")
        #expect(root.element("LastModified") == "2027-01-15T08:00:00.000Z" && root.element("Size") == "1")
        let photos = await stage.call("GET", "/media?prefix=photos/&delimiter=/")
        #expect(photos.elements("Key") == ["photos/1.jpg", "photos/2.jpg"])
        #expect(photos.elements("CommonPrefixes") == ["<Prefix>photos/old/</Prefix>"])
        #expect(photos.element("Marker") == "" && photos.element("KeyCount") == nil)
        #expect(await stage.call("GET", "/media?list-type=2&max-keys=0").element("KeyCount") == "0")
        #expect(await stage.call("GET", "/media?list-type=2&max-keys=x").element("Code") == "InvalidArgument")
        #expect(
            await stage.call("GET", "/media?list-type=2&continuation-token=%21").element("Code") == "InvalidArgument")
        #expect(await stage.call("GET", "/media?encoding-type=base64").element("Code") == "InvalidArgument")
        #expect(await stage.call("GET", "/media?list-type=2&start-after=photos/2.jpg").elements("Key").count == 2)
    }

    @Test("a caller lists what is under the prefixes that it may list")
    func access() async throws {
        let stage = try await BucketStage()
        await stage.put("public/a", "x")
        await stage.put("private/us-east-1:jane/b", "x")
        for (prefix, count) in [("public/", 1), ("private/us-east-1:jane/", 1), ("private/us-east-1%3Ajane/", 1)] {
            let list = await stage.call("GET", "/media?list-type=2&prefix=\(prefix)", as: BucketStage.jane)
            #expect(list.elements("Key").count == count)
        }
        for prefix in ["", "private/", "private/us-east-1:other/", "pub", "uploads/"] {
            let list = await stage.call("GET", "/media?list-type=2&prefix=\(prefix)", as: BucketStage.jane)
            #expect(list.element("Code") == "AccessDenied")
        }
    }

    @Test("pages of random lists are together what a plain reading of the keys gives")
    func random() async throws {
        let seed = UInt64.testSeed(in: 1...1_000_000)
        var generator = SeededGenerator(seed: seed)
        let stage = try await BucketStage()
        let letters = ["a", "b", "/", "//", "é", "e\u{301}", "\u{D7FF}", "\u{E000}", "\u{10FFFF}", " ", "+", "0", "~"]
        var keys: Set<[UInt8]> = []
        for _ in 0..<150 {
            let key = (0..<Int.random(in: 1...5, using: &generator))
                .map { _ in letters.randomElement(using: &generator) ?? "" }.joined()
            keys.insert(Array(key.utf8))
            #expect(await stage.put(Percent.encode(key), "x").status == 200)
        }
        for _ in 0..<40 {
            let prefix = Bool.random(using: &generator) ? "" : letters.randomElement(using: &generator) ?? ""
            let delimiter = ["", "/", "a", "//", "\u{10FFFF}", "é"].randomElement(using: &generator) ?? ""
            let max = Int.random(in: 1...20, using: &generator)
            let isV2 = Bool.random(using: &generator)
            let expected = Self.expected(keys, prefix, delimiter)
            let listed = try await pages(of: stage, prefix, delimiter, max, isV2)
            #expect(listed == expected, "seed \(seed), prefix \(prefix), delimiter \(delimiter), \(max), v2 \(isV2)")
        }
    }

    /// Keys and common prefixes in the order of their bytes.
    private static func expected(_ keys: Set<[UInt8]>, _ prefix: String, _ delimiter: String) -> [[UInt8]] {
        let (prefix, mark) = (Array(prefix.utf8), Array(delimiter.utf8))
        var entries: Set<[UInt8]> = []
        for key in keys where key.starts(with: prefix) {
            var entry = key
            if !mark.isEmpty, let end = (prefix.count..<key.count).first(where: { key[$0...].starts(with: mark) }) {
                entry = Array(key[..<(end + mark.count)])
            }
            entries.insert(entry)
        }
        return entries.sorted { $0.lexicographicallyPrecedes($1) }
    }

    private func pages(
        of stage: BucketStage, _ prefix: String, _ delimiter: String, _ max: Int, _ isV2: Bool
    ) async throws -> [[UInt8]] {
        var entries: [[UInt8]] = []
        var next = ""
        for _ in 0..<200 {
            let query =
                "encoding-type=url&max-keys=\(max)&prefix=\(Percent.encode(prefix))&delimiter=\(Percent.encode(delimiter))"
            let target = isV2 ? "/media?list-type=2&\(query)\(next)" : "/media?\(query)\(next)"
            let page = await stage.call("GET", target)
            let keys = page.elements("Key")
            let prefixes = page.elements("CommonPrefixes").compactMap {
                $0.components(separatedBy: "<Prefix>").last?.components(separatedBy: "</Prefix>").first
            }
            #expect(keys.count + prefixes.count <= max)
            if isV2 { #expect(page.element("KeyCount") == String(keys.count + prefixes.count)) }
            let own = (keys + prefixes).map { Percent.decodeStrictly($0.utf8) ?? [] }
                .sorted { $0.lexicographicallyPrecedes($1) }
            entries += own
            let isTruncated = page.element("IsTruncated") == "true"
            if isV2 {
                #expect((page.element("NextContinuationToken") != nil) == isTruncated)
                next = "&continuation-token=\(page.element("NextContinuationToken") ?? "")"
            } else {
                next = "&marker=\(page.element("NextMarker") ?? keys.last ?? "")"
            }
            if !isTruncated { return entries }
        }
        Issue.record("the list ends")
        return entries
    }

    @Test("a search takes time in proportion to the text", .timeLimit(.minutes(1)))
    func searchTime() {
        let pattern = [UInt8](repeating: 0x61, count: 200_000) + [0x62]
        let text = [UInt8](repeating: 0x61, count: 500_000)
        var query = ObjectListQuery(bucket: "b")
        query.delimiter = String(decoding: pattern, as: UTF8.self)
        #expect(query.commonPrefix(of: String(decoding: text, as: UTF8.self)) == nil)
    }

    @Test("the text after a prefix follows all texts that begin with it")
    func afterPrefix() {
        #expect("a/".afterPrefix == "a0")
        #expect("a\u{D7FF}".afterPrefix == "a\u{E000}")
        #expect("a\u{10FFFF}\u{10FFFF}".afterPrefix == "b")
        #expect("\u{10FFFF}".afterPrefix == nil)
    }

    @Test("a list passes over a common prefix without reading its keys")
    func seeks() async throws {
        let stage = try await BucketStage()
        for folder in 0..<3 {
            for file in 0..<300 { await stage.put("f\(folder)/\(file)", "") }
        }
        var query = ObjectListQuery(bucket: "media")
        query.delimiter = "/"
        let reader = try stage.buckets.makeReader(on: BucketStage.QueueExecutor())
        let page = try reader.read { reader throws(S3Error) in try Buckets.list(query, reader) }
        #expect(page.commonPrefixes == ["f0/", "f1/", "f2/"] && page.next == nil)
        #expect(reader.rowCount == 3)
    }
}
