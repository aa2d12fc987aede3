import AWSSignature
import Buckets
import Encodings
import JSON
import UserPools

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension FilesClient {
    /// The names of all buckets.
    public func buckets() async throws(ServerError) -> [String] {
        do {
            var bytes: [UInt8] = []
            try await perform("GET", "/", receive: { bytes += $0 })
            let document = try Self.document(bytes, "ListAllMyBucketsResult")
            return document["Buckets"]?.all("Bucket").compactMap { $0["Name"]?.text } ?? []
        } catch { throw serverError(error, nil) }
    }

    /// The objects with a key prefix, in the order of their keys, page by page.
    public func list(_ path: FilesPath, _ page: ([StoredFile]) -> Void) async throws(ServerError) {
        var token: String? = ""
        while let next = token {
            var query = "encoding-type=url&list-type=2&prefix=\(Percent.encode(path.key))"
            if !next.isEmpty { query += "&continuation-token=\(Percent.encode(next))" }
            var bytes: [UInt8] = []
            try await ask("GET", FilesPath(bucket: path.bucket, key: ""), query: query, receive: { bytes += $0 })
            let document = try Self.document(bytes, "ListBucketResult")
            page(
                document.all("Contents").map { item in
                    func member(_ name: String) -> String { item[name]?.text ?? "" }
                    return StoredFile(
                        key: Percent.decode(member("Key").utf8, plusIsSpace: true), size: Int(member("Size")) ?? 0,
                        modified: member("LastModified"), etag: member("ETag").filter { $0 != "\"" })
                })
            token = document["NextContinuationToken"]?.text
        }
    }

    /// Downloads an object to a file, which gets its name only when it is complete. Until then it has a random name in the same
    /// folder, and no other file is changed. What has the name of the file is replaced, a link as such, unless it is no file.
    ///
    /// - Parameter progress: Receives the number of bytes so far.
    public func get(
        _ path: FilesPath, to file: String, progress: @escaping @Sendable (Int) -> Void = { _ in }
    ) async throws(ServerError) {
        try path.checkKey()
        try AmplifyFolder.refuseWriting(file: file, of: "FILE")
        if Files.exists(file), let reason = Files.problemReading(file) {
            throw ServerError(.failed, "Cannot write \(file): \(reason).")
        }
        let partial = Files.freshPath(beside: file)
        let target = try Self.opened(file) { () throws(Files.Failure) in try LocalFile.creating(partial) }
        do throws(ServerError) {
            var byteCount = 0
            try await ask(
                "GET", path,
                receive: { bytes throws(Files.Failure) in
                    try target.write(bytes)
                    byteCount += bytes.count
                    progress(byteCount)
                })
            try Self.opened(file) { () throws(Files.Failure) in try Files.move(partial, to: file) }
        } catch {
            Files.remove(partial)
            throw error
        }
    }

    private static func opened<Value>(
        _ file: String, _ body: () throws(Files.Failure) -> Value
    ) throws(ServerError) -> Value {
        do throws(Files.Failure) { return try body() } catch {
            throw ServerError(.failed, "Cannot write \(file): \(error.reason).")
        }
    }

    /// Uploads a file as an object.
    ///
    /// - Parameter progress: Receives the number of bytes so far, and the total.
    public func put(
        _ file: String, to path: FilesPath, progress: @escaping @Sendable (Int, Int) -> Void = { _, _ in }
    ) async throws(ServerError) {
        try path.checkKey()
        let source: LocalFile
        do throws(Files.Failure) { source = try LocalFile.reading(file) } catch {
            throw ServerError(.usage, "Cannot read \(file): \(error.reason).")
        }
        try await ask("PUT", path, headers: Self.headers(of: file), body: Self.pieces(source, file, progress))
    }

    private static func headers(of file: String) -> [(name: String, value: String)] {
        [("Content-Type", contentType(of: file))]
    }

    private static func pieces(
        _ source: LocalFile, _ file: String, _ progress: @escaping @Sendable (Int, Int) -> Void
    ) -> FilePieces {
        FilePieces(file: source, path: file, sent: { progress($0, source.byteCount) })
    }

    /// Copies an object.
    public func copy(_ source: FilesPath, to path: FilesPath) async throws(ServerError) {
        try source.checkKey()
        try path.checkKey()
        try await ask(
            "PUT", path, headers: [("x-amz-copy-source", source.encoded)],
            subject: { $0.code == "NoSuchKey" || $0.bucket == source.bucket ? source : nil })
    }

    /// Deletes an object; if it does not exist, this succeeds as well.
    public func remove(_ path: FilesPath) async throws(ServerError) {
        try path.checkKey()
        try await ask("DELETE", path)
    }

    /// The result for a file of a folder.
    public enum Synchronized: Sendable, Hashable {
        /// The object has the file's bytes already.
        case equal
        /// The file was stored.
        case stored
        /// The file, or all of a folder, was left out for this reason.
        case leftOut(String)
    }

    /// Uploads the files of a folder that differ from their objects. Hidden files are skipped, and no object is deleted. What
    /// cannot be read is left out.
    ///
    /// - Parameters:
    ///   - path: The prefix of the keys; the rest of a key is the file's path in the folder.
    ///   - note: Receives each file's path in the folder when the file is done or left out. A folder that cannot be read is one
    ///     entry.
    public func synchronize(
        _ folder: String, to path: FilesPath, progress: @escaping @Sendable (String, Int, Int) -> Void = { _, _, _ in },
        note: (String, Synchronized) -> Void
    ) async throws(ServerError) {
        let files: FolderFiles
        do throws(Files.Failure) { files = try FolderFiles(of: folder) } catch {
            throw ServerError(.usage, "Cannot read the folder \(folder): \(error.reason).")
        }
        let prefix = path.key.isEmpty || path.key.hasSuffix("/") ? path.key : path.key + "/"
        // By bytes: a composed and a decomposed accent are two keys, and two files.
        var stored: [ExactText: StoredFile] = [:]
        try await list(FilesPath(bucket: path.bucket, key: prefix)) { page in
            for file in page { stored[ExactText(file.key)] = file }
        }
        let root = folder.hasSuffix("/") ? folder : folder + "/"
        for entry in files.entries {
            let name = entry.name
            if let reason = entry.reason {
                note(name, .leftOut(reason))
                continue
            }
            let target = FilesPath(bucket: path.bucket, key: prefix + name)
            note(
                name,
                try await synchronize(root + name, to: target, stored[ExactText(target.key)]) { progress(name, $0, $1) }
            )
        }
    }

    private func synchronize(
        _ file: String, to path: FilesPath, _ object: StoredFile?, _ progress: @escaping @Sendable (Int, Int) -> Void
    ) async throws(ServerError) -> Synchronized {
        do {
            if let object, try Self.isEqual(try LocalFile.reading(file), object) { return .equal }
            try await perform(
                "PUT", path.encoded, headers: Self.headers(of: file),
                body: Self.pieces(try LocalFile.reading(file), file, progress))
            return .stored
        } catch let failure as Files.Failure {
            return .leftOut(failure.reason)
        } catch let failure as FilePieces.Failure {
            return .leftOut(failure.reason)
        } catch { throw serverError(error, path) }
    }

    /// Whether a file has the bytes of an object, as far as its ETag says.
    private static func isEqual(_ source: LocalFile, _ object: StoredFile) throws(Files.Failure) -> Bool {
        guard source.byteCount == object.size else { return false }
        var comparison = ETagComparison(etag: object.etag, byteCount: object.size)
        guard comparison.isPossible else { return false }
        while true {
            let bytes = try source.read(pieceBytes)
            if bytes.isEmpty { break }
            comparison.update(bytes)
        }
        return comparison.isEqual()
    }

    private static let contentTypes = [
        "css": "text/css", "csv": "text/csv", "gif": "image/gif", "heic": "image/heic", "html": "text/html",
        "jpeg": "image/jpeg", "jpg": "image/jpeg", "js": "text/javascript", "json": "application/json",
        "m4a": "audio/mp4", "mov": "video/quicktime", "mp3": "audio/mpeg", "mp4": "video/mp4", "pdf": "application/pdf",
        "png": "image/png", "svg": "image/svg+xml", "txt": "text/plain", "webp": "image/webp", "xml": "application/xml",
        "zip": "application/zip",
    ]

    private static func contentType(of file: String) -> String {
        let suffix = Files.name(of: file).split(separator: ".").last.map { $0.lowercased() } ?? ""
        return contentTypes[suffix] ?? "binary/octet-stream"
    }
}

// MARK: - Credentials

extension FilesClient {
    /// An access key that gives S3 clients access to all buckets: one of the configuration, or the one that `dev` has created.
    public static func credentials(
        _ configuration: Configuration
    ) throws(ServerError) -> (id: String, secret: String, region: String) {
        let configured = configuration.userPools.accessKeys.first {
            $0.role != .viewer && $0.maySign(for: "s3")
        }
        let folder = configuration.data.folder
        let made =
            configuration.userPools.accessKeys.isEmpty && Files.exists(Files.path(DeveloperKey.fileName, in: folder))
            ? DeveloperKey.read(folder) : nil
        guard let key = configured ?? made else {
            throw ServerError(
                .usage, "There is no access key for buckets.",
                hint: "Add one to 'accessKeys' in the configuration, or start 'syncline dev' once.")
        }
        return (key.id, key.secret, configuration.storage.region ?? configuration.region)
    }

    /// A presigned URL that lets anyone get an object for a limited time.
    ///
    /// - Parameters:
    ///   - endpoint: The base URL; nil for `publicURL`, or else the address of the server that runs on the folder or, where none
    ///     runs, the configured one.
    ///   - seconds: The validity in seconds, 1 to 604,800.
    public static func url(
        _ path: FilesPath, _ configuration: Configuration, endpoint: String?, seconds: Int
    ) async throws(ServerError) -> String {
        try path.checkKey()
        let key = try credentials(configuration)
        let base: String
        if let endpoint {
            base = endpoint
        } else if let served = try await OperatorClient(configuration).serverDescription().baseURL {
            base = served
        } else {
            throw ServerError(
                .usage, "The server chooses its port when it starts, and none runs.",
                hint: "Start it, or give --endpoint http://HOST:PORT.")
        }
        guard var url = ReachURL(base) else {
            throw ServerError(.usage, "\(base) is not a URL.", hint: "Write it as http://HOST:PORT.")
        }
        var request = SignedRequest(method: "GET", path: path.encoded, headers: [("Host", url.authority)])
        let signer = RequestSigner(accessKeyID: key.id, secret: key.secret, region: key.region, service: "s3")
        do throws(SignatureError) {
            try signer.presign(&request, now: Moment.now.milliseconds / 1_000, expiresSeconds: Int64(seconds))
        } catch {
            throw ServerError(.usage, "A URL is valid for 1 to 604,800 seconds.")
        }
        url.path = request.path
        return "\(url.text)?\(request.query)"
    }
}
