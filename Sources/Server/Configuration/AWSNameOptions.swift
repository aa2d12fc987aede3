/// `awsNames` and `appSyncEndpoint`: whether this server serves the AWS hostnames that clients of the project connect
/// to, and which hosts the API has there.
public struct AWSNameOptions: Sendable, Hashable {
    /// The hosts of an API at AppSync, which are named after a label that is not the API's id.
    struct AppSyncEndpoint: Sendable, Hashable {
        /// `LABEL.appsync-api.REGION.amazonaws.com`, in lower case.
        let host: String
        /// `LABEL.appsync-realtime-api.REGION.amazonaws.com`.
        let realtimeHost: String

        /// Reads `https://LABEL.appsync-api.REGION.amazonaws.com/graphql`; nil for the URL of any other server, such as a
        /// domain of one's own.
        init?(_ url: String) {
            let scheme = "https://"
            guard url.lowercased().hasPrefix(scheme) else { return nil }
            let host = url.dropFirst(scheme.count).prefix { $0 != "/" }.lowercased()
            let labels = host.split(separator: ".", omittingEmptySubsequences: false)
            guard labels.count >= 5, labels[1] == "appsync-api", CertificateNames.isName(host),
                host == "\(labels[0]).\(AWSNames.name("appsync-api", String(labels[2])))"
            else { return nil }
            self.host = host
            realtimeHost = "\(labels[0]).\(AWSNames.name("appsync-realtime-api", String(labels[2])))"
        }
    }

    /// Whether requests for these names are answered.
    public var isOn = false
    /// The endpoints that the project's API has at AppSync.
    var appSyncEndpoints: [AppSyncEndpoint] = []

    /// The default.
    public init() {}

    mutating func read(_ file: ConfigurationSection) {
        isOn = file.bool("awsNames") ?? isOn
        for url in file.strings("appSyncEndpoint") ?? [] {
            guard let endpoint = AppSyncEndpoint(url) else {
                file.report(
                    "appSyncEndpoint", "'appSyncEndpoint' is the URL of an API at AppSync, and not \"\(url)\".",
                    hint: "Write it as https://LABEL.appsync-api.REGION.amazonaws.com/graphql.")
                continue
            }
            if !appSyncEndpoints.contains(endpoint) { appSyncEndpoints.append(endpoint) }
        }
    }

    mutating func read(_ settings: SettingReader) { isOn = settings.bool(.awsNames) ?? isOn }
}

extension Configuration {
    /// The AWS hostnames that clients of this project connect to, whether or not they are served.
    public var awsNames: AWSNames { AWSNames(self) }

    /// Those that are served; nil where none are.
    var servedAWSNames: AWSNames? { awsNameOptions.isOn ? awsNames : nil }

    /// Refuses AWS hostnames for the local authority, which issues for this machine and whatever else is named, and warns
    /// of AWS hostnames beyond the bound.
    func checkAWSNames(_ file: ConfigurationSection) {
        for name in tls.hosts where AWSNames.isAWS(name) {
            file.report(
                "tlsHosts", "The local certificate authority issues no certificate for \(name), an AWS hostname.",
                hint: "Set 'awsNames' to true: the names of this project are served with an authority only for them.")
        }
        guard let omittedNames = servedAWSNames?.omittedNames, let first = omittedNames.first else { return }
        file.warn(
            "awsNames",
            "\(omittedNames.count) AWS hostnames are not served, \(first) first: there are at most "
                + "\(AWSNames.countMax).")
    }
}
