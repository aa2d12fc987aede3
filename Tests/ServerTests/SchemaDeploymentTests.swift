import Foundation
import JSON
import Synchronization
import Tables
import Testing
import Transformer

@testable import Server

@Suite("Plans and deployments of a schema")
struct SchemaDeploymentTests {
    static let schema = """
        type Room @model @auth(rules: [{allow: public}]) {
          id: ID!
          name: String!
          stars: String
          note: String
        }

        """

    func files(_ text: String) -> JSONValue { ["schema.graphql": .string(text)] }

    /// Waits until a job has ended.
    func ended(_ answer: JSONValue, _ stage: OperatorStage) async throws -> JSONValue {
        let id = try #require(answer["job"]?["id"]?.stringValue, "\(answer)")
        let deadline = ContinuousClock.now + .seconds(60)
        while ContinuousClock.now < deadline {
            let job = try stage.ask("GET", "/jobs/\(id)", as: .viewer).value
            if job["state"] != "running" { return job }
            try await Task.sleep(for: .milliseconds(5))
        }
        throw Timeout()
    }

    struct Timeout: Error {}

    /// The body of a deployment, by the plan of its files.
    func deployment(
        of text: String, _ stage: OperatorStage, _ more: JSONObject = [:]
    ) throws -> (plan: JSONValue, body: JSONObject) {
        var body: JSONObject = ["files": files(text)]
        for (name, value) in more where name == "renames" { body[name] = value }
        let plan = try stage.ask("POST", "/schema/plan", .object(body))
        try #require(plan.status == 200, "\(plan.value)")
        body["base"] = plan.value["base"]
        body["planHash"] = plan.value["planHash"]
        for (name, value) in more { body[name] = value }
        return (plan.value, body)
    }

    func deploy(
        _ text: String, _ stage: OperatorStage, _ more: JSONObject = [:]
    ) async throws -> JSONValue {
        let body = try deployment(of: text, stage, more).body
        return try await ended(try stage.ask("POST", "/schema/deploy", .object(body)).value, stage)
    }

    func text(_ stage: OperatorStage) throws -> String {
        try String(contentsOf: URL(filePath: stage.server.configuration.schema.paths[0]), encoding: .utf8)
    }

    func query(_ document: String, _ stage: OperatorStage) throws -> JSONValue {
        try stage.ask("POST", "/graphql", ["query": .string(document)]).value
    }

    @Test(
        "a plan has the steps, what changes for apps, and the lines, and a deployment carries them out and is recorded")
    func additive() async throws {
        try await OperatorStage.with(schema: Self.schema) { stage in
            _ = try stage.ask("POST", "/data/Room/items", #"{"id":"a","name":"Sea"}"#.json)
            let new =
                Self.schema.replacing("note: String", with: "note: String\n  price: Int")
                + "type Review @model @auth(rules: [{allow: public}]) { id: ID! text: String }\n"
            let (plan, body) = try deployment(of: new, stage)
            let steps = plan["steps"]?.arrayValue?.map {
                "\($0["kind"]?.stringValue ?? "") \($0["model"]?.stringValue ?? "")"
            }
            #expect(steps == ["addColumn Room", "createTable Review"], "\(plan)")
            #expect(plan["summary"]?["additive"] == 2 && plan["summary"]?["destructive"] == 0)
            #expect(plan["clients"]?["compatible"] == true && plan["canDeploy"] == true)
            #expect(plan["api"]?["added"]?.arrayValue?.contains("Mutation.createReview") == true)
            #expect(plan["diff"]?.arrayValue?.first?["text"]?.stringValue?.contains("+  price: Int") == true)
            #expect(try text(stage) == Self.schema, "a plan changes nothing")

            let started = try stage.ask("POST", "/schema/deploy", .object(body))
            #expect(started.status == 202)
            let job = try await ended(started.value, stage)
            #expect(job["state"] == "done", "\(job)")
            let states = job["steps"]?.arrayValue?.map {
                "\($0["name"]?.stringValue ?? "") \($0["state"]?.stringValue ?? "")"
            }
            #expect(
                states == ["check done", "backup skipped", "write done", "migrate done", "verify done", "switch done"])
            #expect(job["result"]?["deployment"] == 1)
            #expect(job["result"]?["pull"]?.stringValue?.contains("syncline pull") == true)
            #expect(try text(stage) == new)
            let made = try query("mutation { createReview(input: {text: \"Fine\"}) { text } }", stage)
            #expect(made["data"]?["createReview"]?["text"] == "Fine", "\(made)")
            #expect(try query("{ getRoom(id: \"a\") { name price } }", stage)["data"]?["getRoom"]?["name"] == "Sea")
            let schema = try stage.ask("GET", "/schema", as: .viewer).value
            #expect(schema["served"] == true && schema["deployment"]?["number"] == 1)
            let list = try stage.ask("GET", "/schema/deployments", as: .viewer).value["items"]?.arrayValue
            #expect(list?.count == 1 && list?[0]["by"] == "owner" && list?[0]["files"] == nil)
            let record = try stage.ask("GET", "/schema/deployments/1", as: .viewer).value
            #expect(record["files"] == files(new) && record["diff"] == plan["diff"])
            #expect(try stage.ask("GET", "/schema/deployments/2", as: .viewer).status == 404)
            let actions = try stage.ask("GET", "/audit").value["items"]?.arrayValue?.map { $0["action"]?.stringValue }
            #expect(actions?.contains("schema.deploy") == true)
            let view = stage.server.service.takeDeployedFiles()
            #expect(view.keys.sorted() == stage.server.configuration.schema.paths)
            #expect(!stage.server.service.isDeploying)
            let folder = "\(stage.server.configuration.data.folder)/\(SchemaDrafts.folderName)"
            #expect(!Files.exists("\(folder)/deployment.journal"))
        }
    }

    @Test("a deployment is one message of the live channel, with its hash and number")
    func liveMessage() async throws {
        try await OperatorStage.with(schema: Self.schema) { stage in
            let socket = try WebSocketClient(
                port: stage.server.port, "/operators/v1/live",
                headers: [
                    "Host": "127.0.0.1:\(stage.server.port)", "Sec-WebSocket-Protocol": "syncline.live.v1",
                    "Authorization": "Bearer \(stage.tokens[.viewer] ?? "")",
                ])
            _ = try socket.ask(#"{"follow":["schema"]}"#)
            let job = try await deploy(Self.schema.replacing("note: String", with: "note: String\n  price: Int"), stage)
            #expect(job["state"] == "done", "\(job)")
            let message = try JSONReader.read(socket.receive())
            #expect(message["topic"] == "schema")
            let hash = try #require(job["result"]?["hash"])
            #expect(message["data"] == ["hash": hash, "deployment": 1])
            #expect(try socket.ask(#"{"follow":[]}"#).hasPrefix(#"{"following":[],"#), "there is no other message")
        }
    }

    @Test("a job that is refused because too many run has a second entry in the audit log")
    func refusedJobs() async throws {
        try await OperatorStage.with(schema: Self.schema) { stage in
            let body = try deployment(of: Self.schema + "# more\n", stage).body
            for _ in 0..<JobLimits.runningMax {
                _ = try stage.server.service.state.jobs.start("test.wait", by: "ada") { job throws(OperatorProblem) in
                    while true {
                        try job.check()
                        Thread.sleep(forTimeInterval: 0.001)
                    }
                }
            }
            func isLimited(_ path: String, _ body: JSONValue) throws -> Bool {
                let answer = try stage.ask("POST", path, body)
                return answer.status == 429 && answer.value["error"]?["code"] == "limited"
            }
            #expect(try isLimited("/data/Room/delete", ["keys": [["a"]]]))
            #expect(try isLimited("/data/Room/delete", ["filter": ["name": ["eq": "x"]], "expectCount": 0]))
            #expect(try isLimited("/data/Room/generate", ["count": 1]))
            let file = "id,name\r\na,Sea\r\n"
            for query in ["", "?dryRun=true"] {
                let answer = try stage.send("POST", "/data/Room/import\(query)", type: "text/csv", body: file)
                #expect(answer.status == 429, "\(answer.body)")
            }
            #expect(try isLimited("/schema/deploy", .object(body)))
            #expect(!stage.server.service.isDeploying)
            let actions = try stage.ask("GET", "/audit").value["items"]?.arrayValue?.compactMap {
                $0["action"]?.stringValue
            }
            let names = ["data.delete", "data.delete", "data.generate", "data.import", "schema.deploy"]
            #expect(actions == names.flatMap { [$0, "\($0).failed"] })
        }
    }

    @Test("what was not planned, accepted or is out of date is refused, and nothing is changed")
    func refusals() async throws {
        try await OperatorStage.with(schema: Self.schema) { stage in
            _ = try stage.ask("POST", "/data/Room/items", #"{"id":"a","name":"Sea","stars":"many"}"#.json)
            let bad = try stage.ask(
                "POST", "/schema/plan", ["files": files(Self.schema + "type A @model { b: Nothing }")])
            #expect(bad.status == 422 && bad.value["error"]?["details"]?["diagnostics"]?.arrayValue?.isEmpty == false)
            for names: JSONValue in [["other.graphql": "type A @model { id: ID! }"], [:]] {
                #expect(try stage.ask("POST", "/schema/plan", ["files": names]).status == 422)
            }
            for role in [OperatorRole.viewer, .editor] {
                #expect(try stage.ask("POST", "/schema/plan", as: role, ["files": files(Self.schema)]).status == 403)
                #expect(try stage.ask("POST", "/schema/deploy", as: role, ["files": files(Self.schema)]).status == 403)
            }
            let new = Self.schema.replacing("stars: String", with: "stars: Int")
            let (plan, body) = try deployment(of: new, stage)
            let step = try #require(plan["steps"]?.arrayValue?.first)
            #expect(step["risk"] == "destructive" && step["lostValues"] == 1 && plan["reversible"] == false, "\(plan)")
            #expect(plan["clients"]?["compatible"] == false)
            let unaccepted = try stage.ask("POST", "/schema/deploy", .object(body))
            #expect(unaccepted.status == 409 && unaccepted.value["error"]?["code"] == "needs_confirmation")
            #expect(unaccepted.value["error"]?["details"]?["steps"]?.arrayValue?.first?["id"] == step["id"])
            var other = body
            other["planHash"] = "0000000000000000"
            let replanned = try stage.ask("POST", "/schema/deploy", .object(other))
            #expect(replanned.status == 409 && replanned.value["error"]?["details"]?["plan"] != nil)
            try Data((Self.schema + "# theirs\n").utf8).write(
                to: URL(filePath: stage.server.configuration.schema.paths[0]))
            var accepted = body
            accepted["accept"] = .array([try #require(step["id"])])
            let changed = try stage.ask("POST", "/schema/deploy", .object(accepted))
            #expect(changed.status == 409 && changed.value["error"]?["details"]?["diff"]?.arrayValue?.count == 1)
            #expect(try text(stage) == Self.schema + "# theirs\n")
            #expect(try stage.ask("GET", "/jobs").value["items"] == [], "no job was begun")
            #expect(!stage.server.service.isDeploying)
            let job = try await deploy(new, stage, ["accept": .array([try #require(step["id"])])])
            #expect(job["state"] == "done", "\(job)")
            #expect(job["steps"]?.element("backup")?["state"] == "done")
            let folder = "\(stage.server.configuration.data.folder)/\(SchemaDrafts.folderName)"
            let backups = try Files.names(inFolder: "\(folder)/backups")
            #expect(backups == ["1.sqlite"])
            #expect(try query("{ getRoom(id: \"a\") { stars } }", stage)["data"]?["getRoom"] == ["stars": .null])
        }
        try await OperatorStage.with(schema: Self.schema, mode: .serve) {
            $0.console.isEnabled = true
        } _: { stage in
            let (plan, body) = try deployment(of: Self.schema + "# more\n", stage)
            #expect(plan["canDeploy"] == false && plan["reason"]?.stringValue?.contains("deploy") == true)
            let refused = try stage.ask("POST", "/schema/deploy", .object(body))
            #expect(refused.status == 403 && refused.value["error"]?["message"] == plan["reason"])
        }
    }

    @Test("items that lack a newly required value get the given one, and renames keep values")
    func values() async throws {
        try await OperatorStage.with(schema: Self.schema) { stage in
            for id in ["a", "b"] {
                _ = try stage.ask(
                    "POST", "/data/Room/items", ["id": .string(id), "name": "Sea", "note": id == "a" ? "n" : .null])
            }
            let required = Self.schema.replacing("note: String", with: "note: String!\n  beds: Int!")
            let plan = try deployment(of: required, stage).plan
            let needs = plan["steps"]?.arrayValue?.filter { $0["risk"] == "needsValues" } ?? []
            #expect(
                needs.map { "\($0["field"]?.stringValue ?? "") \($0["items"]?.intValue ?? 0)" } == ["note 1", "beds 2"])
            for wrong: JSONValue in [["Room.beds": "two"], ["Room.none": 1], ["Room.id": "x"], ["Room.beds": .null]] {
                let body = try deployment(of: required, stage, ["backfill": wrong]).body
                #expect(try stage.ask("POST", "/schema/deploy", .object(body)).status == 422, "\(wrong)")
            }
            let job = try await deploy(required, stage, ["backfill": ["Room.beds": 2, "Room.note": ""]])
            #expect(job["state"] == "done", "\(job)")
            let rooms = try query("{ listRooms { items { id note beds } } }", stage)["data"]?["listRooms"]?["items"]
            #expect(rooms == [["id": "a", "note": "n", "beds": 2], ["id": "b", "note": "", "beds": 2]])
            let renamed = required.replacing("beds:", with: "places:")
            let renames: JSONValue = [
                ["type": "Room", "field": "beds", "to": "sleeps"], ["type": "Room", "field": "sleeps", "to": "places"],
                ["type": "Room", "field": "never", "to": "note"],
            ]
            let moved = try await deploy(renamed, stage, ["renames": renames])
            #expect(moved["state"] == "done", "\(moved)")
            let after = try query("{ getRoom(id: \"a\") { places } }", stage)
            #expect(after["data"]?["getRoom"]?["places"] == 2, "\(after)")
        }
    }

    /// Fails at a step.
    struct Fault: Error {}

    @Test(
        "if a step fails, files and tables are as before, and the old API has answered all the while",
        arguments: ["check", "backup", "write", "migrate", "verify", "switch"])
    func faults(_ step: String) async throws {
        try await OperatorStage.with(schema: Self.schema) { stage in
            _ = try stage.ask("POST", "/data/Room/items", #"{"id":"a","name":"Sea","stars":"many"}"#.json)
            let folder = stage.server.configuration.data.folder
            let before = try StoreSurvey(folder: folder)?.storedNames
            let schema = try #require(stage.server.service.state.schemaService.withLock { $0 })
            let answers = Mutex(0)
            let port = stage.server.port
            schema.hook.withLock {
                $0 = { name throws(OperatorProblem) in
                    guard name == step else { return }
                    // Another connection is answered in the middle of the deployment.
                    let client = try? Client(port: port)
                    let answer = try? client?.ask(
                        "POST", "/graphql", body: #"{"query":"{ getRoom(id: \"a\") { stars } }"}"#)
                    if answer?.body == #"{"data":{"getRoom":{"stars":"many"}}}"# { answers.withLock { $0 += 1 } }
                    throw OperatorProblem(code: .internal, message: "Injected.")
                }
            }
            let new = Self.schema.replacing("stars: String", with: "stars: Int\n  price: Int")
            let more: JSONObject = ["accept": ["s1", "s2", "s3"]]
            let job = try await deploy(new, stage, more)
            #expect(job["state"] == "failed" && job["error"]?["message"] == "Injected.", "\(job)")
            let failed = job["steps"]?.arrayValue?.filter { $0["state"] == "failed" }.map { $0["name"]?.stringValue }
            #expect(failed == [step] || step == "switch", "\(job)")
            #expect(answers.withLock { $0 } == 1, "the old API answers")
            #expect(try text(stage) == Self.schema)
            #expect(try StoreSurvey(folder: folder)?.storedNames == before)
            #expect(try query("{ getRoom(id: \"a\") { stars } }", stage)["data"]?["getRoom"] == ["stars": "many"])
            #expect(!Files.exists("\(folder)/\(SchemaDrafts.folderName)/deployment.journal"))
            #expect(try stage.ask("GET", "/schema/deployments").value["items"] == [])
            #expect(try stage.ask("GET", "/schema").value["served"] == true && !stage.server.service.isDeploying)
            schema.hook.withLock { $0 = nil }
            #expect(try await deploy(new, stage, more)["state"] == "done", "the next one succeeds")
        }
    }

    @Test("older copies of the data are removed once a new one is whole")
    func backups() async throws {
        try await OperatorStage.with(schema: Self.schema) { stage in
            let folder = "\(stage.server.configuration.data.folder)/\(SchemaDrafts.folderName)"
            try Files.makeFolder("\(folder)/backups/4.sqlite.partial/in-the-way")
            for number in 1...3 { try Files.write("old", to: "\(folder)/backups/\(number).sqlite") }
            #expect(SchemaDeployments(dataFolder: stage.server.configuration.data.folder).add(["number": 3]))
            _ = try stage.ask("POST", "/data/Room/items", #"{"id":"a","name":"Sea","stars":"many"}"#.json)
            let new = Self.schema.replacing("stars: String", with: "stars: Int")
            let failed = try await deploy(new, stage, ["accept": ["s1"]])
            #expect(failed["state"] == "failed" && failed["error"]?["details"]?["step"] == "backup", "\(failed)")
            func copies() throws -> [String] {
                try Files.names(inFolder: "\(folder)/backups").filter { $0.hasSuffix(".sqlite") }.sorted()
            }
            #expect(try copies() == ["1.sqlite", "2.sqlite", "3.sqlite"])
            Files.removeFolder("\(folder)/backups/4.sqlite.partial")
            #expect(try await deploy(new, stage, ["accept": ["s1"]])["state"] == "done")
            #expect(try copies() == ["2.sqlite", "3.sqlite", "4.sqlite"])
        }
    }

    @Test("the last deployment has what undoes it, and one that undoes another names it")
    func undo() async throws {
        try await OperatorStage.with(schema: Self.schema) { stage in
            let made = try stage.ask("POST", "/data/Room/items", #"{"id":"a","name":"Sea","note":"n"}"#.json)
            #expect(made.status == 201)
            let renamed = Self.schema.replacing("note: String", with: "remark: String")
            let rename: JSONValue = [["type": "Room", "field": "note", "to": "remark"]]
            #expect(try await deploy(renamed, stage, ["renames": rename])["result"]?["deployment"] == 1)
            let first = try stage.ask("GET", "/schema/deployments/1", as: .viewer).value
            #expect(first["undoes"] == .null && first["before"] == nil)
            let undo = try #require(first["undo"])
            #expect(undo["files"] == files(Self.schema))
            #expect(undo["renames"] == [["type": "Room", "field": "remark", "to": "note"]])
            let text = try #require(undo["files"]?["schema.graphql"]?.stringValue)
            let job = try await deploy(text, stage, ["renames": try #require(undo["renames"])])
            #expect(job["state"] == "done", "\(job)")
            #expect(try query("{ getRoom(id: \"a\") { note } }", stage)["data"]?["getRoom"] == ["note": "n"])
            func undone() throws -> [JSONValue?] {
                let list = try stage.ask("GET", "/schema/deployments").value["items"]?.arrayValue ?? []
                #expect(list.allSatisfy { $0["before"] == nil && $0["base"] == nil })
                return list.map { $0["undoes"] }
            }
            #expect(try undone() == [1, .null])
            #expect(try stage.ask("GET", "/schema/deployments/1").value["undo"] == .null, "it is not the last one")
            // The second one is undone, by the same files as those of the first.
            #expect(try await deploy(renamed, stage, ["renames": rename])["state"] == "done")
            #expect(try undone() == [2, 1, .null])
            #expect(try await deploy(renamed + "# more\n", stage)["state"] == "done")
            #expect(try undone() == [.null, 2, 1, .null])
            try Data((renamed + "# theirs\n").utf8).write(
                to: URL(filePath: stage.server.configuration.schema.paths[0]))
            #expect(try stage.ask("GET", "/schema/deployments/4").value["undo"] == .null, "the files have changed")
        }
    }

    @Test("a second deployment is refused with the one that is under way")
    func concurrent() async throws {
        try await OperatorStage.with(schema: Self.schema) { stage in
            let schema = try #require(stage.server.service.state.schemaService.withLock { $0 })
            let isReleased = Atomic(false)
            schema.hook.withLock {
                $0 = { name throws(OperatorProblem) in
                    while name == "check", !isReleased.load(ordering: .relaxed) {}
                }
            }
            let body = try deployment(of: Self.schema + "# one\n", stage).body
            let first = try stage.ask("POST", "/schema/deploy", .object(body))
            #expect(first.status == 202 && stage.server.service.isDeploying)
            let second = try stage.ask("POST", "/schema/deploy", .object(body))
            #expect(second.status == 409)
            #expect(second.value["error"]?["details"]?["job"]?["id"] == first.value["job"]?["id"])
            isReleased.store(true, ordering: .relaxed)
            #expect(try await ended(first.value, stage)["state"] == "done")
        }
    }

    @Test("a start after a crash completes a deployment whose tables were migrated, and undoes one whose were not")
    func recovery() async throws {
        for (isMigrated, isWritten) in [(false, false), (false, true), (true, true)] {
            let folder = try TemporaryFolder()
            defer { folder.remove() }
            var configuration = Configuration()
            try folder.write(Self.schema, to: "schema.graphql")
            let path = folder.path("schema.graphql")
            configuration.schema.paths = [path]
            (configuration.data.isEphemeral, configuration.data.folder) = (false, folder.path("data"))
            let new = Self.schema.replacing("note: String", with: "note: String\n  price: Int!")
            func migrate(_ definition: Configuration) throws {
                let store = try LocalStore.open(folder: configuration.data.folder, options: .init(durability: .off))
                defer { store.close() }
                _ = try store.carryOutMigration(
                    to: try definition.loadDefinition().tables, renaming: [], allowing: .none, keepsIndexes: true)
            }
            try migrate(configuration)
            let table = try configuration.loadDefinition().tables[0].name
            let journal = SchemaJournal(
                files: [.init(name: "schema.graphql", path: path, old: Self.schema, new: new)],
                fills: [ColumnFill(table: table, column: "price", value: .integer(1))],
                record: ["number": 1, "by": "ada"])
            try journal.write(to: configuration.data.folder)
            if isWritten { try journal.writeNew() }
            if isMigrated { try migrate(configuration) }
            let draft = try #require(journal.files[0].draft)
            try Files.write("half", to: draft)
            SchemaJournal.recover(configuration, mode: .dev, Log(format: .text, level: .critical))
            let text = try String(contentsOf: URL(filePath: path), encoding: .utf8)
            #expect(text == (isMigrated ? new : Self.schema), "\(isMigrated) \(isWritten)")
            #expect(!Files.exists(draft), "what a killed server left of a draft goes")
            #expect(!Files.exists(folder.path("data/\(SchemaDrafts.folderName)/deployment.journal")))
            #expect((SchemaDeployments(dataFolder: folder.path("data"))[1] != nil) == isMigrated)
        }
    }

    @Test("a server that is killed in a deployment starts again, and files and tables agree")
    func killed() async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        try folder.write(Self.schema, to: "schema.graphql")
        let configuration = {
            var configuration = Configuration()
            (configuration.data.isEphemeral, configuration.data.folder) = (false, folder.path(".syncline"))
            return configuration
        }()
        let arguments = ["dev", "--port", "0", "--data", ".syncline", "--tls", "off"]
        var server = try Running(arguments, in: folder)
        let token = try Operators.create("ada", role: .owner, of: configuration)
        func ask(_ method: String, _ path: String, _ body: JSONValue? = nil) throws -> JSONValue {
            let answer = try server.connect().ask(
                method, "/operators/v1\(path)",
                headers: ["Authorization": "Bearer \(token)", "Content-Type": "application/json"],
                body: body?.description ?? "")
            return try JSONReader.read(answer.body)
        }
        for id in 0..<300 {
            _ = try ask("POST", "/data/Room/items", ["id": .string("r\(id)"), "name": "Sea", "stars": "5"])
        }
        // A start refuses tables whose types are not those of the schema: only an agreeing pair is served.
        let other = Self.schema.replacing("stars: String", with: "stars: Int")
        for milliseconds: UInt32 in [0, 2, 5, 10, 20, 40] {
            let current = try String(contentsOf: folder.url.appending(path: "schema.graphql"), encoding: .utf8)
            try #require([Self.schema, other].contains(current))
            var body: JSONObject = ["files": files(current == other ? Self.schema : other)]
            let plan = try ask("POST", "/schema/plan", .object(body))
            (body["base"], body["planHash"]) = (plan["base"], plan["planHash"])
            body["accept"] = ["s1", "s2"]
            let started = try ask("POST", "/schema/deploy", .object(body))
            #expect(started["job"] != nil, "\(started)")
            usleep(milliseconds * 1_000)
            server.crash()
            server = try Running(arguments, in: folder)
            let schema = try ask("GET", "/schema")
            #expect(schema["served"] == true, "\(milliseconds)")
            let count = try ask("GET", "/data/Room/count?exact=true")
            #expect(count["value"] == 300)
            #expect(!Files.exists(folder.path(".syncline/\(SchemaDrafts.folderName)/deployment.journal")))
        }
        server.stop()
    }

    @Test("the files of a killed server whose data were thrown away are all old or all new")
    func abandoned() throws {
        for (isFirstNew, isSecondNew) in [(false, false), (true, false), (true, true)] {
            let folder = try TemporaryFolder()
            defer { folder.remove() }
            let files = [("a.graphql", isFirstNew), ("b.graphql", isSecondNew)].map { name, isNew in
                (name: name, text: isNew ? "# new\n" : "# old\n")
            }
            for file in files { try folder.write(file.text, to: file.name) }
            let journal = SchemaJournal(
                files: files.map { .init(name: $0.name, path: folder.path($0.name), old: "# old\n", new: "# new\n") },
                fills: [], record: ["number": 1])
            let data = folder.path("syncline-ephemeral-killed")
            try Files.makeFolder(data)
            try journal.write(to: data)
            EphemeralFolder.removeAbandoned(in: folder.url.path)
            #expect(!Files.exists(data))
            for file in files {
                let text = try String(contentsOf: folder.url.appending(path: file.name), encoding: .utf8)
                #expect(text == (isSecondNew ? "# new\n" : "# old\n"))
            }
        }
    }

    @Test("a server with throw-away data that is killed while it writes files leaves whole ones; the next settles them")
    func killedEphemeral() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        func type(_ name: String, _ field: String) -> String {
            "type \(name) @model @auth(rules: [{allow: public}]) { id: ID! \(field): String }\n"
                + String(repeating: "# \(field)\n", count: 2_000)
        }
        let names = ["A", "B", "C", "D"]
        func texts(_ field: String) -> [String] { names.map { type($0, field) } }
        for (name, text) in zip(names, texts("old")) { try folder.write(text, to: "schema/\(name).graphql") }
        let arguments = ["dev", "--port", "0", "--ephemeral", "--tls", "off", "--schema", "schema"]
        for milliseconds: UInt32 in [0, 3, 10] {
            let server = try Running(arguments, in: folder)
            let link = try #require(server.output.split(separator: "#link=").last?.prefix { !$0.isWhitespace })
            var headers = ["Host": "127.0.0.1:\(server.port)", "Content-Type": "application/json"]
            func ask(_ method: String, _ path: String, _ body: JSONValue) throws -> Client.Answer {
                try server.connect().ask(method, "/operators/v1\(path)", headers: headers, body: body.description)
            }
            let session = try ask("POST", "/session", ["link": .string(String(link))])
            headers["Cookie"] = session["set-cookie"].first.map { String($0.prefix { $0 != ";" }) }
            headers["x-syncline-csrf"] = try JSONReader.read(session.body)["csrf"]?.stringValue
            func read() throws -> [String] {
                try names.map {
                    try String(contentsOf: folder.url.appending(path: "schema/\($0).graphql"), encoding: .utf8)
                }
            }
            let isOld = try read() == texts("old")
            let members = zip(names, texts(isOld ? "new" : "old")).map { ("\($0).graphql", JSONValue.string($1)) }
            var body: JSONObject = ["files": .object(JSONObject(members))]
            let plan = try JSONReader.read(ask("POST", "/schema/plan", .object(body)).body)
            (body["base"], body["planHash"]) = (plan["base"], plan["planHash"])
            body["accept"] = ["s1", "s2", "s3", "s4"]
            let started = try ask("POST", "/schema/deploy", .object(body))
            #expect(started.status == 202, "\(started.body)")
            usleep(milliseconds * 1_000)
            server.crash()
            for (file, (old, new)) in zip(try read(), zip(texts("old"), texts("new"))) {
                #expect(file == old || file == new, "each file is whole")
            }
            let next = try Running(arguments, in: folder)
            let settled = try read()
            #expect(settled == texts("old") || settled == texts("new"))
            next.stop()
        }
    }

    @Test("files that were edited after a crash stay as they are")
    func editedAfterCrash() async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        try folder.write("# mine\n", to: "schema.graphql")
        try folder.write("", to: "data/x")
        var configuration = Configuration()
        (configuration.data.isEphemeral, configuration.data.folder) = (false, folder.path("data"))
        configuration.schema.paths = [folder.path("schema.graphql")]
        let journal = SchemaJournal(
            files: [.init(name: "schema.graphql", path: folder.path("schema.graphql"), old: "# old\n", new: "# new\n")],
            fills: [], record: ["number": 1])
        try journal.write(to: folder.path("data"))
        SchemaJournal.recover(configuration, mode: .dev, Log(format: .text, level: .critical))
        #expect(try String(contentsOf: folder.url.appending(path: "schema.graphql"), encoding: .utf8) == "# mine\n")
        #expect(!Files.exists(folder.path("data/\(SchemaDrafts.folderName)/deployment.journal")))
        try journal.restoreOld()
        #expect(try String(contentsOf: folder.url.appending(path: "schema.graphql"), encoding: .utf8) == "# mine\n")
        try folder.write("# new\n", to: "schema.graphql")
        try journal.restoreOld()
        #expect(try String(contentsOf: folder.url.appending(path: "schema.graphql"), encoding: .utf8) == "# old\n")
    }

    @Test("the watcher takes no notice of what was deployed, and notices the next change")
    func watcher() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        try folder.write("a", to: "schema.graphql")
        let path = folder.path("schema.graphql")
        func view() -> Watcher.View { Watcher.View(uniqueKeysWithValues: [path].map { ($0, Files.fingerprint($0)!) }) }
        var watcher = Watcher(view())
        try folder.write("deployed", to: "schema.graphql")
        watcher.accept(view())
        func notices() -> Bool { watcher.hasSettledChange(view()) }
        #expect([notices(), notices()] == [false, false])
        try folder.write("edited!!!", to: "schema.graphql")
        #expect([notices(), notices()] == [false, true])
    }
}

extension String {
    fileprivate var json: JSONValue { (try? JSONReader.read(self)) ?? .null }
}
