import JSON
import SchemaEdit
import Synchronization
import Transformer

/// Answers calls about the schema of a running server. Used on the threads of the operators' calls, never on an event loop.
final class SchemaService: Sendable {
    enum Running: Sendable {
        case nothing, starting
        case job(String)
    }

    let mode: Service.Mode
    let dataFolder: String
    let drafts: SchemaDrafts
    let deployments: SchemaDeployments
    let diagram: DiagramPositions
    let lock: SchemaLock
    let log: Log
    /// The deployment that is under way.
    let running = Mutex(Running.nothing)
    /// What deploys; nil until the server has started.
    let serving = Mutex<SchemaServing?>(nil)
    /// Called after each step of a deployment, and after each file; tests make it throw.
    let hook = Mutex<(@Sendable (_ step: String) throws(OperatorProblem) -> Void)?>(nil)
    private let written = Mutex<Watcher.View>([:])
    private let lastTransform = LastTransform()
    /// What is served now; nil until the server has started.
    private let served: @Sendable () -> ServedSchema?
    /// Receives the hash of the deployed files and the number of the deployment.
    private let publish: @Sendable (JSONValue) -> Void

    init(
        mode: Service.Mode, dataFolder: String, lock: SchemaLock, log: Log,
        publish: @escaping @Sendable (JSONValue) -> Void = { _ in }, served: @escaping @Sendable () -> ServedSchema?
    ) {
        (self.mode, self.dataFolder, self.lock, self.log) = (mode, dataFolder, lock, log)
        (self.publish, self.served) = (publish, served)
        drafts = SchemaDrafts(dataFolder: dataFolder)
        deployments = SchemaDeployments(dataFolder: dataFolder)
        diagram = DiagramPositions(dataFolder: dataFolder)
    }

    var isDeploying: Bool { running.withLock { if case .nothing = $0 { false } else { true } } }

    func fault(_ step: String) throws(OperatorProblem) { try hook.withLock { $0 }?(step) }

    func changed(_ message: JSONValue) { publish(message) }

    /// Notes what is served from now on, and records the change of its files if that was made on disk.
    func noteServed(_ schema: ServedSchema, after change: SchemaFileChange?) {
        if let change { record(change) }
        if !schema.configuration.data.isEphemeral { deployments.noteServed(schema.text) }
    }

    private func record(_ change: SchemaFileChange) {
        let number = deployments.nextNumber
        let undone = deployments.undone(by: change.hash, over: change.base)
        guard deployments.add(change.record(number: number, undoing: undone)) else {
            return log(
                .warning, "A change of the schema's files could not be recorded.", ["deployment": "\(number)"])
        }
        changed(["hash": .string(change.hash), "deployment": .number(String(number))])
    }

    /// Notes files as they are now, for the watcher, which takes no notice of them then.
    func noteWritten(_ files: [SchemaJournal.File]) {
        written.withLock { written in
            for file in files { written[file.path] = Files.fingerprint(file.path) }
        }
    }

    /// The same of files that were looked at.
    func noteWritten(_ files: Watcher.View) { written.withLock { $0.merge(files) { $1 } } }

    func takeWrittenFiles() -> Watcher.View {
        written.withLock { written in
            defer { written = [:] }
            return written
        }
    }

    func servedSchema() throws(OperatorProblem) -> ServedSchema {
        guard let served = served() else { throw .notReady }
        return served
    }

    /// What is known of a text.
    func report(_ text: SchemaText) throws(OperatorProblem) -> SchemaReport {
        try Self.checkSize(text)
        return SchemaReport(text, try servedSchema().configuration, mode: mode, last: lastTransform)
    }

    /// Refuses a text that would keep a thread of the operators' calls busy for long.
    private static func checkSize(_ text: SchemaText) throws(OperatorProblem) {
        let counted: SchemaSize?
        do throws(EditRefusal) { counted = try SchemaSize(text.files) } catch { throw OperatorProblem(error) }
        guard let size = counted else { return }
        let bounds = [
            (size.definitionCount, SchemaLimits.checkedDefinitionsMax, "types"),
            (size.memberCount, SchemaLimits.checkedMembersMax, "fields"),
            (size.ruleCount, SchemaLimits.checkedRulesMax, "rules"),
            (size.ruledMemberCount, SchemaLimits.checkedRuledMembersMax, "rules times fields of their types"),
        ]
        for (count, bound, name) in bounds where count > bound {
            throw .tooLarge("A schema that is checked has at most \(bound) \(name), not \(count).", field: "files")
        }
    }

    // MARK: - Calls

    func describe() throws(OperatorProblem) -> JSONObject {
        let served = try servedSchema()
        let folder = SchemaFolder(served.configuration)
        let text = try folder.read()
        let paths = Dictionary(folder.entries.map { ($0.name, $0.path) }, uniquingKeysWith: { $1 })
        let reason = refusalOfDeployments(served.configuration) ?? SchemaFolder.encodingProblem(of: text)?.message
        var body: JSONObject = [
            "files": .array(
                text.files.map { file in
                    [
                        "name": .string(file.name), "path": .string(paths[file.name] ?? file.name),
                        "text": .string(file.text), "hash": .string(SchemaText([file]).hash),
                    ]
                }),
            "canDeploy": .bool(reason == nil), "reason": reason.map(JSONValue.string) ?? .null,
            "served": .bool(served.isMade(of: text)), "deployment": deployments.last ?? .null,
        ]
        let report = SchemaReport(text, served.configuration, mode: mode, last: lastTransform)
        for (name, value) in report.members { body[name] = value }
        return body
    }

    /// A deployment, and what undoes it; that is null if it is not the last one, if it has lost data, or if the files have changed
    /// since.
    func describeDeployment(_ number: Int) throws(OperatorProblem) -> JSONObject {
        guard var record = deployments[number] else {
            throw OperatorProblem(code: .notFound, message: "There is no deployment \(number).")
        }
        let current = try SchemaFolder(try servedSchema().configuration).read().hash
        record["undo"] = record["hash"]?.stringValue == current ? deployments.undo(of: record) : .null
        record["before"] = nil
        return record
    }

    /// Why nobody may deploy a schema, as a sentence; nil where owners may.
    func refusalOfDeployments(_ configuration: Configuration) -> String? {
        if let reason = SchemaFolder(configuration).reason { return reason }
        guard mode == .serve, !configuration.console.isDeploymentAllowed else { return nil }
        return "Schemas are deployed here only with \"console\": {\"deploy\": true} in the configuration."
    }

    func edit(_ request: JSONValue) throws(OperatorProblem) -> JSONObject {
        let configuration = try servedSchema().configuration
        _ = try SchemaFolder(configuration).readToChange()
        let version = SchemaReport.editVersion(configuration)
        let result: EditResult
        do throws(EditRefusal) {
            result = try EditRequest(json: request).result(version: version)
        } catch { throw OperatorProblem(error) }
        var body = JSONObject()
        for (name, value) in result.json.objectValue ?? [:] { body[name] = value }
        for (name, value) in try report(SchemaText(result.files)).members { body[name] = value }
        return body
    }

    /// Keeps a draft, or removes it if it changes nothing.
    func write(_ draft: SchemaDraft, of name: String) throws(OperatorProblem) -> OperatorAnswer {
        guard !draft.changesNothing else {
            drafts.remove(of: name)
            return try answer(draft: nil)
        }
        _ = try SchemaFolder(try servedSchema().configuration).readToChange()
        return try answer(draft: try drafts.write(draft, of: name))
    }

    /// A draft, or that there is none, and the hash of the files on disk.
    func answer(draft: JSONObject?) throws(OperatorProblem) -> OperatorAnswer {
        let current = try SchemaFolder(try servedSchema().configuration).read()
        return OperatorAnswer(
            body: .object(["draft": draft.map(JSONValue.object) ?? .null, "hash": .string(current.hash)]))
    }

    func merge(_ files: SchemaText, _ base: SchemaText) throws(OperatorProblem) -> JSONObject {
        let current = try SchemaFolder(try servedSchema().configuration).readToChange()
        let merged: SchemaText
        do throws(EditRefusal) {
            merged = SchemaText(try SchemaMerge.merge(files.files, of: base.files, into: current.files))
        } catch { throw OperatorProblem(error) }
        var body = try report(merged).members
        body["files"] = merged.json
        body["hash"] = .string(current.hash)
        return body
    }
}

extension OperatorProblem {
    /// A refusal of an edit.
    init(_ refusal: EditRefusal) {
        let code: Code =
            switch refusal.code {
            case .invalid: .invalid
            case .notFound: .notFound
            case .exists, .referenced, .notExact, .syntax, .conflict: .conflict
            case .limit: .tooLarge
            }
        self.init(code: code, message: refusal.message, hint: refusal.hint)
        var details: JSONObject = ["refusal": .string(refusal.code.rawValue)]
        details["place"] = refusal.json["place"]
        details["references"] = refusal.json["references"]
        self.details = details
    }
}
