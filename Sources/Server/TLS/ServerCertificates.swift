#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif
import HTTP
import SwiftASN1
import Synchronization
import X509

/// The certificates of a running server: loaded at the start, again when their files change, and before they expire.
///
/// May be used from any thread.
final class ServerCertificates: Sendable {
    private struct State {
        var setting: TLSSetting
        var names: CertificateNames
        /// Where `auto` keeps its authority.
        var folder: CertificateFolder?
        var renewalDate: Date?
        /// How the authority is renewed.
        var renewCommand: String
        /// The authority's file as it was when it was put to use.
        var authorityView: Watcher.View = [:]
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
        /// Of `auto` alone.
        let contents: CertificateFolder.Contents?
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
            return .success(
                try load(setting, configuration.certificateNames, in: configuration.certificateFolder, now: now))
        } catch {
            return .failure(error)
        }
    }

    private static func load(
        _ setting: TLSSetting, _ names: CertificateNames, in folder: CertificateFolder?, now: Date
    ) throws(ServerError) -> Loaded? {
        switch setting {
        case .off: return nil
        case .files(let files): return Loaded(certificates: try TLSCertificates(files: files), contents: nil)
        case .auto:
            let contents = try CertificateFolder.prepare(folder, for: names, now: now)
            do {
                return Loaded(certificates: try contents.makeCertificates(), contents: contents)
            } catch {
                throw ServerError(.failed, "The certificate that was made cannot be used: \(error.message)")
            }
        }
    }

    /// Begins to serve what was loaded; nil when there is nothing. Data that is thrown away at exit without a user's
    /// folder beside it takes the authority along: `ephemeralFolder`.
    static func begin(
        _ setting: TLSSetting, _ configuration: Configuration, _ loaded: Loaded?, ephemeralFolder: String?,
        on server: HTTPServer, log: Log
    ) throws(ServerError) -> ServerCertificates? {
        guard let loaded else { return nil }
        let folder = configuration.certificateFolder ?? ephemeralFolder.map { CertificateFolder(path: "\($0)/tls") }
        let certificates = ServerCertificates(
            State(
                setting: setting, names: configuration.certificateNames, folder: folder,
                renewCommand: configuration.renewCommand), server: server, log: log)
        let names = configuration.certificateNames
        if let loaded = try certificates.keep(loaded, for: names, now: Date()) { certificates.use(loaded, for: names) }
        return certificates
    }

    /// Makes what `auto` needs, where it is kept, and nothing where it is there.
    static func make(_ configuration: Configuration, now: Date = Date()) throws(ServerError) {
        let folder = configuration.certificateFolder
        let contents = try CertificateFolder.prepare(folder, for: configuration.certificateNames, now: now)
        // False: another process made it.
        _ = try folder?.keep(contents)
        if !configuration.data.isEphemeral { PrivateFiles.secure(configuration.data.folder) }
    }

    /// The file of the authority that clients must trust; nil for certificates of one's own.
    var authorityFile: String? {
        state.withLock { $0.setting == .auto ? $0.folder?.authorityFile : nil }
    }

    /// Has `auto` serve these names once `change` has been made. All that can fail is done before the change; when
    /// either fails, the old certificates stay in use.
    func serve<Success: Sendable>(
        _ names: CertificateNames, after change: () throws(ServerError) -> Success
    ) throws(ServerError) -> Success {
        try reloading.withLock { _ throws(ServerError) in
            let isChanged = state.withLock { $0.setting == .auto && $0.names != names }
            let ready = isChanged ? try prepare(names) : nil
            let success = try change()
            if let ready { use(ready, for: names) }
            return success
        }
    }

    /// Reads the certificates again; whatever is wrong with them leaves the old ones in use.
    func reload(now: Date = Date()) throws(ServerError) {
        try reloading.withLock { _ throws(ServerError) in
            let names = state.withLock { $0.names }
            if let ready = try prepare(names, now: now) { use(ready, for: names) }
        }
    }

    /// Loads what is to be served for these names, and keeps what `auto` has made; nil when there is nothing.
    private func prepare(_ names: CertificateNames, now: Date = Date()) throws(ServerError) -> Loaded? {
        let (setting, folder) = state.withLock { ($0.setting, $0.folder) }
        guard let loaded = try Self.load(setting, names, in: folder, now: now) else { return nil }
        return try keep(loaded, for: names, now: now)
    }

    private func keep(_ loaded: Loaded, for names: CertificateNames, now: Date) throws(ServerError) -> Loaded? {
        guard let contents = loaded.contents, let folder = state.withLock({ $0.folder }), try !folder.keep(contents)
        else {
            return loaded
        }
        // Another process has made an authority first. It stays, so the second time is the last.
        guard let again = try Self.load(.auto, names, in: folder, now: now) else { return nil }
        if let contents = again.contents { _ = try folder.keep(contents) }
        return again
    }

    private func use(_ loaded: Loaded, for names: CertificateNames) {
        server.setTLS(loaded.certificates)
        let view = authorityView
        state.withLock { state in
            state.names = names
            state.renewalDate = loaded.contents?.leaf.renewalDate
            state.authorityView = view
        }
        if let contents = loaded.contents { report(contents) }
    }

    /// Logs what is wrong with an authority that is served nevertheless.
    private func report(_ contents: CertificateFolder.Contents) {
        let renew = state.withLock { $0.renewCommand }
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
    }

    // MARK: Watching

    /// How long to wait between two looks at the files.
    private static let lookMilliseconds = 1000
    /// How long to wait between two looks at the calendar.
    private static let renewalSeconds = 3600

    /// Loads files again that have changed, and renews what is about to expire, until the task is cancelled.
    func watch() async {
        switch state.withLock({ $0.setting }) {
        case .off: return
        case .auto:
            // What was renewed since the start counts as well.
            var watcher = Watcher(state.withLock { $0.authorityView })
            var milliseconds = 0
            while (try? await Task.sleep(for: .milliseconds(Self.lookMilliseconds))) != nil {
                let view = authorityView
                // One that was removed goes on to be served.
                if watcher.hasSettledChange(view), !view.isEmpty { reloadAndSay() }
                milliseconds += Self.lookMilliseconds
                guard milliseconds >= Self.renewalSeconds * 1000 else { continue }
                milliseconds = 0
                renewIfDue(now: Date())
            }
        case .files(let files):
            var watcher = Watcher(Watcher.view(of: files))
            while (try? await Task.sleep(for: .milliseconds(Self.lookMilliseconds))) != nil {
                if watcher.hasSettledChange(Watcher.view(of: files)) { reloadAndSay() }
            }
        }
    }

    /// The state of the authority, which 'syncline trust --renew' replaces.
    private var authorityView: Watcher.View {
        guard let file = authorityFile, let fingerprint = Files.fingerprint(file) else { return [:] }
        return [file: fingerprint]
    }

    /// Issues another certificate when the present one is about to expire; true when it was.
    @discardableResult
    func renewIfDue(now: Date) -> Bool {
        guard let date = state.withLock({ $0.renewalDate }), date <= now else { return false }
        return reloadAndSay(now: now)
    }

    /// Reads the certificates again and logs how it went.
    @discardableResult
    func reloadAndSay(now: Date = Date()) -> Bool {
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

extension TLSCertificates {
    /// Reads certificates of one's own; their names are in them.
    fileprivate init(files: [CertificateFiles]) throws(ServerError) {
        let identities = try files.map { files throws(ServerError) in try Identity(files) }
        do {
            try self.init(identities)
        } catch {
            let names = files.map { "\($0.chain) with \($0.key)" }.joined(separator: ", ")
            throw ServerError(.invalid, "Cannot serve TLS with \(names): \(error.message)")
        }
    }
}

extension TLSCertificates.Identity {
    private static let fileBytesMax = 1 << 20

    fileprivate init(_ files: CertificateFiles) throws(ServerError) {
        func read(_ file: String) throws(ServerError) -> [UInt8] {
            do {
                return try Files.read(file, bytesMax: Self.fileBytesMax)
            } catch {
                throw ServerError(.invalid, "Cannot read \(file), which \(Setting.tls.flag) names: \(error.reason).")
            }
        }
        let (chain, key) = (try read(files.chain), try read(files.key))
        // What cannot be read as a certificate is refused, with its reason, by the one who shows it.
        let documents = (try? PEMDocument.parseMultiple(pemString: String(decoding: chain, as: UTF8.self))) ?? []
        let certificate = documents.first.flatMap { try? Certificate(pemDocument: $0) }
        self.init(
            hostNames: certificate.map { CertificateNames(of: $0).hostNames } ?? [], chainPEM: chain, keyPEM: key)
    }
}

extension Watcher {
    /// The present state of certificates' files.
    static func view(of files: [CertificateFiles]) -> View {
        View(
            files.flatMap { [$0.chain, $0.key] }.compactMap { file in Files.fingerprint(file).map { (file, $0) } },
            uniquingKeysWith: { $1 })
    }
}

extension Configuration {
    /// The names that `auto` makes a certificate for.
    var certificateNames: CertificateNames {
        let isAll = ["0.0.0.0", "::", "[::]"].contains(address.host)
        return CertificateNames(machine: CertificateNames.machine, and: tls.hosts + (isAll ? [] : [address.host]))
    }

    /// How the authority is renewed.
    var renewCommand: String { "syncline trust --renew\(data.isEphemeral ? " --ephemeral" : "")" }

    /// Where `auto` keeps its authority: with the data or, where that is thrown away at exit, with what the user's
    /// programs keep, so that it need be trusted but once. Nil when there is no such place.
    var certificateFolder: CertificateFolder? {
        guard data.isEphemeral else { return CertificateFolder(path: "\(data.folder)/tls") }
        return (userFolder ?? UserFolder.path).map { CertificateFolder(path: "\($0)/tls") }
    }
}
