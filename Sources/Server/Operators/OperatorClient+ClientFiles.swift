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
        // A certificate that is not trusted once is not trusted a moment later.
        configuration.connectionPool.retryConnectionEstablishment = false
        if let authority {
            guard (try? NIOSSLCertificate.fromPEMFile(authority))?.isEmpty == false else {
                throw ServerError(
                    .usage, "--cacert: \(authority) cannot be read, or is no certificate in PEM.",
                    hint: "It is the file that 'syncline trust' names.")
            }
            var tls = TLSConfiguration.makeClientConfiguration()
            tls.additionalTrustRoots = [.file(authority)]
            configuration.tlsConfiguration = tls
        }
        var headers = HTTPHeaders()
        if let token {
            // The client's error would have the token.
            guard token.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
                throw ServerError(
                    .usage, "The operator's token has characters that no token has.",
                    hint: "It is what 'syncline operators create NAME --role editor --token' prints.")
            }
            headers.add(name: "Authorization", value: "Bearer \(token)")
        }
        let result = await execute(
            try HTTPClient.Request(url: url, method: .GET, headers: headers), configuration, seconds: remoteSeconds,
            bytesMax: ClientFile.bytesMax)
        switch result {
        case .failure(let error):
            throw Self.certificateError(error, address, authority: authority)
                ?? ServerError(
                    .failed, "\(address.url) does not answer: \(error)",
                    hint: "Start it with 'syncline dev' or 'serve'.")
        case .success(let response):
            let text = String(
                decoding: response.body?.readableBytesView ?? ByteBuffer().readableBytesView, as: UTF8.self)
            if response.status.code == 200 {
                // Other members would empty a file that is there.
                guard let members = request.file.read(text), request.file.recognizes(members) else {
                    throw .notSyncline(address, 200)
                }
                return members
            }
            guard let body = try? JSONReader.read(text), let problem = OperatorProblem(body) else {
                throw .notSyncline(address, response.status.code)
            }
            throw problem.serverError
        }
    }
}

extension OperatorClient {
    /// What is wrong with the certificate of a server; nil where an error is another one.
    static func certificateError(
        _ error: any Error, _ address: ClientAddress, authority: String?
    ) -> ServerError? {
        if (error as? NIOSSLExtraError) == .failedToValidateHostname {
            return ServerError(
                .failed, "The certificate of \(address.url) is not for \(address.host).",
                hint:
                    "Use a name that it has; 'tlsHosts' of the server's configuration adds names to that of 'tls' 'auto'."
            )
        }
        // BoringSSL has one reason for whatever is wrong with a certificate (ssl.h, SSL_R_CERTIFICATE_VERIFY_FAILED).
        guard "\(error)".contains("CERTIFICATE_VERIFY_FAILED") else { return nil }
        let trusted = authority.map { "neither \($0) nor an authority" } ?? "no authority"
        return ServerError(
            .failed,
            "The certificate of \(address.url) is not trusted: \(trusted) that this system trusts has issued it, or it has "
                + "expired.",
            hint:
                "Name the server's authority with --cacert FILE: 'syncline trust' prints the file on the server's machine, and "
                + "with --install it makes that system trust it.")
    }
}

extension ServerError {
    fileprivate static func notSyncline(_ address: ClientAddress, _ status: UInt) -> ServerError {
        ServerError(.failed, "\(address.url) answers \(status), and the answer is not that of a Syncline server.")
    }
}
