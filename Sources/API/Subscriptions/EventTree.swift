import GraphQL
import JSON
import Tables

/// The completed result of a mutation field, by field names.
///
/// Its bytes are read again and the aliases mapped back through the plan, so that it is exactly what the mutation's own
/// answer shows (reference: appsync-protocol, "Subscriptions and mutations"): what was not selected is absent, what
/// failed is null.
struct EventTree {
    let variables: VariableValues
    /// Whether fields that not every reader of their model may read are null: those of an operator's write, which selects
    /// every field of the item. What a caller of the API selects follows the rules of results.
    var omitsCheckedFields = false

    /// - Parameter bytes: The field's value as it was written.
    /// - Returns: Nil for a null, of which no event is made, and for what nests deeper than can be read.
    func tree(_ bytes: UnsafeRawBufferPointer, of field: PlannedField) -> JSONValue? {
        guard let value = try? unsafe JSONReader.read(bytes, depthMax: Plan.answerLevelsMax), !value.isNull else {
            return nil
        }
        return self.value(value, of: field.resolution)
    }

    /// What a selection's own columns say of a stored item; what is read by other fetches is null.
    func tree(of item: Item, _ fields: [PlannedField], allows: (PlannedField) -> Bool) -> JSONValue {
        var result = JSONObject()
        for field in fields where field.isIncluded(variables) {
            let value: JSONValue =
                switch field.resolution {
                case _ where isOmitted(field): .null
                case .column(let position, let leaf) where allows(field): cell(item.values[position], leaf)
                case .json(let position, let shape) where allows(field): json(item.values[position], shape)
                case .typename: .string(field.parentName)
                default: .null
                }
            result.add(value, as: field.fieldName)
        }
        return .object(result)
    }

    private func isOmitted(_ field: PlannedField) -> Bool { omitsCheckedFields && field.authorization?.check != nil }

    private func cell(_ value: Value, _ leaf: Leaf) -> JSONValue {
        switch (value, leaf) {
        case (.null, _): .null
        case (.integer(let integer), .boolean): .bool(integer != 0)
        case (.integer(let integer), _): .number(String(integer))
        case (.real(let double), _): .number(double.description)
        case (.text(let text), .owner): .string(Leaf.shownOwner(text))
        case (.text(let text), _): .string(text)
        }
    }

    private func json(_ value: Value, _ shape: JSONShape) -> JSONValue {
        guard case .text(let text) = value, let json = try? JSONReader.read(text, depthMax: Plan.answerLevelsMax) else {
            return .null
        }
        return selected(json, shape)
    }

    /// What is selected of a stored list or object, by the names of its fields.
    private func selected(_ value: JSONValue, _ shape: JSONShape) -> JSONValue {
        switch (shape, value) {
        case (.owner, .string(let owner)): return .string(Leaf.shownOwner(owner))
        case (.list(let element, _, _), .array(let elements)): return .array(elements.map { selected($0, element) })
        case (.object(let selections, _), .object(let object)):
            guard selections.count == 1, let (type, fields) = selections.first else { return value }
            var result = JSONObject()
            for field in fields where field.isIncluded(variables) {
                switch field.resolution {
                case .property(let name, let shape): result.add(selected(object[name] ?? .null, shape), as: name)
                default: result.add(.string(type), as: field.fieldName)
                }
            }
            return .object(result)
        default: return value
        }
    }

    private func value(_ value: JSONValue, of resolution: Resolution) -> JSONValue {
        switch resolution {
        case .write(let plan): object(value, plan.fields)
        case .item(let plan): object(value, plan.selection.fields)
        case .page(let plan): page(value, plan)
        case .json(_, let shape), .property(_, let shape): shaped(value, shape)
        case .function(let plan): shaped(value, plan.shape)
        case .pipeline(let plan): shaped(value, plan.shape)
        case .typename, .column, .introspection, .subscription, .sync, .null: value
        }
    }

    private func object(_ value: JSONValue, _ fields: [PlannedField]) -> JSONValue {
        members(of: value) { object, result in
            for field in fields {
                guard let member = object[field.responseKey] else { continue }
                result.add(
                    isOmitted(field) ? .null : self.value(member, of: field.resolution), as: field.fieldName)
            }
        }
    }

    private func page(_ value: JSONValue, _ plan: PagePlan) -> JSONValue {
        members(of: value) { object, result in
            for (field, part) in plan.parts {
                guard var member = object[field.responseKey] else { continue }
                if case .items(_, let selection) = part, case .array(let items) = member {
                    member = .array(items.map { self.object($0, selection.fields) })
                }
                result.add(member, as: field.fieldName)
            }
        }
    }

    private func shaped(_ value: JSONValue, _ shape: JSONShape) -> JSONValue {
        switch (shape, value) {
        case (.leaf, _): return value
        case (.list(let element, _, _), .array(let elements)): return .array(elements.map { shaped($0, element) })
        case (.object(let selections, _), .object(let object)):
            guard selections.count > 1 else { return self.object(value, selections.first?.value ?? []) }
            guard let (type, fields) = selection(of: object, among: selections) else { return value }
            return members(of: self.object(value, fields)) { object, result in
                result = object
                result["__typename"] = .string(type)
            }
        default: return value
        }
    }

    /// Of an interface or union: the type that the answer names, else the only one with just these response keys.
    private func selection(
        of object: JSONObject, among selections: [String: [PlannedField]]
    ) -> (type: String, fields: [PlannedField])? {
        for (type, fields) in selections {
            let names = fields.contains { $0.fieldName == "__typename" && object[$0.responseKey] == .string(type) }
            if names { return (type, fields) }
        }
        let fitting = selections.filter { _, fields in
            fields.filter { $0.isIncluded(variables) }.map(\.responseKey) == object.keys
        }
        return fitting.count == 1 ? fitting.first.map { ($0.key, $0.value) } : nil
    }

    private func members(of value: JSONValue, _ body: (JSONObject, inout JSONObject) -> Void) -> JSONValue {
        guard case .object(let object) = value else { return value }
        var result = JSONObject()
        body(object, &result)
        return .object(result)
    }
}

extension JSONObject {
    /// If a field is selected under two aliases, the first one is used; if both are objects, the second one's additional
    /// fields are merged in.
    fileprivate mutating func add(_ value: JSONValue, as name: String) {
        guard let present = self[name] else { return self[name] = value }
        guard case .object(var merged) = present, case .object(let other) = value else { return }
        for (key, value) in other { merged.add(value, as: key) }
        self[name] = .object(merged)
    }
}
