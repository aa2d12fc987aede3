import AsyncHTTPClient
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL

/// `syncline reach --test`: whether the names lead to the server, as this machine resolves them or at an address that is
/// given, and whether it answers each as the service would.
public struct ReachTest: Sendable {
    /// What came of one name.
    public struct Outcome: Sendable, Hashable {
        /// Such as `user pools`.
        public let service: String
        /// The host.
        public let host: String
        /// What is wrong; nil where nothing is.
        public let failure: String?
        /// What to do about it, in one line.
        public let remedy: String?

        /// One line, and one more with the remedy.
        public var text: String {
            guard let failure else { return "ok      \(host)  \(service)" }
            return "failed  \(host)  \(service): \(failure)" + (remedy.map { "\n        \($0)" } ?? "")
        }
    }

    let probes: [ReachProbe]
    /// The one authority that is trusted for AWS names; nil where there is none yet.
    let awsAuthority: String?
    /// The authority that is trusted beside the system's for the server's own name; nil where there is none.
    let authority: String?
    var resolve: @Sendable (String) throws -> [IPAddress] = { try IPAddress.resolve($0) }

    /// Seconds for one call, all steps together.
    private static let seconds: Int64 = 15
    /// Addresses of one name that are tried.
    private static let addressesMax = 4
    /// Bytes of an answer that are read.
    private static let bytesMax = 256 << 10

    /// Makes the calls, one after the other, and reports each. False if one has failed.
    public func run(_ report: (Outcome) -> Void) async -> Bool {
        var allPassed = true
        for probe in probes {
            let outcome = await outcome(of: probe)
            if outcome.failure != nil { allPassed = false }
            report(outcome)
        }
        return allPassed
    }

    private func outcome(of probe: ReachProbe) async -> Outcome {
        func failed(_ failure: String, _ remedy: String?) -> Outcome {
            Outcome(service: probe.service, host: probe.host, failure: failure, remedy: remedy)
        }
        if probe.trust == .awsAuthority, awsAuthority == nil {
            return failed(
                "there is no authority for AWS names yet", "Start the server with --aws-names: it makes one.")
        }
        let addresses: [IPAddress]
        do {
            addresses = try await self.addresses(probe.endpoint?.host ?? probe.host)
        } catch {
            let reason = (error as? IPAddress.ResolutionError)?.reason ?? "\(error)"
            return failed("the name cannot be resolved (\(reason))", Self.hostsRemedy)
        }
        let port = probe.endpoint?.port ?? 443
        var outcome = failed("the name has no address", Self.hostsRemedy)
        // A server may listen at one of several, such as 127.0.0.1 and not ::1 of localhost.
        for address in addresses.prefix(Self.addressesMax) {
            switch await call(probe, address, port) {
            case .success(let answer):
                if probe.isAnswered(by: answer.status, answer.body) {
                    return Outcome(service: probe.service, host: probe.host, failure: nil, remedy: nil)
                }
                return failed(
                    "it answers \(answer.status), which is not the service's answer",
                    answer.status == 421 && probe.trust == .awsAuthority
                        ? "The server does not serve this name: start it with --aws-names, and with this project."
                        : "Another server answers at \(ReachURL.authority(address.text, port)), or the service is not served."
                )
            case .failure(let error):
                outcome = failure(error, probe, address, port)
                guard Self.step(of: error) == .connect else { return outcome }
            }
        }
        return outcome
    }

    private func failure(_ error: any Error, _ probe: ReachProbe, _ address: IPAddress, _ port: Int) -> Outcome {
        let location = ReachURL.authority(address.text, port)
        let (failure, remedy) =
            switch Self.step(of: error) {
            case .connect where address.scope == .global && probe.endpoint == nil:
                ("\(location) cannot be connected to, and is not this machine", Self.hostsRemedy)
            case .connect where probe.trust != .awsAuthority:
                ("nothing answers at \(location)", "Start the server, or give its URL: syncline reach --test URL.")
            case .connect:
                (
                    "nothing answers at \(location)",
                    "Start the server with --aws-names --listen \(location),tls, or use 'syncline proxy'."
                )
            case .certificate where address.scope == .global && probe.endpoint == nil:
                ("\(location) shows another certificate: it is AWS's own, or another server's", Self.hostsRemedy)
            case .certificate where probe.trust != .awsAuthority:
                (
                    "the certificate at \(location) is not for \(probe.host), or of an authority that is not trusted here",
                    "See 'syncline trust'; 'tlsHosts' of the configuration adds names to the certificate."
                )
            case .certificate:
                (
                    "the certificate at \(location) is not for this name, or of another authority",
                    "Start the server with --aws-names, on the same data folder; 'syncline trust --aws-names' shows its authority."
                )
            case .tls:
                ("TLS is not spoken at \(location)", "Let the server listen there for TLS: --listen \(location),tls.")
            case .answer: ("no answer came: \(error)", "See the server's log.")
            }
        return Outcome(service: probe.service, host: probe.host, failure: failure, remedy: remedy)
    }

    private static let hostsRemedy =
        "Add the hosts line that 'syncline reach' prints, or use 'syncline proxy' and --test with the server's URL."

    private enum Step { case connect, certificate, tls, answer }

    /// At which step a call has failed.
    private static func step(of error: any Error) -> Step {
        if (error as? NIOSSLExtraError) == .failedToValidateHostname || "\(error)".contains("CERTIFICATE_VERIFY_FAILED")
        {
            return .certificate
        }
        if error is NIOSSLError || error is BoringSSLError { return .tls }
        if error is NIOConnectionError || error is IOError { return .connect }
        switch error as? HTTPClientError {
        case .connectTimeout?: return .connect
        case .tlsHandshakeTimeout?: return .tls
        default: return .answer
        }
    }

    private func addresses(_ host: String) async throws -> [IPAddress] {
        if let address = IPAddress(host) { return [address] }
        let resolve = resolve
        return try await NIOThreadPool.singleton.runIfActive { try resolve(host) }
    }

    private func call(
        _ probe: ReachProbe, _ address: IPAddress, _ port: Int
    ) async -> Result<(status: Int, body: String), any Error> {
        var tls = TLSConfiguration.makeClientConfiguration()
        tls.minimumTLSVersion = .tlsv12
        if probe.trust == .awsAuthority {
            // No other: a name that leads to AWS fails, and nothing is sent there.
            tls.trustRoots = awsAuthority.map { .file($0) } ?? .certificates([])
        } else if let authority, Files.exists(authority) {
            tls.additionalTrustRoots = [.file(authority)]
        }
        var configuration = HTTPClient.Configuration(tlsConfiguration: tls, redirectConfiguration: .disallow)
        configuration.httpVersion = .http1Only
        configuration.connectionPool.retryConnectionEstablishment = false
        if IPAddress(probe.host) == nil { configuration.dnsOverride = [probe.host: address.text] }
        let url = ReachURL(
            scheme: probe.trust == .plainHTTP ? "http" : "https", host: probe.host, port: port, path: probe.path
        ).text
        let result = await OperatorClient.execute(
            try HTTPClient.Request(
                url: url, method: HTTPMethod(rawValue: probe.method),
                headers: HTTPHeaders(probe.headers.map { ($0.name, $0.value) }),
                body: probe.body.isEmpty ? nil : .string(probe.body)), configuration, seconds: Self.seconds,
            bytesMax: Self.bytesMax)
        return result.map { response in
            let body = response.body.map { String(buffer: $0) } ?? ""
            return (Int(response.status.code), body)
        }
    }
}
