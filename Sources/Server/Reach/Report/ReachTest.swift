import AsyncHTTPClient
import HTTP
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL

/// `syncline reach --test`: whether the names resolve to the server, on this machine or at an address that is given, and whether
/// it answers each as the service would. It never connects through the proxy.
public struct ReachTest: Sendable {
    /// The result of one call.
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
    /// The only authority that is trusted for AWS hostnames; nil if there is none yet.
    let awsAuthority: String?
    /// The authority that is trusted beside the system's for the server's own name; nil where there is none.
    let authority: String?
    var resolve: @Sendable (String) throws -> [IPAddress] = { try IPAddress.resolve($0) }

    /// Seconds for the calls to one name, whichever of its addresses they go to: with `AWSNames.countMax` names, a test ends
    /// within 26 minutes.
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
                "there is no authority for AWS hostnames yet", "Start the server with --aws-names: it makes one.")
        }
        let addresses: [IPAddress]
        do {
            addresses = try await self.addresses(probe.endpoint?.host ?? probe.host)
        } catch {
            let reason = (error as? IPAddress.ResolutionError)?.reason ?? "\(error)"
            return failed("the name cannot be resolved (\(reason))", Failure.hostsRemedy)
        }
        let port = probe.endpoint?.port ?? 443
        let deadline = ContinuousClock.now + .seconds(Self.seconds)
        var outcome = failed("the name has no address", Failure.hostsRemedy)
        // A server may listen at one of several, such as 127.0.0.1 and not ::1 of localhost.
        for address in addresses.prefix(Self.addressesMax) {
            let left = ContinuousClock.now.duration(to: deadline)
            guard left > .zero else { return outcome }
            switch await call(probe, address, port, seconds: max(1, left.components.seconds)) {
            case .success(let answer):
                if probe.isAnswered(by: answer.status, answer.body, headerNames: answer.headerNames) {
                    return Outcome(service: probe.service, host: probe.host, failure: nil, remedy: nil)
                }
                return failed(
                    "it answers \(answer.status), which is not the service's answer",
                    answer.status == 421 && probe.trust == .awsAuthority
                        ? "The server does not serve this name: start it with --aws-names, and with this project."
                        : "Another server answers at \(HostPort.text(address.text, port)), or the service is not served."
                )
            case .failure(let error):
                outcome = failure(error, probe, address, port)
                guard Step(error) == .connect else { return outcome }
            }
        }
        return outcome
    }

    private func failure(_ error: any Error, _ probe: ReachProbe, _ address: IPAddress, _ port: Int) -> Outcome {
        let failure = Failure(
            Step(error), at: HostPort.text(address.text, port), of: probe.host,
            isAWSHostname: probe.trust == .awsAuthority,
            isElsewhere: address.scope == .global && probe.endpoint == nil)
        return Outcome(service: probe.service, host: probe.host, failure: failure.message, remedy: failure.remedy)
    }

    /// Why a call has failed, and what to do about it.
    struct Failure {
        let message: String
        let remedy: String

        /// - Parameters:
        ///   - endpoint: `HOST:PORT` that was connected to.
        ///   - isElsewhere: Whether the name has resolved to an address of the internet.
        init(_ step: Step, at endpoint: String, of host: String, isAWSHostname: Bool, isElsewhere: Bool) {
            switch step {
            case .connect where isElsewhere:
                message = "cannot connect to \(endpoint), which is not this machine"
                remedy = Self.hostsRemedy
            case .connect:
                message = "nothing answers at \(endpoint)"
                remedy =
                    isAWSHostname
                    ? "Start the server with --aws-names --listen \(endpoint),tls, or use 'syncline proxy'."
                    : "Start the server, or give its URL: syncline reach --test URL"
            case .certificate where isElsewhere:
                message = "\(endpoint) shows another certificate: it is AWS's own, or another server's"
                remedy = Self.hostsRemedy
            case .certificate where isAWSHostname:
                message = "the certificate at \(endpoint) is not for this name, or of another authority"
                remedy =
                    "Start the server with --aws-names, on the same data folder; 'syncline trust --aws-names' shows its authority."
            case .certificate:
                message =
                    "the certificate at \(endpoint) is not for \(host), or of an authority that is not trusted here"
                remedy = "See 'syncline trust'; 'tlsHosts' of the configuration adds names to the certificate."
            case .tls:
                message = "TLS is not accepted at \(endpoint)"
                remedy = "Let the server listen there for TLS: --listen \(endpoint),tls"
            case .answer:
                message = "\(endpoint) closed the connection or did not answer in time"
                remedy = "See the server's log."
            }
        }

        static let hostsRemedy =
            "Add the hosts line from 'syncline reach'. If clients use 'syncline proxy', run: syncline reach --test https://HOST:PORT"
    }

    /// At which step a call has failed.
    enum Step {
        case connect, certificate, tls, answer

        init(_ error: any Error) {
            // BoringSSL has one reason for whatever is wrong with a certificate (ssl.h, SSL_R_CERTIFICATE_VERIFY_FAILED), and
            // NIOSSL shows it only in the error's description.
            if (error as? NIOSSLExtraError) == .failedToValidateHostname
                || "\(error)".contains("CERTIFICATE_VERIFY_FAILED")
            {
                self = .certificate
            } else if error is NIOSSLError || error is BoringSSLError {
                self = .tls
            } else if error is NIOConnectionError || error is IOError {
                self = .connect
            } else {
                self =
                    switch error as? HTTPClientError {
                    case .connectTimeout?: .connect
                    case .tlsHandshakeTimeout?: .tls
                    default: .answer
                    }
            }
        }
    }

    private func addresses(_ host: String) async throws -> [IPAddress] {
        if let address = IPAddress(host) { return [address] }
        let resolve = resolve
        return try await NIOThreadPool.singleton.runIfActive { try resolve(host) }
    }

    private func call(
        _ probe: ReachProbe, _ address: IPAddress, _ port: Int, seconds: Int64
    ) async -> Result<(status: Int, body: String, headerNames: Set<String>), any Error> {
        var tls = TLSConfiguration.makeClientConfiguration()
        tls.minimumTLSVersion = .tlsv12
        if probe.trust == .awsAuthority {
            // No other: if the name resolves to AWS, the handshake fails, and no request is sent.
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
                body: probe.body.isEmpty ? nil : .string(probe.body)), configuration,
            seconds: seconds,
            bytesMax: Self.bytesMax)
        return result.map { response in
            let body = response.body.map { String(buffer: $0) } ?? ""
            return (Int(response.status.code), body, Set(response.headers.map { $0.name.lowercased() }))
        }
    }
}
