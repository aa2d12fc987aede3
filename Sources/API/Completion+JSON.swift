import GraphQL
import JSON
import Tables
import Transformer

/// Completion of values that come as JSON: lists and nested types in a column, and what functions answered.
extension Completion {
    mutating func completeJSON(
        _ field: PlannedField, _ shape: JSONShape, at position: Int, of row: some ParentRow
    ) throws(StoreError) -> Bool {
        guard !row.isNull(position) else { return completeNull(field) }
        if case .gathered(let rows, _) = scope.source, shape.isGathered,
            case .value(let value)? = rows.outcome(of: field, under: row.number)
        {
            return try complete(value, shape, field)
        }
        let value = unsafe row.withText(position) {
            try? unsafe JSONReader.read($0, depthMax: JSONShape.storedDepthMax)
        }
        return try complete(value ?? JSONValue.null, shape, field)
    }

    mutating func completeFunction(_ plan: FunctionPlan, _ field: PlannedField) throws(StoreError) -> Bool {
        guard let arguments = coerceArguments(plan.arguments) else { return collapse(field, to: writer.mark()) }
        let answer: FieldAnswer
        do throws(ResolverError) {
            answer = try plan.function(FieldCall(arguments: arguments, identity: scope.identity))
        } catch { return fail(field, error) }
        for error in answer.appendedErrors { note(error, at: field) }
        return try complete(answer.value, plan.shape, field)
    }

    /// A value at a field's position: null and failure are the field's.
    mutating func complete(
        _ value: some CompletedValue, _ shape: JSONShape, _ field: PlannedField
    ) throws(StoreError) -> Bool {
        guard !value.isNull else { return completeNull(field) }
        let mark = writer.mark()
        return try write(value, shape, field) || collapse(field, to: mark)
    }

    /// A value that is not null.
    private mutating func write(
        _ value: some CompletedValue, _ shape: JSONShape, _ field: PlannedField
    ) throws(StoreError) -> Bool {
        switch shape {
        case .leaf(let type), .owner(let type):
            var json = value.json
            if case .owner = shape, case .string(let owner) = json { json = .string(Leaf.shownOwner(owner)) }
            do throws(ScalarError) {
                try scope.schema.definition.schema.completeLeaf(type, CoercedValue(json), into: &writer)
                return true
            } catch { return invalid(.unserializable(error)) }
        case .list(let element, let isNonNull, let elementTypeName):
            guard let elements = value.elements else { return invalid(.listExpected) }
            return try writeList(elements, element, isNonNull: isNonNull, typeName: elementTypeName, field)
        case .object(let selections, _):
            guard let members = value.members else { return invalid(.objectExpected) }
            return try writeObject(value, members, selections, field)
        }
    }

    private mutating func invalid(_ cause: FieldError.Cause) -> Bool {
        errors.append(FieldError(cause: cause))
        return false
    }

    private mutating func writeList(
        _ elements: [some CompletedValue], _ shape: JSONShape, isNonNull: Bool, typeName: String,
        _ field: PlannedField
    ) throws(StoreError) -> Bool {
        writer.append(UInt8(ascii: "["))
        for (index, element) in elements.enumerated() {
            if index > 0 { writer.append(UInt8(ascii: ",")) }
            let errorCount = errors.count
            let mark = writer.mark()
            var isValid = true
            if !element.isNull {
                isValid = try write(element, shape, field)
            } else if isNonNull {
                isValid = invalid(.null(type: typeName, parent: field.parentName))
            } else {
                writer.writeNull()
            }
            if errors.count > errorCount { locate(from: errorCount, at: .index(index)) }
            if !isValid {
                guard !isNonNull else { return false }
                writer.rewind(to: mark)
                writer.writeNull()
            }
        }
        writer.append(UInt8(ascii: "]"))
        return true
    }

    private mutating func writeObject(
        _ value: some CompletedValue, _ members: JSONObject, _ selections: [String: [PlannedField]],
        _ field: PlannedField
    ) throws(StoreError) -> Bool {
        guard let selection = JSONShape.selection(of: members, among: selections)?.fields else {
            return invalid(.unresolvedType(field.typeName, field: field.fieldName, of: field.parentName))
        }
        writer.append(UInt8(ascii: "{"))
        var isFirst = true
        var checks = RowChecks()
        for field in selection where field.isIncluded(scope.variables) {
            // What is written from here on is the end of an answer that is refused for its size, or of a value that
            // becomes null.
            guard isWithinSize else { return true }
            if isFirst { isFirst = false } else { writer.append(UInt8(ascii: ",")) }
            writer.append(field.key)
            let errorCount = errors.count
            let isValid: Bool
            switch field.resolution {
            case .typename, .property:
                if let refused = refuse(field, in: value.row, &checks) {
                    isValid = refused
                } else if case .property(let name, let shape) = field.resolution {
                    isValid = try complete(value.member(name, for: field), shape, field)
                } else {
                    isValid = completeTypename(field)
                }
            default:
                if let row = value.row {
                    isValid = try completeValue(field, of: row, &checks)
                } else {
                    isValid = allows(field) ? completeNull(field) : deny(field)
                }
            }
            if errors.count > errorCount { locate(from: errorCount, at: .key(field.responseKey)) }
            guard isValid else { return false }
        }
        writer.append(UInt8(ascii: "}"))
        return true
    }

    private mutating func completeTypename(_ field: PlannedField) -> Bool {
        if case .typename(let bytes) = field.resolution { writer.append(bytes) }
        return true
    }

    /// Whether the position of a field that the rules do not give is valid; nil of one that they give.
    private mutating func refuse(_ field: PlannedField, in row: ObjectRow?, _ checks: inout RowChecks) -> Bool? {
        guard let authorization = field.authorization else { return nil }
        let access =
            if let row {
                self.access(to: authorization, of: row, &checks)
            } else {
                self.access(to: authorization, of: RootRow(), &checks)
            }
        switch access {
        case .open, .rows: return nil
        case .redacted: return completeNull(field)
        case .denied: return deny(field)
        }
    }
}

extension JSONShape {
    /// What is selected of an object, and its type: the only type there is, or the one that `__typename` names; nil where
    /// none is known.
    static func selection(
        of object: JSONObject, among selections: [String: [PlannedField]]
    ) -> (type: String, fields: [PlannedField])? {
        if selections.count == 1, let only = selections.first { return (only.key, only.value) }
        guard case .string(let name)? = object["__typename"], let fields = selections[name] else { return nil }
        return (name, fields)
    }
}
