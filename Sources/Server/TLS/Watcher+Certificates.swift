extension Watcher {
    /// The present state of the files of certificates and authorities. 'syncline trust --renew' replaces the latter.
    static func view(of setting: TLSSetting, _ issuers: [ServerCertificates.Issuer]) -> View {
        var names = issuers.compactMap { $0.folder?.authorityFile }
        if case .files(let files) = setting { names += files.flatMap { [$0.chain, $0.key] } }
        return View(
            names.compactMap { file in Files.fingerprint(file).map { (file, $0) } }, uniquingKeysWith: { $1 })
    }
}
