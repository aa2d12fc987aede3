import HTTP
import SwiftASN1
import X509

extension TLSCertificates.Identity {
    private static let fileBytesMax = 1 << 20

    init(_ files: CertificateFiles) throws(ServerError) {
        func read(_ file: String) throws(ServerError) -> [UInt8] {
            do {
                return try Files.read(file, bytesMax: Self.fileBytesMax)
            } catch {
                throw ServerError(.invalid, "Cannot read \(file), which \(Setting.tls.flag) names: \(error.reason).")
            }
        }
        let (chain, key) = (try read(files.chain), try read(files.key))
        // What cannot be read as a certificate is refused by `TLSCertificates`, with the reason.
        let documents = (try? PEMDocument.parseMultiple(pemString: String(decoding: chain, as: UTF8.self))) ?? []
        let certificate = documents.first.flatMap { try? Certificate(pemDocument: $0) }
        self.init(
            hostNames: certificate.map { CertificateNames(of: $0).hostNames } ?? [], chainPEM: chain, keyPEM: key)
    }
}
