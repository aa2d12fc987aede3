import API
import GraphQL
import JSON
import Tables
import Transformer

/// The items that a call generates, one after the other: the same for the same seed and generators.
struct ItemGeneration: Sendable {
    let source: DataSource
    /// Those with values of their own, then those that lead to items.
    private let fields: [GeneratedField]
    /// The items that each link may lead to, by the name of its field.
    private let targets: [String: [[JSONValue]]]
    private let seed: Int64

    private init(_ source: DataSource, _ fields: [GeneratedField], _ targets: [String: [[JSONValue]]], seed: Int64) {
        (self.source, self.fields, self.targets, self.seed) = (source, fields, targets, seed)
    }

    /// - Parameter given: The generators that the caller has chosen, by field.
    init(
        _ source: DataSource, _ given: JSONObject, seed: Int64, _ servedAPI: ServedAPI, _ graphQL: OperatorGraphQL
    ) throws(OperatorProblem) {
        guard source.mutations[.createItem(model: source.place)] != nil else { throw .noMutation(source.model.name) }
        var fields: [GeneratedField] = []
        var shown = Self.fields(of: source, servedAPI)
        for (name, json) in given {
            if let place = shown.firstIndex(where: { $0.name == name && $0.link != nil }) {
                try shown[place].choose(json)
            } else if let input = source.fields[input: name], source.isImported(name) {
                var field = GeneratedField(name, input, in: source.model.name)
                field.generator = try Generator(json, for: input, name, field)
                shown.removeAll { $0.name == name }
                fields.append(field)
            } else {
                throw .invalid("\(source.model.name) has no field \(LogText.excerpt(name)) to generate.", field: name)
            }
        }
        fields += shown.filter { $0.link == nil }
        // The key of an item that nobody has chosen a generator for.
        for name in source.model.primaryKey where !fields.contains(where: { $0.name == name }) {
            let isLinked = shown.contains { $0.link.map(source.inputFields)?.contains(name) == true }
            guard !isLinked, let input = source.fields[input: name] else { continue }
            var field = GeneratedField(name, input, in: source.model.name)
            if ["ID", "String"].contains(input.typeName) { field.generator = Generator(.text(.uuid)) }
            fields.append(field)
        }
        var targets: [String: [[JSONValue]]] = [:]
        for field in shown {
            guard let link = field.link, case .link = field.generator.values else { continue }
            // Nothing of it is left where the caller has chosen generators for the fields of its key.
            guard !source.inputFields(link).allSatisfy({ name in fields.contains { $0.name == name } }) else {
                continue
            }
            let target = servedAPI.dataSources.all[link.model]
            let keys = try Self.keys(of: target, graphQL)
            guard !keys.isEmpty || !field.isRequired else {
                throw OperatorProblem(
                    code: .conflict,
                    message:
                        "\(source.model.name).\(field.name) needs an item of \(target.model.name), and there is none.",
                    hint: "Create or generate items of \(target.model.name) first.", field: field.name)
            }
            targets[field.name] = keys
            fields.append(field)
        }
        self.init(source, fields, targets, seed: seed)
    }

    /// The fields that can be generated, with their defaults, in the order of the input; a link stands for the fields of its key.
    static func fields(of source: DataSource, _ servedAPI: ServedAPI) -> [GeneratedField] {
        let links = source.fields.related.compactMap { name, item -> GeneratedField? in
            let names = source.inputFields(item)
            guard item.access == .item, !names.isEmpty, names.count == item.columns.count else { return nil }
            let isRequired = names.contains { source.fields[input: $0]?.type.isNonNull == true }
            return GeneratedField(
                name, to: servedAPI.dataSources.all[item.model].model.name, item, isRequired: isRequired)
        }
        var fields: [GeneratedField] = []
        for (name, input) in source.fields.inputs {
            if let link = links.first(where: { $0.link.map(source.inputFields)?.contains(name) == true }) {
                if !fields.contains(where: { $0.name == link.name }) { fields.append(link) }
                continue
            }
            guard source.isImported(name), name != source.model.createdAt, name != source.model.updatedAt else {
                continue
            }
            // The server would make it, so it is left to the seed.
            if source.model.primaryKey == [name], name == "id", ["ID", "String"].contains(input.typeName) { continue }
            fields.append(GeneratedField(name, input, in: source.model.name))
        }
        return fields
    }

    /// The keys of the first items of a model.
    private static func keys(
        of target: DataSource, _ graphQL: OperatorGraphQL
    ) throws(OperatorProblem) -> [[JSONValue]] {
        guard
            let query = StoredItemQuery(
                target.stored, filter: nil, order: nil, isDescending: false, includesDeleted: false,
                presentColumns: [])
        else { return [] }
        let columns = target.table.key.columns
        var keys: [[JSONValue]] = []
        var position: Position?
        repeat {
            let (after, limit) = (position, min(BulkLimits.pageCount, BulkLimits.relatedMax - keys.count))
            let page = try graphQL.read { items throws(StoreError) in
                try await items.page(query, after: after, limit: limit)
            }
            keys += page.items.map { item in columns.map { target.json(item.values[$0], target.table.columns[$0].type) }
            }
            position = page.next
        } while position != nil && keys.count < BulkLimits.relatedMax
        return keys
    }

    // MARK: - Items

    /// Makes items in their order. No two have the same key, as far as their generators have other values.
    struct Iterator {
        private let generation: ItemGeneration
        private var keys: Set<[JSONValue]> = []
        private var item = 0
        /// Values of a key that are tried before one is taken that another item has.
        private static let attemptsMax = 20

        fileprivate init(_ generation: ItemGeneration) { self.generation = generation }

        /// The next item, as the input of a create mutation.
        mutating func next() -> JSONObject {
            var input = generation.item(item, attempt: 0)
            for attempt in 1...Self.attemptsMax {
                let key = generation.source.model.primaryKey.map { input[$0] ?? .null }
                if key.contains(.null) || keys.insert(key).inserted { break }
                input = generation.item(item, attempt: attempt)
            }
            item += 1
            return input
        }
    }

    func makeIterator() -> Iterator { Iterator(self) }

    /// - Parameter attempt: Which of the values of the key is taken.
    private func item(_ number: Int, attempt: Int) -> JSONObject {
        var values: [String: JSONValue] = [:]
        let key = source.model.primaryKey
        for field in fields {
            let names = field.link.map(source.inputFields) ?? [field.name]
            let isOfKey = names.contains(where: key.contains)
            var random = SeededRandom(seed: seed, item: number, attempt: isOfKey ? attempt : 0, field: field.name)
            guard field.link != nil else {
                values[field.name] = field.generator.value(field.typeName, item: number, &random)
                continue
            }
            guard field.generator.absent == 0 || random.fraction() >= field.generator.absent,
                let targets = targets[field.name], !targets.isEmpty
            else { continue }
            for (name, value) in zip(names, random.pick(targets)) where values[name] == nil { values[name] = value }
        }
        // In the order of the input.
        return JSONObject(source.fields.inputs.compactMap { name, _ in values[name].map { (name, $0) } })
    }
}

extension GeneratedField {
    /// Takes what a caller has chosen for a link.
    fileprivate mutating func choose(_ json: JSONValue) throws(OperatorProblem) {
        let name = json["generator"]?.stringValue ?? ""
        guard choices.contains(name) else {
            throw .invalid("The generator of \(self.name) is \(choices.joined(separator: " or ")).", field: self.name)
        }
        let absent = json["absent"] ?? 0
        guard let share = absent.doubleValue, (0...1).contains(share), share == 0 || !isRequired else {
            throw .invalid(
                isRequired ? "\(self.name) is required: no item lacks it." : "'absent' of \(self.name) is from 0 to 1.",
                field: self.name)
        }
        generator = Generator(name == "link" ? .link : .none, absent: share)
    }
}

extension DataSource {
    /// The fields of the create mutation's input that hold the key of a related item, in the order of that key; those that the input does
    /// not have are missing.
    func inputFields(_ related: RelatedItem) -> [String] {
        related.columns.compactMap { column in
            position(ofColumn: column).map { table.columns[$0].field }.flatMap { isImported($0) ? $0 : nil }
        }
    }
}
