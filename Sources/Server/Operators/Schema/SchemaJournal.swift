import GraphQL
import JSON
import SchemaEdit
import Tables
import Transformer

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// What a deployment is about to do, on disk until it is done. A server that is killed in the middle leaves it behind; the next
/// start finds out by the tables whether the migration was committed, and writes the files that belong to them.
///
/// A deployment writes the files before it migrates, and removes the journal last, so that files and tables can only differ
/// while there is one.
struct SchemaJournal: Sendable {
    struct File: Sendable {
        let name: String
        let path: String
        /// Nil for a file that was not there.
        let old: String?
        let new: String
        /// Where a text is written before it takes the file's name: a start removes what a killed server has left there.
        var draft: String?

        /// Whether the file has one of its two texts: otherwise somebody has edited it since.
        var isUntouched: Bool {
            let bytes = try? Files.read(path)
            return bytes == old.map { Array($0.utf8) } || bytes == Array(new.utf8)
        }
    }

    let files: [File]
    /// The values that the migration writes to items that lack them.
    let fills: [ColumnFill]
    /// The record of the deployment, for a start that completes it.
    let record: JSONObject

    private static func path(_ dataFolder: String) -> String {
        "\(dataFolder)/\(SchemaDrafts.folderName)/deployment.journal"
    }

    func write(to dataFolder: String) throws(Files.Failure) {
        let object: JSONObject = [
            "files": .array(
                files.map { file in
                    [
                        "name": .string(file.name), "path": .string(file.path),
                        "old": file.old.map(JSONValue.string) ?? .null, "new": .string(file.new),
                        "draft": file.draft.map(JSONValue.string) ?? .null,
                    ]
                }),
            "fills": .array(fills.map { ["table": .string($0.table), "column": .string($0.column)] }),
            "record": .object(record),
        ]
        try Files.makePrivateFolder("\(dataFolder)/\(SchemaDrafts.folderName)")
        try Files.replacePrivately(Self.path(dataFolder), with: Array(JSONValue.object(object).description.utf8))
    }

    static func remove(from dataFolder: String) { Files.remove(path(dataFolder)) }

    /// Nil where there is none; a damaged one is none, because it was not whole when the server ended.
    private init?(in dataFolder: String) {
        guard let bytes = try? Files.read(Self.path(dataFolder)),
            let object = (try? JSONReader.read(bytes))?.objectValue
        else { return nil }
        var files: [File] = []
        for file in object["files"]?.arrayValue ?? [] {
            guard let name = file["name"]?.stringValue, let path = file["path"]?.stringValue,
                let new = file["new"]?.stringValue
            else { return nil }
            files.append(
                File(
                    name: name, path: path, old: file["old"]?.stringValue, new: new,
                    draft: file["draft"]?.stringValue))
        }
        fills = (object["fills"]?.arrayValue ?? []).map {
            ColumnFill(table: $0["table"]?.stringValue ?? "", column: $0["column"]?.stringValue ?? "", value: .null)
        }
        guard let record = object["record"]?.objectValue else { return nil }
        (self.files, self.record) = (files, record)
    }

    init(files: [File], fills: [ColumnFill], record: JSONObject) {
        self.files = files.map { file in
            var file = file
            file.draft = Files.freshPath(beside: Self.target(of: file.path))
            return file
        }
        (self.fills, self.record) = (fills, record)
    }

    // MARK: - Files

    /// Writes the new texts: each to a draft beside its file, which is on disk before it takes the file's name. A file that somebody
    /// has edited since stays as it is, and is a conflict.
    ///
    /// - Parameters:
    ///   - before: Called when a draft is whole, before its file is compared with its old text and replaced.
    ///   - after: Called when a file has its new text.
    func writeNew(
        before: () -> Void = {}, _ after: (File) throws(OperatorProblem) -> Void = { _ in }
    ) throws(OperatorProblem) {
        for file in files where file.new != file.old {
            try Self.write(file.new, to: file, before: before)
            try after(file)
        }
    }

    /// Writes the old texts, and removes files that were not there. A file that somebody has edited since stays as it is.
    func restoreOld() throws(OperatorProblem) {
        for file in files where file.new != file.old {
            guard (try? Files.read(file.path)) == Array(file.new.utf8) else { continue }
            if let old = file.old {
                try Self.write(old, to: file)
            } else {
                Files.remove(Self.target(of: file.path))
            }
        }
    }

    /// A link of a file's name is followed, so that it stays.
    private static func target(of path: String) -> String { Files.realPath(path) ?? path }

    private static func write(_ text: String, to file: File, before: () -> Void = {}) throws(OperatorProblem) {
        let target = target(of: file.path)
        do throws(Files.Failure) {
            try Files.write(
                text, to: target, isDurable: true, keepsPermissions: Files.exists(target), draft: file.draft
            ) {
                before()
                return file.isUntouched
            }
            Files.synchronizeFolder(Files.folder(of: target))
        } catch {
            guard error.code != ECANCELED else { throw SchemaService.filesChanged }
            throw OperatorProblem(code: .unavailable, message: "Cannot write \(file.path): \(error.reason).")
        }
    }

    /// Whether each file has one of its two texts.
    private var isUntouched: Bool { files.allSatisfy { $0.isUntouched } }

    /// Removes what a server that was killed has left of drafts.
    private func removeDrafts() {
        for file in files { if let draft = file.draft { Files.remove(draft) } }
    }

    // MARK: - After a server was killed

    /// Completes or undoes a deployment that was interrupted because its server was killed. Does nothing while another server has the
    /// folder: the journal is then that server's.
    ///
    /// The files that a server with throw-away data has left are settled as well.
    static func recover(_ configuration: Configuration, mode: Service.Mode, _ log: Log) {
        if mode == .dev { EphemeralFolder.removeAbandoned(in: EphemeralFolder.parentFolder) }
        guard !configuration.data.isEphemeral else { return }
        let dataFolder = configuration.data.folder
        guard Files.exists(path(dataFolder)) else { return }
        _ = LocalStore.withLock(of: dataFolder) { recoverLocked(configuration, mode, log) }
    }

    private static func recoverLocked(_ configuration: Configuration, _ mode: Service.Mode, _ log: Log) {
        let dataFolder = configuration.data.folder
        let found = SchemaJournal(in: dataFolder)
        found?.removeDrafts()
        guard let journal = found, journal.isUntouched else {
            log(
                .warning,
                "A deployment of a schema was interrupted, and its files were edited since. They stay as they are.")
            return remove(from: dataFolder)
        }
        let isCommitted: Bool
        do throws(StoreError) { isCommitted = try journal.isCommitted(configuration, mode) } catch {
            return log(
                .error,
                "A deployment of a schema was interrupted. It cannot be determined whether its tables were migrated, so its "
                    + "files stay as they are.",
                ["cause": error.message])
        }
        do throws(OperatorProblem) {
            if isCommitted {
                try journal.writeNew()
                SchemaDeployments(dataFolder: dataFolder).add(journal.record)
            } else {
                try journal.restoreOld()
            }
            remove(from: dataFolder)
            log(
                .notice,
                isCommitted
                    ? "An interrupted deployment of a schema was completed: its tables were migrated already."
                    : "An interrupted deployment of a schema was undone: its tables were not migrated yet.")
        } catch {
            log(.error, "An interrupted deployment of a schema could not be completed.", ["cause": error.message])
        }
    }

    /// Settles the files of a deployment by a server that was killed, whose data are gone: if not all of them have their new text,
    /// they get the old one. Where somebody has edited one since, they stay as they are.
    static func settleFiles(ofAbandoned dataFolder: String) {
        let found = SchemaJournal(in: dataFolder)
        found?.removeDrafts()
        guard let journal = found, journal.isUntouched,
            !journal.files.allSatisfy({ (try? Files.read($0.path)) == Array($0.new.utf8) })
        else { return }
        try? journal.restoreOld()
    }

    /// Whether nothing is left to do for the new schema: the migration is one transaction with the values that items get.
    private func isCommitted(_ configuration: Configuration, _ mode: Service.Mode) throws(StoreError) -> Bool {
        let text = SchemaText(files.map { SchemaFile(name: $0.name, text: $0.new) })
        guard let definition = SchemaReport(text, configuration, mode: mode).definition else {
            throw StoreError(.invalidRequest, "The deployed schema has errors in this configuration.")
        }
        guard let survey = try StoreSurvey(folder: configuration.data.folder) else { return false }
        let steps = try survey.plan(for: definition.tables)
        // Indexes that are no longer declared stay until the next start.
        guard steps.allSatisfy({ if case .dropIndex = $0.action { true } else { false } }) else { return false }
        guard !fills.isEmpty else { return true }
        return try !Misfit.find(definition, in: survey, renaming: []).contains { misfit in
            guard misfit.lackingItems > 0, let model = definition.model(named: misfit.model) else { return false }
            let table = definition.tables[definition.models[model].table]
            return fills.contains {
                $0.table == table.name
                    && table.position(of: misfit.field).map { table.columns[$0].name } == $0.column
            }
        }
    }
}
