extension Configuration {
    /// The options that 'syncline trust' needs for the authorities of this configuration, with a space before them.
    public var authorityOptions: String {
        if data.isEphemeral { return " --ephemeral" }
        return data.folder == DataLocation().folder ? "" : " \(Setting.data.flag) \(ShellWord.quoted(data.folder))"
    }

    /// The names that `auto` makes a certificate for. Those of AWS have an authority of their own.
    var certificateNames: CertificateNames {
        let hosts = [address.host] + address.listeners.map(\.host)
        let names = tls.hosts + hosts.filter { !["0.0.0.0", "::", "[::]"].contains($0) }
        return CertificateNames(machine: CertificateNames.machine, and: names.filter { !AWSNames.isAWS($0) })
    }

    /// Where the authorities are kept: with the data or, where that is thrown away at exit, in the user's folder, so that
    /// each must be trusted only once.
    var certificateLocations: CertificateLocations {
        data.isEphemeral
            ? CertificateLocations(base: userFolder ?? UserFolder.path, isShared: true)
            : CertificateLocations(base: data.folder, isShared: false)
    }

    /// Where an authority is kept; nil when there is no such place, and where the project has no AWS hostname.
    func certificateFolder(of kind: AuthorityKind) -> CertificateFolder? {
        issuer(kind, in: certificateLocations)?.folder
    }

    /// What issues the certificates that are served, the local authority first.
    func issuers(
        of setting: TLSSetting, in locations: CertificateLocations
    ) -> [ServerCertificates.Issuer] {
        guard setting != .off else { return [] }
        let local = setting == .auto ? issuer(.local, in: locations) : nil
        let aws = awsNameOptions.isOn ? issuer(.awsNames, in: locations) : nil
        return [local, aws].compactMap(\.self)
    }

    /// An authority for the present names; nil for that of AWS hostnames if the project has none: an authority
    /// without permitted names has no constraints.
    func issuer(_ kind: AuthorityKind, in locations: CertificateLocations) -> ServerCertificates.Issuer? {
        let names =
            switch kind {
            case .local: certificateNames
            case .awsNames: CertificateNames(awsNames.names)
            }
        guard !names.names.isEmpty else { return nil }
        return ServerCertificates.Issuer(kind: kind, names: names, folder: locations.folder(of: kind, for: names))
    }
}
