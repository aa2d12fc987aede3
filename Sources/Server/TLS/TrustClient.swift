/// A program or a system with its own store of trusted authorities.
public enum TrustClient: String, Sendable, CaseIterable {
    case iOSSimulator = "ios-simulator"
    case android
    case chrome
    case firefox
    case node
    case python
    case java

    /// The commands and steps by which it trusts an authority.
    ///
    /// - Parameters:
    ///   - file: The authority's certificate.
    ///   - name: What it is called among others.
    ///   - command: The command that has the system trust it.
    public func lines(file: String, name: String, command: String) -> [String] {
        let word = ShellWord.quoted(file)
        switch self {
        case .iOSSimulator:
            return ["xcrun simctl keychain booted add-root-cert \(word)"]
        case .android:
            return [
                "adb push \(word) /sdcard/Download/\(name).pem",
                "adb shell am start -a android.settings.SECURITY_SETTINGS",
                "# There: Encryption and credentials, Install a certificate, CA certificate, \(name).pem of Downloads.",
                "# The app has to trust what users add, by its network security configuration: docs/tls.md.",
            ]
        case .chrome:
            return [
                "# Linux, then restart Chrome:",
                "certutil -d sql:$HOME/.pki/nssdb -A -t C,, -n \(name) -i \(word)",
                "# macOS and Windows: Chrome trusts what the system trusts ('\(command)').",
            ]
        case .firefox:
            return [
                "# Settings, Privacy & Security, Certificates, View Certificates, Authorities, Import: \(file)",
                "# Or for a profile, while Firefox is closed:",
                "certutil -d sql:PROFILE -A -t C,, -n \(name) -i \(word)",
            ]
        case .node:
            return [
                "export NODE_EXTRA_CA_CERTS=\(word)",
                "# Beside its own authorities. It takes one file: join several with cat.",
            ]
        case .python:
            return [
                "# boto3 and the AWS CLI:", "export AWS_CA_BUNDLE=\(word)", "# requests:",
                "export REQUESTS_CA_BUNDLE=\(word)", "# ssl, aiohttp, httpx:", "export SSL_CERT_FILE=\(word)",
                "# Each replaces the usual authorities. For both, join the files with cat.",
            ]
        case .java:
            return [
                "keytool -importcert -noprompt -alias \(name) -file \(word) -storetype PKCS12 -keystore syncline.p12 "
                    + "-storepass changeit",
                "java -Djavax.net.ssl.trustStore=syncline.p12 -Djavax.net.ssl.trustStorePassword=changeit …",
            ]
        }
    }
}

extension Authority {
    /// The commands and steps by which a client trusts it.
    public func lines(for client: TrustClient) -> [String] {
        client.lines(file: file, name: name, command: kind.trustCommand)
    }
}
