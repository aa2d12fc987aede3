#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif
import HTTP
import Synchronization

/// The certificates of a running server: loaded at the start, again when their files change, and before they expire.
///
/// May be used from any thread.
final class ServerCertificates: Sendable {
    /// An authority that issues a certificate for the server, for which names, and where it is kept.
    struct Issuer: Sendable, Hashable {
        let kind: AuthorityKind
        let names: CertificateNames
        /// Nil where nothing lasts.
        let folder: CertificateFolder?
    }

    private struct State {
        let setting: TLSSetting
        let locations: CertificateLocations
        var issuers: [Issuer]
        /// What the authorities have issued that is served.
        var contents: [AuthorityKind: CertificateFolder.Contents] = [:]
        /// The files of the certificates as they were when these were put to use.
        var view: Watcher.View = [:]
        /// The options that a command needs for these authorities.
        let options: String
    }

    private let server: HTTPServer
    private let log: Log
    private let state: Mutex<State>
    /// Held while certificates are read and put to use: files change, names change and the calendar goes on at once, and
    /// what was read first must not be put to use last.
    private let reloading = Mutex(())

    /// What was loaded and not yet put to use.
    struct Loaded: Sendable {
        let certificates: TLSCertificates
        let issuers: [Issuer]
        /// Of each issuer.
        let contents: [AuthorityKind: CertificateFolder.Contents]
    }

    private init(_ state: sending State, server: HTTPServer, log: Log) {
        self.server = server
        self.log = log
        self.state = Mutex(state)
    }

    /// Loads without writing anything, so that it can be done before it is certain that the server starts.
    static func load(
        _ setting: TLSSetting, _ configuration: Configuration, now: Date = Date()
    ) -> Result<Loaded?, ServerError> {
        do throws(ServerError) {
            let issuers = configuration.issuers(of: setting, in: configuration.certificateLocations)
            return .success(try load(setting, issuers, now: now))
        } catch {
            return .failure(error)
        }
    }

    /// Loads what is to be served; nil when there is nothing.
    ///
    /// - Parameter inUse: What is served, if an authority for other names must not be replaced: another process has made
    ///   it, for a configuration that this server does not have.
    private static func load(
        _ setting: TLSSetting, _ issuers: [Issuer], now: Date, inUse: [AuthorityKind: CertificateFolder.Contents]? = nil
    ) throws(ServerError) -> Loaded? {
        guard setting != .off else { return nil }
        var identities: [TLSCertificates.Identity] = []
        let awsNames = issuers.first { $0.kind == .awsNames }?.names
        if case .files(let files) = setting {
            // A wildcard of a certificate of one's own never covers AWS hostnames: these are answered exactly or not at all.
            identities = try files.map { files throws(ServerError) in
                var identity = try TLSCertificates.Identity(files)
                if awsNames != nil { identity.hostNames.removeAll { $0.hasPrefix("*") && AWSNames.isAWS($0) } }
                return identity
            }
        }
        var contents: [AuthorityKind: CertificateFolder.Contents] = [:]
        for issuer in issuers {
            var made = try CertificateFolder.prepare(issuer.folder, issuer.kind, for: issuer.names, now: now)
            if made.replacesAuthority, let inUse = inUse?[issuer.kind] { made = try inUse.kept(now: now) }
            contents[issuer.kind] = made
            identities.append(made.identity)
        }
        do {
            let certificates = try TLSCertificates(identities, trackedDomains: AWSNames.domains.map(\.description))
            return Loaded(certificates: certificates, issuers: issuers, contents: contents)
        } catch {
            guard case .files(let files) = setting else {
                throw ServerError(.failed, "The certificate that was made cannot be used: \(error.message)")
            }
            let names = files.map { "\($0.chain) with \($0.key)" }.joined(separator: ", ")
            throw ServerError(.invalid, "Cannot serve TLS with \(names): \(error.message)")
        }
    }

    /// Begins to serve what was loaded; nil when there is nothing. Data that is thrown away at exit without a user's
    /// folder beside it takes the authorities along: `ephemeralFolder`.
    static func begin(
        _ setting: TLSSetting, _ configuration: Configuration, _ loaded: Loaded?, ephemeralFolder: String?,
        on server: HTTPServer, log: Log
    ) throws(ServerError) -> ServerCertificates? {
        guard let loaded else { return nil }
        var locations = configuration.certificateLocations
        if locations.base == nil { locations = CertificateLocations(base: ephemeralFolder, isShared: false) }
        let issuers = configuration.issuers(of: setting, in: locations)
        let certificates = ServerCertificates(
            State(
                setting: setting, locations: locations, issuers: issuers,
                options: configuration.authorityOptions), server: server, log: log)
        let own = Loaded(certificates: loaded.certificates, issuers: issuers, contents: loaded.contents)
        if let kept = try certificates.keep(own, now: Date()) { certificates.use(kept) }
        return certificates
    }

    /// Makes what an authority needs, where it is kept, and nothing where it is there.
    static func make(
        _ kind: AuthorityKind, _ configuration: Configuration, now: Date = Date()
    ) throws(ServerError) {
        guard let issuer = configuration.issuer(kind, in: configuration.certificateLocations) else { return }
        let contents = try CertificateFolder.prepare(issuer.folder, kind, for: issuer.names, now: now)
        // False: another process made it.
        _ = try issuer.folder?.keep(contents)
        if !configuration.data.isEphemeral { PrivateFiles.secure(configuration.data.folder) }
    }

    /// The file of an authority that clients must trust; nil where it issues no certificate that is served.
    func authorityFile(of kind: AuthorityKind) -> String? {
        state.withLock { state in state.issuers.first { $0.kind == kind }?.folder?.authorityFile }
    }

    /// Has the authorities serve the names of a changed configuration once `change` has been made. All that can fail is
    /// done before the change; when either fails, the old certificates stay in use.
    func serve<Success: Sendable>(
        _ configuration: Configuration, after change: () throws(ServerError) -> Success
    ) throws(ServerError) -> Success {
        try reloading.withLock { _ throws(ServerError) in
            let (setting, issuers, old) = state.withLock { state in
                (state.setting, configuration.issuers(of: state.setting, in: state.locations), state.issuers)
            }
            let ready = issuers != old ? try prepare(setting, issuers, now: Date(), mayReplace: true) : nil
            let success = try change()
            if let ready { use(ready) }
            return success
        }
    }

    /// Reads the certificates again; whatever is wrong with them leaves the old ones in use.
    func reload(now: Date = Date()) throws(ServerError) {
        try reloading.withLock { _ throws(ServerError) in
            let (setting, issuers) = state.withLock { ($0.setting, $0.issuers) }
            if let ready = try prepare(setting, issuers, now: now, mayReplace: false) { use(ready) }
        }
    }

    /// Loads what is to be served, and keeps what authorities have made; nil when there is nothing.
    private func prepare(
        _ setting: TLSSetting, _ issuers: [Issuer], now: Date, mayReplace: Bool
    ) throws(ServerError) -> Loaded? {
        let inUse = mayReplace ? nil : state.withLock { $0.contents }
        guard let loaded = try Self.load(setting, issuers, now: now, inUse: inUse) else { return nil }
        return try keep(loaded, now: now)
    }

    private func keep(_ loaded: Loaded, now: Date) throws(ServerError) -> Loaded? {
        guard try !Self.keep(loaded) else { return loaded }
        // Another process has made an authority first. It stays, so the second time is the last.
        let setting = state.withLock { $0.setting }
        guard let again = try Self.load(setting, loaded.issuers, now: now) else { return nil }
        _ = try Self.keep(again)
        return again
    }

    /// Writes what is new. False when another process has made an authority meanwhile.
    private static func keep(_ loaded: Loaded) throws(ServerError) -> Bool {
        var isKept = true
        for issuer in loaded.issuers {
            guard let folder = issuer.folder, let contents = loaded.contents[issuer.kind] else { continue }
            if try !folder.keep(contents) { isKept = false }
        }
        return isKept
    }

    private func use(_ loaded: Loaded) {
        server.setTLS(loaded.certificates)
        let (setting, old) = state.withLock { ($0.setting, $0.contents) }
        let view = Watcher.view(of: setting, loaded.issuers)
        state.withLock { state in
            state.issuers = loaded.issuers
            state.contents = loaded.contents
            state.view = view
        }
        for issuer in loaded.issuers {
            guard let contents = loaded.contents[issuer.kind] else { continue }
            report(contents, issuer, isOther: old[issuer.kind]?.authority.certificate != contents.authority.certificate)
        }
    }

    /// Logs what is wrong with an authority that is served nevertheless, and what clients must trust anew.
    private func report(_ contents: CertificateFolder.Contents, _ issuer: Issuer, isOther: Bool) {
        let options = state.withLock { $0.options }
        let renew = "\(issuer.kind.trustCommand) --renew\(options)"
        if contents.authority.constraints == nil {
            log(
                .warning,
                "The local certificate authority has no name constraints, because an older version made it: anyone with "
                    + "its key can pretend to be any site to those who trust it. '\(renew)' makes one that "
                    + "has them.")
        }
        if !contents.refusedNames.isEmpty {
            let names = contents.refusedNames.joined(separator: ", ")
            log(
                .warning,
                "The certificate is not for \(names): the local certificate authority was made without. '\(renew)' makes "
                    + "another for the present names.")
        }
        if issuer.kind == .awsNames, contents.isNewAuthority, isOther, let folder = issuer.folder {
            let why = contents.replacesAuthority ? ", because the names have changed; it replaces the old one" : ""
            log(
                .notice,
                "There is a new certificate authority for AWS hostnames\(why). Clients must trust it: "
                    + "'\(issuer.kind.trustCommand)\(options)' says how.",
                ["authority": Files.absolute(folder.authorityFile)])
        }
    }

    // MARK: Watching

    /// How long to wait between two looks at the files.
    private static let lookMilliseconds = 1000
    /// How long to wait between two looks at the calendar.
    private static let renewalSeconds = 3600

    /// Loads files again that have changed, and renews what is about to expire, until the task is cancelled.
    func watch() async {
        // What has changed since the certificates were put to use counts as well.
        var watcher = Watcher(state.withLock { $0.view })
        var milliseconds = 0
        while (try? await Task.sleep(for: .milliseconds(Self.lookMilliseconds))) != nil {
            let (setting, issuers, used) = state.withLock { ($0.setting, $0.issuers, $0.view) }
            let view = Watcher.view(of: setting, issuers)
            // What this server has changed itself is in use. An authority that was removed goes on to be served.
            if watcher.hasSettledChange(view), view != used,
                issuers.allSatisfy({ $0.folder.map { view[$0.authorityFile] != nil } ?? true })
            {
                reloadAndLog()
            }
            milliseconds += Self.lookMilliseconds
            guard milliseconds >= Self.renewalSeconds * 1000 else { continue }
            milliseconds = 0
            renewIfDue(now: Date())
        }
    }

    /// Issues another certificate when the present one is about to expire; true when it was.
    @discardableResult
    func renewIfDue(now: Date) -> Bool {
        let dates = state.withLock { state in state.contents.values.map(\.leaf.renewalDate) }
        guard let date = dates.min(), date <= now else { return false }
        return reloadAndLog(now: now)
    }

    /// Reads the certificates again and logs how it went.
    @discardableResult
    func reloadAndLog(now: Date = Date()) -> Bool {
        do throws(ServerError) {
            try reload(now: now)
            log(.info, "The certificates were read again; new connections are shown them.")
            return true
        } catch {
            log(.error, "The certificates are not replaced; the last good ones go on.\n\(error.text)")
            return false
        }
    }
}

extension CertificateFolder.Contents {
    /// The same authority, with another certificate when it is time; nothing is written.
    fileprivate func kept(now: Date) throws(ServerError) -> CertificateFolder.Contents {
        var leaf = leaf
        if leaf.renewalDate <= now {
            do {
                leaf = try authority.issue(for: CertificateNames(of: leaf.certificate), now: now)
            } catch {
                throw ServerError(.failed, "Cannot make a certificate: \(error).")
            }
        }
        return CertificateFolder.Contents(
            authority: authority, leaf: leaf, isNewAuthority: false, isNewLeaf: false, refusedNames: refusedNames)
    }
}
