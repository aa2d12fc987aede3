import Foundation
import Synchronization
import Tables
import Testing

@testable import Buckets

/// Buckets over a store and a folder of their own, with a clock that the test sets.
final class BucketStage: Sendable {
    let buckets: Buckets
    let blobs: BlobStore
    let store: any Store
    let tables: [StoredTable]
    /// Where everything is.
    let folder: String
    private let ownsFolder: Bool
    /// The objects whose file was found missing.
    let missingBlobs = Missing()

    final class Missing: Sendable {
        fileprivate let keys = Mutex<[String]>([])
        var names: [String] { keys.withLock { $0 } }
    }

    /// What was reported of dropped object events.
    let droppedEvents = Dropped()

    final class Dropped: Sendable {
        fileprivate let reports = Mutex<[Int]>([])
        var counts: [Int] { reports.withLock { $0 } }
    }

    final class QueueExecutor: Tables.Executor {
        private let queue = DispatchQueue(label: "metadata")
        func execute(_ work: @escaping @Sendable () -> Void) { queue.async { work() } }
    }

    static let operatorCaller = BucketCaller.operator(accessKeyID: "AKIAOPERATOR")
    static let jane = BucketCaller.authenticated(identityID: "us-east-1:jane")
    static let guest = BucketCaller.guest(identityID: "us-east-1:guest")

    /// - Parameters:
    ///   - folder: The folder of a stage before, which is opened again.
    ///   - access: The rules of the bucket `media`.
    init(
        folder: String? = nil, calls: FileCalls = .system(synchronizes: false), limits: BucketLimits = BucketLimits(),
        access: AccessRules = AccessRules(AmplifyAccess(guest: [.read]).rules), triggers: [ObjectTrigger] = [],
        ownsFolder: Bool = true, listExecutor: (any Tables.Executor)? = nil,
        copyExecutor: (any TaskExecutor)? = nil
    ) async throws {
        self.ownsFolder = ownsFolder
        self.folder = folder ?? NSTemporaryDirectory() + "/buckets-\(UUID().uuidString)"
        var options = StoreOptions()
        options.durability = .off
        store = try LocalStore.open(folder: self.folder, options: options)
        tables = try store.carryOutMigration(
            to: BucketTables.all, renaming: [], allowing: .none, keepsIndexes: false
        ).tables
        blobs = try BlobStore(
            folder: self.folder + "/objects", calls: calls, freeBytesMin: limits.freeBytesMin,
            removedBytesMax: limits.removedBytesMax)
        let time = Time()
        self.time = time
        buckets = try Buckets(
            store: store, tables: tables, executor: QueueExecutor(), listExecutor: listExecutor,
            copyExecutor: copyExecutor, blobs: blobs, limits: limits,
            clock: WallClock { time.milliseconds.withLock { $0 } },
            noteMissingBlob: { [missingBlobs] bucket, key in
                missingBlobs.keys.withLock { $0.append("\(bucket)/\(key)") }
            },
            noteDroppedEvents: { [droppedEvents] count in droppedEvents.reports.withLock { $0.append(count) } })
        try await buckets.serve(
            BucketConfiguration(
                buckets: [.init(name: "media", access: access, triggers: triggers)]))
    }

    final class Time: Sendable {
        let milliseconds = Mutex<Int64>(1_800_000_000_000)
        func advance(days: Int64) { milliseconds.withLock { $0 += days * 86_400_000 } }
    }

    let time: Time

    deinit {
        store.close()
        if ownsFolder { try? FileManager.default.removeItem(atPath: folder) }
    }

    /// The files of blobs.
    var blobNames: [String] {
        let objects = folder + "/objects"
        let folders = (try? FileManager.default.contentsOfDirectory(atPath: objects)) ?? []
        return folders.flatMap { (try? FileManager.default.contentsOfDirectory(atPath: "\(objects)/\($0)")) ?? [] }
    }

    /// The events of functions that are due, one function after the other.
    func dueEvents(_ functions: String...) async throws -> [Buckets.QueuedEvent] {
        var due: [Buckets.QueuedEvent] = []
        for function in functions { due += try await buckets.dueEvents(of: function, limit: 1_000) }
        return due
    }

    // MARK: Requests

    /// An answer, its body read.
    struct Answer: Sendable {
        var status: Int
        var headers: [String: String]
        var body: [UInt8]
        var text: String { String(decoding: body, as: UTF8.self) }

        /// The text of the first element of a name.
        func element(_ name: String) -> String? { elements(name).first }

        func elements(_ name: String) -> [String] {
            text.components(separatedBy: "<\(name)>").dropFirst().compactMap {
                $0.components(separatedBy: "</\(name)>").first
            }
        }
    }

    static func request(
        _ method: String, _ target: String, _ headers: [(String, String)] = [], host: String = "localhost:20002"
    ) -> S3Request {
        let parts = target.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        return S3Request(
            method: method, path: String(parts[0]), query: parts.count > 1 ? String(parts[1]) : "", host: host,
            bucketOfHost: BaseHosts(["s3.example.test"]).bucket(of: host),
            headers: [("Host", host)] + headers.map { (name: $0.0, value: $0.1) }, id: "REQUEST",
            sourceAddress: "127.0.0.1")
    }

    /// A body that comes in parts of so many bytes.
    static func body(_ bytes: [UInt8], partBytes: Int = 65_536, fails: Bool = false) -> S3Body {
        let rest = Mutex(bytes[...])
        return S3Body(byteCount: bytes.count + (fails ? 1 : 0)) {
            rest.withLock { rest in
                guard !rest.isEmpty else { return fails ? .failed : .end }
                let part = Array(rest.prefix(partBytes))
                rest = rest.dropFirst(part.count)
                return .bytes(part)
            }
        }
    }

    /// The header of the CRC32 of a body.
    static func checksum(of body: [UInt8]) -> (String, String) {
        var digest = ChecksumDigest(.crc32)
        digest.update(body)
        return (ChecksumAlgorithm.crc32.header, ObjectChecksum(.crc32, digest.value).text)
    }

    func call(
        _ method: String, _ target: String, _ headers: [(String, String)] = [], body: [UInt8] = [],
        as caller: BucketCaller = operatorCaller, payload: S3Payload = .unsigned, host: String = "localhost:20002"
    ) async -> Answer {
        // As SDKs do.
        let headers = headers + (target.hasSuffix("?delete") ? [Self.checksum(of: body)] : [])
        let response = await buckets.respond(
            to: Self.request(method, target, headers, host: host), from: caller, payload: payload,
            body: Self.body(body))
        return Self.answer(response)
    }

    static func answer(_ response: S3Response) -> Answer {
        var headers: [String: String] = [:]
        for (name, value) in response.headers {
            let name = name.lowercased()
            headers[name] = headers[name].map { "\($0), \(value)" } ?? value
        }
        var bytes: [UInt8] = []
        switch response.body {
        case .bytes(let body): bytes = body
        case .head(let count): headers["content-length"] = String(count)
        case .blob(let blob, let range):
            headers["content-length"] = String(range.count)
            while bytes.count < range.count {
                let offset = range.lowerBound + bytes.count
                guard let part = try? blob.read(at: offset, count: range.count - bytes.count), !part.isEmpty else {
                    break
                }
                bytes += part
            }
        }
        return Answer(status: response.status, headers: headers, body: bytes)
    }

    @discardableResult
    func put(
        _ key: String, _ text: String, _ headers: [(String, String)] = [], as caller: BucketCaller = operatorCaller
    ) async -> Answer {
        await call("PUT", "/media/\(key)", headers, body: Array(text.utf8), as: caller)
    }
}

extension Buckets {
    /// Answers a request that was not routed before.
    func respond(
        to request: S3Request, from caller: BucketCaller, payload: S3Payload = .unsigned, body: S3Body = .empty
    ) async -> S3Response {
        await respond(to: route(request), from: caller, payload: payload, body: body)
    }

    /// The read that a request asks for.
    func objectRead(_ request: S3Request) -> ObjectRead? { ObjectRead(route(request)) }

    /// Answers a read as an event loop does; nil for every other request.
    func respondNow(
        to request: S3Request, from caller: BucketCaller, reading reader: MetadataReader
    ) -> S3Response? {
        objectRead(request).flatMap { respondNow(to: $0, from: caller, reading: reader) }
    }
}
