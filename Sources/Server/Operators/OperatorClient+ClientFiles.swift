import AsyncHTTPClient
import Codegen
public import JSON
import NIOCore
import NIOHTTP1
import NIOSSL

extension OperatorClient {
    /// The members of a client's configuration file, of the server that runs on the folder or, where none runs, as `dev`
    /// would serve it.
    public func clientFile(_ request: ClientFileRequest) async throws(ServerError) -> JSONObject {
        if !configuration.data.isEphemeral, let answer = try await sendBySocket(.clientFile(request)) {
            guard let members = answer.objectValue else { throw Self.unreadableAnswer }
            return members
        }
        let source = try ClientFileSource(withoutServer: configuration)
        do throws(OperatorProblem) {
            return try source.members(of: request)
        } catch { throw error.serverError }
    }

    /// Seconds for a remote server to answer.
    private static let remoteSeconds: Int64 = 30

    /// The members of a client's configuration file, of the server at the request's address.
    ///
    /// - Parameters:
    ///   - token: The token of an operator; nil where `dev` runs on this machine.
    ///   - authority: A file with the certificate that is trusted beside the system's; nil for none.
    public static func clientFile(
        _ request: ClientFileRequest, token: String?, authority: String?
    ) async throws(ServerError) -> JSONObject {
        guard let address = request.address else { preconditionFailure("the request has the server's address") }
        let url = address.url + OperatorCall.clientFile(request).target
        var configuration = HTTPClient.Configuration(redirectConfiguration: .disallow)
        if let authority {
            var tls = TLSConfiguration.makeClientConfiguration()
            tls.additionalTrustRoots = [.file(authority)]
            configuration.tlsConfiguration = tls
        }
        var headers = HTTPHeaders()
        if let token { headers.add(name: "Authorization", value: "Bearer \(token)") }
        let result = await execute(
            try HTTPClient.Request(url: url, method: .GET, headers: headers), configuration, seconds: remoteSeconds)
        switch result {
        case .failure(let error):
            throw ServerError(
                .failed, "\(address.url) does not answer: \(error)", hint: "Start it with 'syncline dev' or 'serve'.")
        case .success(let response):
            let text = String(
                decoding: response.body?.readableBytesView ?? ByteBuffer().readableBytesView, as: UTF8.self)
            if response.status.code == 200 {
                guard let members = request.file.read(text) else { throw .notSyncline(address, 200) }
                return members
            }
            guard let body = try? JSONReader.read(text), let problem = OperatorProblem(body) else {
                throw .notSyncline(address, response.status.code)
            }
            throw problem.serverError
        }
    }
}

extension ServerError {
    fileprivate static func notSyncline(_ address: ClientAddress, _ status: UInt) -> ServerError {
        ServerError(.failed, "\(address.url) answers \(status), and the answer is not that of a Syncline server.")
    }
}
