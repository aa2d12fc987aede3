import AsyncHTTPClient
import Buckets
import HTTP
import NIOCore
import NIOHTTP1
import Tables
import Transformer

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Requests to buckets from the command line: sent to the running server of the data folder through its socket, or executed
/// in this process, which locks the folder, if no server runs.
public final class FilesClient: Sendable {
    private enum Way: Sendable {
        case server(HTTPClient, OperatorSocket)
        case folder(BucketService, any Store)
    }

    private let way: Way
    let configuration: Configuration

    /// The path prefix of the buckets on the socket.
    static let socketPath = "/operators/v1/storage"
    /// Bytes of a file that are read at a time.
    static let pieceBytes = 256 << 10
    /// Timeout of a request, in hours. It is long because the time of a large transfer depends on the disk.
    private static let requestHours: Int64 = 24

    private init(_ way: Way, _ configuration: Configuration) { (self.way, self.configuration) = (way, configuration) }

    /// Runs `body` with a client for the data folder of a configuration.
    public static func with<Value>(
        _ configuration: Configuration, _ body: (FilesClient) async throws -> Value
    ) async throws -> Value {
        let client = try await open(configuration)
        do {
            let value = try await body(client)
            await client.close()
            return value
        } catch {
            await client.close()
            throw error
        }
    }

    private static func open(_ configuration: Configuration) async throws(ServerError) -> FilesClient {
        if configuration.data.isEphemeral { _ = try Operators.file(of: configuration) }
        let folder = configuration.data.folder
        if Files.exists(Files.path(OperatorSocket.name, in: folder)) {
            let client = FilesClient(
                .server(HTTPClient(eventLoopGroupProvider: .singleton), try OperatorSocket(folder: folder)),
                configuration)
            // The socket of a killed server does not accept connections.
            if (try? await client.ask("GET", "/")) != nil { return client }
            await client.close()
        }
        let store: any Store
        do throws(StoreError) {
            guard try LocalStore.inspect(folder: folder) != nil else {
                throw StoreError(.invalidRequest, "There is no database in the folder.")
            }
            store = try LocalStore.open(
                folder: folder, options: .init(durability: .full, limits: configuration.limits.store))
        } catch {
            throw ServerError(opening: folder, error)
        }
        do throws(ServerError) {
            let service = try await BucketService.start(
                configuration, store: store, dataFolder: folder, userPools: nil, clock: .system,
                log: Log(format: .text, level: .error))
            return FilesClient(.folder(service, store), configuration)
        } catch {
            store.close()
            throw error
        }
    }

    private func close() async {
        switch way {
        case .server(let client, _): try? await client.shutdown()
        case .folder(let service, let store):
            await service.end()
            store.close()
        }
    }

    // MARK: Requests

    /// Sends a request and receives its answer.
    ///
    /// - Parameters:
    ///   - path: Percent-encoded.
    ///   - query: Percent-encoded.
    ///   - sent: Receives the number of bytes of the body that were sent so far.
    ///   - receive: Receives the next bytes of the response body, unless the response is an error.
    /// - Returns: The header fields of the response.
    @discardableResult
    func ask(
        _ method: String, _ path: String, query: String = "", headers: [(name: String, value: String)] = [],
        body: LocalFile? = nil, sent: @escaping @Sendable (Int) -> Void = { _ in },
        receive: ([UInt8]) throws(Files.Failure) -> Void = { _ in }
    ) async throws(ServerError) -> [(name: String, value: String)] {
        do {
            switch way {
            case .server(let client, let socket):
                return try await ask(client, socket, method, path, query, headers, body, sent, receive)
            case .folder(let service, _):
                return try await ask(service, method, path, query, headers, body, sent, receive)
            }
        } catch let error as ServerError {
            throw error
        } catch let refusal as Refusal {
            throw await serverError(refusal, path)
        } catch let failure as Files.Failure {
            throw ServerError(.failed, failure.reason)
        } catch {
            throw ServerError(.failed, "The server does not answer: \(error)")
        }
    }

    private func ask(
        _ client: HTTPClient, _ socket: OperatorSocket, _ method: String, _ path: String, _ query: String,
        _ headers: [(name: String, value: String)], _ body: LocalFile?, _ sent: @escaping @Sendable (Int) -> Void,
        _ receive: ([UInt8]) throws(Files.Failure) -> Void
    ) async throws -> [(name: String, value: String)] {
        let target = Self.socketPath + path + (query.isEmpty ? "" : "?\(query)")
        guard let url = URL(httpURLWithSocketPath: socket.path, uri: target) else {
            throw ServerError(.usage, "\(path) is no path of a URL.")
        }
        var request = HTTPClientRequest(url: url.absoluteString)
        request.method = HTTPMethod(rawValue: method)
        // RFC 9112 §3.2 requires a host, and the path of a socket is none.
        request.headers.add(name: "Host", value: "localhost")
        for (name, value) in headers { request.headers.add(name: name, value: value) }
        if let body {
            request.body = .stream(FilePieces(file: body, sent: sent), length: .known(Int64(body.byteCount)))
        }
        let response = try await client.execute(request, timeout: .hours(Self.requestHours))
        var error: [UInt8] = []
        for try await buffer in response.body {
            if response.status.code < 400 {
                try receive(Array(buffer.readableBytesView))
            } else if error.count < 1 << 16 {
                error += buffer.readableBytesView
            }
        }
        guard response.status.code < 400 else { throw Refusal(Int(response.status.code), error) }
        return response.headers.map { ($0.name, $0.value) }
    }

    private func ask(
        _ service: BucketService, _ method: String, _ path: String, _ query: String,
        _ headers: [(name: String, value: String)], _ body: LocalFile?, _ sent: @escaping @Sendable (Int) -> Void,
        _ receive: ([UInt8]) throws(Files.Failure) -> Void
    ) async throws -> [(name: String, value: String)] {
        let caller = OperatorCallHandler.Caller.commandLine
        let request = S3Request(
            method: method, path: path, query: query, host: "localhost",
            headers: headers + [("Host", "localhost"), ("Content-Length", String(body?.byteCount ?? 0))],
            id: caller.requestID, sourceAddress: caller.address)
        let pieces = body.map { FilePieces(file: $0, sent: sent).makeAsyncIterator() }
        let s3Body = S3Body(byteCount: body?.byteCount ?? 0) {
            guard let buffer = try? pieces?.next() else { return .end }
            return .bytes(Array(buffer.readableBytesView))
        }
        let response = await service.perform { buckets in
            await service.audited(request, caller) {
                await buckets.respond(to: request, from: .operator(accessKeyID: caller.name), body: s3Body)
            }
        }
        switch response.body {
        case .bytes(let bytes) where response.status >= 400: throw Refusal(response.status, bytes)
        case .bytes(let bytes): try receive(bytes)
        case .head: break
        case .blob(let blob, let range):
            var offset = range.lowerBound
            while offset < range.upperBound {
                let bytes = try blob.read(at: offset, count: min(Self.pieceBytes, range.upperBound - offset))
                guard !bytes.isEmpty else { throw ServerError(.data, "The object is shorter than it should be.") }
                try receive(bytes)
                offset += bytes.count
            }
        }
        return response.headers
    }

    private func serverError(_ refusal: Refusal, _ path: String) async -> ServerError {
        var hint: String?
        if refusal.code == "NoSuchBucket" {
            let names = (try? await buckets()) ?? []
            hint =
                names.isEmpty
                ? "There are no buckets; configure 'storage'." : "The buckets are: \(names.joined(separator: ", "))."
        }
        return ServerError(.failed, "\(path.dropFirst()): \(refusal.message)", hint: hint)
    }

    /// An error response of S3.
    private struct Refusal: Error {
        /// S3's code of the error, such as `NoSuchBucket`.
        let code: String?
        let message: String

        init(_ status: Int, _ body: [UInt8]) {
            let text = String(decoding: body, as: UTF8.self)
            code = FilesClient.elements("Code", of: text).first
            message = FilesClient.elements("Message", of: text).first ?? "HTTP status \(status)"
        }
    }

    /// The texts of all elements of a name, in a response of this server, which has no attributes and no CDATA.
    static func elements(_ name: String, of text: String) -> [String] {
        text.components(separatedBy: "<\(name)>").dropFirst().map { part in
            (part.components(separatedBy: "</\(name)>").first ?? "").replacing("&quot;", with: "\"")
                .replacing("&lt;", with: "<").replacing("&gt;", with: ">").replacing("&apos;", with: "'")
                .replacing("&amp;", with: "&")
        }
    }
}
