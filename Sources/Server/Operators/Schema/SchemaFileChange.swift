import JSON
import SchemaEdit
import Transformer

/// A change of the schema's files that was made on disk, in an editor or by a checkout: recorded among the deployments once it is
/// served. Made before the tables are migrated, of which its plan is.
struct SchemaFileChange: Sendable {
    private let old: SchemaText
    private let new: SchemaText
    /// What it does to the tables; nil if that is not known.
    private let plan: SchemaPlan?
    private let start = ContinuousClock.now

    /// The hashes of the files before and after it.
    var base: String { old.hash }
    var hash: String { new.hash }

    /// The change of what a server that runs serves; nil if the files are the same.
    init?(to schema: ServedSchema, from served: ServedSchema, mode: Service.Mode, dataFolder: String) {
        guard schema.text != served.text, !schema.text.files.isEmpty, !served.text.files.isEmpty else { return nil }
        (old, new) = (served.text, schema.text)
        plan = Self.plan(to: schema, from: served, over: served.text, mode, dataFolder)
    }

    /// The change of what an earlier server has served; nil if there is none, or that is not known.
    init?(
        sinceLastServed deployments: SchemaDeployments, to schema: ServedSchema, mode: Service.Mode, dataFolder: String
    ) {
        let text = schema.text
        guard !text.files.isEmpty, let last = deployments.servedText, !last.files.isEmpty, last != text,
            deployments.lastHash != text.hash
        else { return nil }
        (old, new) = (last, text)
        plan = SchemaReport(last, schema.configuration, mode: mode).definition.flatMap { definition in
            let served = ServedSchema(configuration: schema.configuration, definition: definition)
            return Self.plan(to: schema, from: served, over: last, mode, dataFolder)
        }
    }

    private static func plan(
        to schema: ServedSchema, from served: ServedSchema, over old: SchemaText, _ mode: Service.Mode,
        _ dataFolder: String
    ) -> SchemaPlan? {
        let report = SchemaReport(schema.text, schema.configuration, mode: mode)
        // In `serve` a change of a type does not delay the start by a look at every item.
        return try? SchemaPlan(
            report, schema.definition, renaming: [], over: old, of: served, dataFolder: dataFolder,
            findsMisfits: mode == .dev)
    }

    /// As the list of deployments has it.
    ///
    /// - Parameter undone: The number of the deployment that it undoes.
    func record(number: Int, undoing undone: Int?) -> JSONObject {
        var record: JSONObject = [
            "number": .number(String(number)), "at": .string(Moment.now.text), "by": .null, "hash": .string(hash),
            "summary": .null, "reversible": false, "source": "files", "undoes": .null, "base": .string(base),
            "before": old.json, "files": new.json, "renames": [], "plan": .null,
            "diff": SchemaPlan.json(SchemaDifference.unified(from: old.files, to: new.files)),
        ]
        record["milliseconds"] = .number(String(start.duration(to: .now).milliseconds))
        if let undone { record["undoes"] = .number(String(undone)) }
        if let plan {
            record["summary"] = plan.summary
            record["reversible"] = .bool(!plan.isDestructive)
            record["plan"] = .object(plan.json)
        }
        return record
    }
}
