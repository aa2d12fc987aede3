import SwiftASN1
import X509

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// The host names and addresses that a certificate is valid for (RFC 5280 §4.2.1.6).
struct CertificateNames: Sendable, Hashable {
    let names: Set<GeneralName>

    /// Those by which a development machine is reached from itself and from the emulators that run on it, and more.
    /// What is no name is left out.
    init(machine: String, and more: [String]) {
        // 10.0.2.2 is what Android's emulator calls the machine it runs on ("Set up Android Emulator networking").
        let usual = ["localhost", "*.localhost", "127.0.0.1", "::1", "10.0.2.2", machine]
        // By this name, other devices in the network find the machine (RFC 6762 §3).
        let local = machine.contains(".") ? [] : ["\(machine).local"]
        names = Set((usual + local + more).compactMap(Self.generalName))
    }

    private init(_ names: Set<GeneralName>) { self.names = names }

    /// Those that an authority may issue a certificate for, and the host names among the others.
    func permitted(by constraints: AuthorityConstraints?) -> (names: CertificateNames, others: [String]) {
        guard let constraints else { return (self, []) }
        let permitted = names.filter(constraints.permits)
        return (CertificateNames(permitted), CertificateNames(names.subtracting(permitted)).hostNames)
    }

    /// These alone.
    init(_ texts: [String]) { names = Set(texts.compactMap(Self.generalName)) }

    /// Those of a certificate.
    init(of certificate: Certificate) {
        names = Set((try? certificate.extensions.subjectAlternativeNames) ?? SubjectAlternativeNames())
    }

    /// In an order that does not change.
    var sorted: [GeneralName] { names.sorted { "\($0)" < "\($1)" } }

    /// The host names, in lower case.
    var hostNames: [String] {
        sorted.compactMap { name in
            guard case .dnsName(let text) = name else { return nil }
            return text.lowercased()
        }
    }

    /// Whether a text is a host name, with or without a wildcard, or an address.
    static func isName(_ text: String) -> Bool { generalName(text) != nil }

    private static func generalName(_ text: String) -> GeneralName? {
        if let bytes = address(text, AF_INET, count: 4) ?? address(text, AF_INET6, count: 16) {
            return .ipAddress(ASN1OctetString(contentBytes: bytes[...]))
        }
        // RFC 1123 §2.1, and the underscore that some machines bear. A wildcard is the whole first label (RFC 6125).
        let labels = (text.hasPrefix("*.") ? text.dropFirst(2) : text[...]).split(
            separator: ".", omittingEmptySubsequences: false)
        let isName = labels.allSatisfy { label in
            (1...63).contains(label.utf8.count) && label.first != "-" && label.last != "-"
                && label.utf8.allSatisfy { byte in
                    switch byte {
                    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
                        true
                    default: false
                    }
                }
        }
        // Figures alone are an address that is none.
        let isNumber = text.utf8.allSatisfy { !(UInt8(ascii: "A")...UInt8(ascii: "z")).contains($0) }
        return isName && !isNumber && text.utf8.count <= 253 ? .dnsName(text.lowercased()) : nil
    }

    private static func address(_ text: String, _ family: Int32, count: Int) -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: count)
        return unsafe inet_pton(family, text, &bytes) == 1 ? bytes : nil
    }

    /// What this machine calls itself.
    static var machine: String {
        var bytes = [CChar](repeating: 0, count: 256)
        guard unsafe gethostname(&bytes, bytes.count - 1) == 0 else { return "localhost" }
        return String(decoding: bytes.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }
}
