import GraphQL
import JSON
import Tables
import Transformer

/// Completion of values that come as JSON: lists and nested types in a column, and what a function answered.
extension Completion {
    mutating func completeJSON(
        _ field: PlannedField, _ shape: JSONShape, at position: Int, of row: some ParentRow
    ) -> Bool {
        guard !row.isNull(position) else { return completeNull(field) }
        let value = unsafe row.withText(position) {
            try? unsafe JSONReader.read($0, depthMax: JSONShape.storedDepthMax)
        }
        return complete(value ?? .null, shape, field)
    }

    mutating func completeFunction(_ plan: FunctionPlan, _ field: PlannedField) -> Bool {
        guard let arguments = coerceArguments(plan.arguments) else { return collapse(field, to: writer.mark()) }
        do throws(ResolverError) {
            let answer = try plan.function(FieldCall(arguments: arguments, identity: scope.identity))
            for error in answer.appendedErrors { note(error, at: field) }
            return complete(answer.value, plan.shape, field)
        } catch { return fail(field, error) }
    }

    /// A value at a field's position: null and failure are the field's.
    mutating func complete(_ value: JSONValue, _ shape: JSONShape, _ field: PlannedField) -> Bool {
        guard value != .null else { return completeNull(field) }
        let mark = writer.mark()
        return write(value, shape, field) || collapse(field, to: mark)
    }

    /// A value that is not null.
    private mutating func write(_ value: JSONValue, _ shape: JSONShape, _ field: PlannedField) -> Bool {
        switch shape {
        case .leaf(let type):
            do throws(ScalarError) {
                try scope.schema.definition.schema.completeLeaf(type, CoercedValue(value), into: &writer)
                return true
            } catch { return invalid(.unserializable(error)) }
        case .list(let element, let isNonNull, let elementTypeName):
            guard case .array(let elements) = value else { return invalid(.listExpected) }
            return writeList(elements, element, isNonNull: isNonNull, typeName: elementTypeName, field)
        case .object(let selections):
            guard case .object(let object) = value else { return invalid(.objectExpected) }
            return writeObject(object, selections, field)
        }
    }

    private mutating func invalid(_ cause: FieldError.Cause) -> Bool {
        errors.append(FieldError(cause: cause))
        return false
    }

    private mutating func writeList(
        _ elements: [JSONValue], _ shape: JSONShape, isNonNull: Bool, typeName: String, _ field: PlannedField
    ) -> Bool {
        writer.append(UInt8(ascii: "["))
        for (index, element) in elements.enumerated() {
            if index > 0 { writer.append(UInt8(ascii: ",")) }
            let errorCount = errors.count
            let mark = writer.mark()
            var isValid = true
            if element != .null {
                isValid = write(element, shape, field)
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
        _ object: JSONObject, _ selections: [String: [PlannedField]], _ field: PlannedField
    ) -> Bool {
        var selection = selections.count == 1 ? selections.first?.value : nil
        if selections.count > 1, case .string(let name)? = object["__typename"] { selection = selections[name] }
        guard let selection else {
            return invalid(.unresolvedType(field.typeName, field: field.fieldName, of: field.parentName))
        }
        writer.append(UInt8(ascii: "{"))
        var isFirst = true
        for field in selection where field.isIncluded(scope.variables) {
            // What is written from here on is the end of an answer that is refused for its size, or of a value that
            // becomes null.
            guard isWithinSize else { return true }
            if isFirst { isFirst = false } else { writer.append(UInt8(ascii: ",")) }
            writer.append(field.key)
            let errorCount = errors.count
            let isValid: Bool
            switch field.resolution {
            case _ where !allows(field): isValid = fail(field, .unauthorized(field))
            case .typename(let bytes):
                writer.append(bytes)
                isValid = true
            case .property(let name, let shape): isValid = complete(object[name] ?? .null, shape, field)
            default: isValid = completeNull(field)
            }
            if errors.count > errorCount { locate(from: errorCount, at: .key(field.responseKey)) }
            guard isValid else { return false }
        }
        writer.append(UInt8(ascii: "}"))
        return true
    }
}
