import GraphQL
import JSON
import SchemaEdit
import Synchronization
import Tables
import Transformer

extension SchemaService {
    /// The steps of a deployment, in their order.
    static let steps = ["check", "backup", "write", "migrate", "verify", "switch"]

    func plan(
        _ text: SchemaText, _ renames: [SchemaRename]
    ) throws(OperatorProblem) -> (plan: SchemaPlan, report: SchemaReport, served: ServedSchema) {
        let served = try servedSchema()
        let folder = SchemaFolder(served.configuration)
        try folder.check(text)
        let before = try folder.readToChange()
        let report = try report(text)
        guard let definition = report.definition else {
            var problem = OperatorProblem.invalid("The schema has errors.", field: "files")
            problem.details = ["diagnostics": report.diagnosticsJSON]
            throw problem
        }
        let plan = try SchemaPlan(
            report, definition, renaming: renames, over: before, of: served, dataFolder: dataFolder)
        return (plan, report, served)
    }

    /// The answer to `POST /schema/plan`.
    func describePlan(_ text: SchemaText, _ renames: [SchemaRename]) throws(OperatorProblem) -> JSONObject {
        let (plan, report, served) = try self.plan(text, renames)
        var body = plan.json
        let reason = refusalOfDeployments(served.configuration)
        body["diff"] = plan.diffJSON
        body["diagnostics"] = report.diagnosticsJSON
        body["canDeploy"] = .bool(reason == nil && !plan.isImpossible)
        body["reason"] =
            (reason ?? (plan.isImpossible ? plan.steps.first { $0.risk == .impossible }?.hint : nil))
            .map(JSONValue.string) ?? .null
        return body
    }

    // MARK: - Deploy

    /// Checks everything that its caller can do something about, and starts the job.
    ///
    /// - Parameter enter: Enters the deployment in the audit log.
    func deploy(
        _ deployment: SchemaDeployment, by name: String, on jobs: Jobs,
        enter: (_ target: String) throws(OperatorProblem) -> Void
    ) throws(OperatorProblem) -> Job {
        guard let serving = self.serving.withLock({ $0 }) else { throw .notReady }
        if let reason = refusalOfDeployments(try servedSchema().configuration) {
            throw OperatorProblem(code: .forbidden, message: reason)
        }
        try claim(jobs)
        do throws(OperatorProblem) {
            let (plan, _, served) = try self.plan(deployment.files, deployment.renames)
            let fills = try check(deployment, plan, served)
            try enter("\(plan.base) to \(plan.text.hash)")
            let job = try jobs.start("schema.deploy", steps: Self.steps, by: name) {
                [self] job throws(OperatorProblem) in
                defer { release() }
                return try carryOut(plan, fills, deployment, served, serving, job)
            }
            running.withLock { $0 = .job(job.id) }
            // It may have ended before its id was noted.
            if job.phase != .running { release() }
            return job
        } catch {
            release()
            throw error
        }
    }

    private func claim(_ jobs: Jobs) throws(OperatorProblem) {
        let other = running.withLock { running -> Running? in
            guard case .nothing = running else { return running }
            running = .starting
            return nil
        }
        guard let other else { return }
        var problem = OperatorProblem(
            code: .conflict, message: "Another deployment is under way.", hint: "Wait for its end.")
        if case .job(let id) = other, let job = jobs[id] {
            problem.details = ["job": job.json]
        }
        throw problem
    }

    private func release() { running.withLock { $0 = .nothing } }

    /// Refuses a deployment of what its caller has not seen.
    /// - Returns: The values that items get.
    private func check(
        _ deployment: SchemaDeployment, _ plan: SchemaPlan, _ served: ServedSchema
    ) throws(OperatorProblem) -> [ColumnFill] {
        guard deployment.base == plan.base else {
            let current = try SchemaFolder(served.configuration).read()
            var problem = OperatorProblem(
                code: .conflict, message: "The schema's files have changed since.",
                hint: "Merge the changes, and plan again.")
            problem.details = [
                "hash": .string(current.hash), "files": current.json,
                "diff": SchemaPlan.json(SchemaDifference.unified(from: current.files, to: plan.text.files)),
            ]
            throw problem
        }
        try check(plan, seen: deployment)
        if let step = plan.steps.first(where: { $0.risk == .impossible }) {
            throw OperatorProblem(code: .conflict, message: step.sentence, hint: step.hint)
        }
        let fills = try self.fills(deployment.backfill, plan)
        let open = plan.stepsToAccept.filter { step in
            !step.isFilled(by: deployment.filledFields) && !deployment.accepted.contains(step.id)
        }
        guard open.isEmpty else {
            var problem = OperatorProblem(
                code: .needsConfirmation,
                message: "Some steps change or lose what is stored, or leave items without values.",
                hint: "Accept them, or give values.")
            problem.details = ["steps": .array(open.map(\.json))]
            throw problem
        }
        return fills
    }

    /// Refuses a plan that does other things, or loses more, than the one that the caller has seen.
    private func check(_ plan: SchemaPlan, seen deployment: SchemaDeployment) throws(OperatorProblem) {
        guard !plan.isCovered(by: deployment.planHash, filling: deployment.filledFields) else { return }
        var problem = OperatorProblem(
            code: .conflict, message: "The plan has changed.", hint: "Review the new plan, and deploy again.")
        problem.details = ["plan": .object(plan.json)]
        throw problem
    }

    /// The values of a body as those of columns, checked as an input of the API is.
    private func fills(_ values: JSONObject, _ plan: SchemaPlan) throws(OperatorProblem) -> [ColumnFill] {
        try values.map { name, value throws(OperatorProblem) in
            let parts = name.split(separator: ".").map(String.init)
            let definition = plan.definition
            guard parts.count == 2, let model = definition.model(named: parts[0]),
                let position = definition.tables[definition.models[model].table].position(of: parts[1]),
                let type = definition.schema.type(named: parts[0]),
                let field = definition.schema[type].fields?.fields.first(where: { $0.name == parts[1] })
            else { throw .invalid("'\(LogText.excerpt(name))' is not a stored field.", field: "backfill") }
            let table = definition.tables[definition.models[model].table]
            let column = table.columns[position]
            guard !table.key.columns.contains(position), field.type.element == nil,
                let stored = Self.value(value, column.type),
                Misfit.fits(stored, field, column.type, definition)
            else {
                throw .invalid(
                    "The value of \(name) is not a valid \(definition.schema.name(of: field.type)).", field: "backfill")
            }
            return ColumnFill(table: table.name, column: column.name, value: stored)
        }
    }

    private static func value(_ json: JSONValue, _ type: ColumnType) -> Value? {
        switch (type, json) {
        case (.text, .string(let text)): .text(text)
        case (.json, _) where !json.isNull: .text(json.description)
        case (.integer, .number): json.intValue.map(Value.integer)
        case (.real, .number): json.doubleValue.map(Value.real)
        case (.boolean, .bool(let flag)): .integer(flag ? 1 : 0)
        default: nil
        }
    }

    // MARK: - The job

    static let filesChanged = OperatorProblem(
        code: .conflict, message: "The schema's files have changed since.")

    private func carryOut(
        _ plan: SchemaPlan, _ fills: [ColumnFill], _ deployment: SchemaDeployment, _ served: ServedSchema,
        _ serving: SchemaServing, _ job: Job
    ) throws(OperatorProblem) -> JSONObject {
        let start = ContinuousClock.now
        let folder = SchemaFolder(served.configuration)
        let number = deployments.nextNumber
        let before = try job.step("check") { () throws(OperatorProblem) in
            let current = try folder.read()
            guard current.hash == plan.base else { throw Self.filesChanged }
            try checkSpace(plan)
            try fault("check")
            return current
        }
        if plan.isDestructive, !served.configuration.data.isEphemeral {
            try job.step("backup") { () throws(OperatorProblem) in
                try backUp(number)
                try fault("backup")
            }
        } else {
            job.skip("backup")
        }
        try job.check()
        let files = plan.text.files.map { file in
            var path = folder.path(of: file.name) ?? file.name
            // A server in another folder may find the journal of throw-away data.
            if served.configuration.data.isEphemeral { path = Files.absolute(path) }
            return SchemaJournal.File(
                name: file.name, path: path, old: Files.exists(path) ? before[file.name]?.text : nil, new: file.text)
        }
        var record: JSONObject = [
            "number": .number(String(number)), "at": .string(Moment.now.text), "by": .string(job.starter),
            "hash": .string(plan.text.hash), "summary": plan.summary, "reversible": .bool(!plan.isDestructive),
            "source": "console", "milliseconds": .null,
            "undoes": deployments.undone(by: plan.text.hash, over: plan.base).map { .number(String($0)) } ?? .null,
            "base": .string(plan.base), "before": before.json, "files": plan.text.json,
            "renames": .array(deployment.renames.map(\.json)), "plan": .object(plan.json), "diff": plan.diffJSON,
        ]
        let journal = SchemaJournal(files: files, fills: fills, record: record)
        return try lock.with { () throws(OperatorProblem) in
            do throws(OperatorProblem) {
                try job.step("write") { () throws(OperatorProblem) in
                    // A backup takes its time, and a reload may have come first.
                    guard try folder.read().hash == plan.base, deployments.nextNumber == number else {
                        throw Self.filesChanged
                    }
                    do throws(Files.Failure) { try journal.write(to: dataFolder) } catch {
                        throw OperatorProblem(
                            code: .unavailable, message: "Cannot write to the data folder: \(error.reason).")
                    }
                    try journal.writeNew(before: { _ = try? fault("draft") }) { _ throws(OperatorProblem) in
                        try fault("write")
                    }
                }
                noteWritten(files)
                // A reload during the backup may have changed the configuration, which is not undone.
                let prepared = try migrate(plan, fills, deployment, folder, try servedSchema(), serving, job)
                _ = try? fault("committed")
                try job.step("switch") { () throws(OperatorProblem) in
                    serving.serve(prepared)
                }
            } catch {
                do throws(OperatorProblem) {
                    try journal.restoreOld()
                    SchemaJournal.remove(from: dataFolder)
                } catch {
                    log(
                        .error, "The files of a deployment that failed could not be restored.", ["cause": error.message]
                    )
                }
                noteWritten(files)
                throw error
            }
            let milliseconds = start.duration(to: .now).milliseconds
            record["milliseconds"] = .number(String(milliseconds))
            if !deployments.add(record) {
                log(.warning, "A deployment could not be recorded.", ["deployment": "\(number)"])
            }
            SchemaJournal.remove(from: dataFolder)
            changed(["hash": .string(plan.text.hash), "deployment": .number(String(number))])
            log(.info, "A schema was deployed in \(milliseconds) ms.", ["operator": job.starter])
            return [
                "deployment": .number(String(number)), "milliseconds": .number(String(milliseconds)),
                "hash": .string(plan.text.hash), "pull": serving.pullCommand().map(JSONValue.string) ?? .null,
            ]
        }
    }

    /// Migrates and verifies in one transaction: if anything in it fails, the tables are as they were.
    private func migrate(
        _ plan: SchemaPlan, _ fills: [ColumnFill], _ deployment: SchemaDeployment, _ folder: SchemaFolder,
        _ served: ServedSchema, _ serving: SchemaServing, _ job: Job
    ) throws(OperatorProblem) -> PreparedAPI {
        let sources = plan.text.files.map { Source($0.bytes, name: folder.path(of: $0.name) ?? $0.name) }
        let failure = Mutex<OperatorProblem?>(nil)
        do throws(ServerError) {
            let definition = try served.configuration.read(for: mode)
                .loadDefinition(allowsClosedModels: mode == .dev, of: sources)
            job.begin("migrate")
            // The store knows its own errors alone.
            @Sendable func noted(_ body: () throws(OperatorProblem) -> Void) throws(StoreError) {
                do throws(OperatorProblem) { try body() } catch {
                    failure.withLock { $0 = error }
                    throw StoreError(.invalidRequest, error.message)
                }
            }
            var request = MigrationRequest(
                renames: plan.renames, effect: plan.effect, keepsIndexes: true, fills: fills,
                revokedTables: plan.revokedTables)
            request.beforeSteps = { [self] () throws(StoreError) in
                try noted { () throws(OperatorProblem) in
                    // Clients have written since the plan was checked; from here on until the commit they wait.
                    guard plan.mayGrow else { return }
                    do throws(OperatorProblem) {
                        try check(try plan.countedAgain(in: dataFolder), seen: deployment)
                    } catch {
                        var problem = error
                        problem.details?["step"] = "migrate"
                        throw problem
                    }
                }
            }
            request.beforeCommit = { [self] (verify: () throws(StoreError) -> Void) throws(StoreError) in
                try noted { () throws(OperatorProblem) in
                    try fault("migrate")
                    job.finish("migrate")
                    job.begin("verify")
                    do throws(StoreError) { try verify() } catch {
                        throw OperatorProblem(code: .unavailable, message: "A table cannot be read: \(error.message)")
                    }
                    try fault("verify")
                    job.finish("verify")
                    try fault("switch")
                }
            }
            return try serving.migrate(
                ServedSchema(configuration: served.configuration, definition: definition), request)
        } catch {
            job.failRunningStep()
            throw failure.withLock { $0 } ?? OperatorProblem(error)
        }
    }

    /// Refuses what would fill the disk: a copy of a table, and a backup, are as large as the database at most.
    private func checkSpace(_ plan: SchemaPlan) throws(OperatorProblem) {
        let isCopied = plan.steps.contains { $0.isWork }
        guard isCopied || plan.isDestructive else { return }
        let tables = "\(dataFolder)/tables.sqlite"
        let size = Files.fingerprint(tables)?.size ?? 0
        guard let free = Files.freeBytes(at: dataFolder), free < 2 * size + (16 << 20) else { return }
        throw OperatorProblem(
            code: .unavailable, message: "The disk of the data folder has only \(free >> 20) MiB of free space.",
            hint: "The deployment needs \((2 * size + (16 << 20)) >> 20) MiB for copies of the data.")
    }

    /// Copies the data. Older copies are removed once the new one is whole and on disk.
    private func backUp(_ number: Int) throws(OperatorProblem) {
        let folder = "\(dataFolder)/\(SchemaDrafts.folderName)/backups"
        do throws(Files.Failure) { try Files.makeFolder(folder) } catch {
            throw OperatorProblem(code: .unavailable, message: "Cannot make \(folder): \(error.reason).")
        }
        do throws(StoreError) {
            try LocalStore.backUp(folder: dataFolder, to: "\(folder)/\(number).sqlite", isOwn: true)
        } catch {
            throw OperatorProblem(
                code: .unavailable, message: "The data cannot be backed up: \(error.message)", hint: error.hint)
        }
        let names = ((try? Files.names(inFolder: folder)) ?? []).filter { $0.hasSuffix(".sqlite") }
            .sorted { (Int($0.dropLast(7)) ?? 0) < (Int($1.dropLast(7)) ?? 0) }
        for name in names.dropLast(SchemaLimits.backupsMax) { Files.remove("\(folder)/\(name)") }
    }
}
