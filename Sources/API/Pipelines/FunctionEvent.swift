import GraphQL
import JSON
import Tables
import Transformer

/// The events of one field in one request: what all of its parents have in common is written once
/// (reference: resolvers, "The event").
struct FunctionEvent {
    /// Up to the value of `source`.
    private let head: [UInt8]
    /// From there up to the value of `prev.result`.
    private let tail: [UInt8]

    init(_ plan: PipelinePlan, _ arguments: ArgumentValues, _ scope: Completion.Scope) {
        let details = scope.requestDetails?()
        var writer = JSONWriter(capacity: 1024)
        writer.append("{\"typeName\":")
        writer.writeString(plan.typeName)
        writer.append(",\"fieldName\":")
        writer.writeString(plan.fieldName)
        writer.append(",\"arguments\":")
        writer.write(.object(plan.eventArguments(arguments, scope.schema.definition.schema)))
        writer.append(",\"identity\":")
        writer.write(scope.eventIdentity(details))
        writer.append(",\"source\":")
        head = writer.bytes
        var rest = JSONWriter(capacity: 1024)
        rest.append(",\"request\":{\"headers\":")
        rest.write(.object(details?.headers ?? JSONObject()))
        rest.append(",\"domainName\":null},\"prev\":{\"result\":")
        tail = rest.bytes
    }

    /// The event of one invocation.
    /// - Parameters:
    ///   - source: The parent, as JSON.
    ///   - result: What the step before answered, as JSON; `{}` for the first step.
    func bytes(source: [UInt8], result: [UInt8]) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(head.count + source.count + tail.count + result.count + 2)
        bytes += head
        bytes += source
        bytes += tail
        bytes += result
        bytes += "}}".utf8
        return bytes
    }
}

extension PipelinePlan {
    /// The parent as the event shows it: absent attributes are left out.
    func source(_ row: some ParentRow) -> [UInt8] {
        var writer = JSONWriter(capacity: 256)
        switch parent {
        case .root: writer.writeNull()
        case .object: writer.write(row.object.map(JSONValue.object) ?? .null)
        case .row(let attributes):
            var object = JSONObject()
            for attribute in attributes {
                object[attribute.name] = JSONValue(row.value(attribute.position), as: attribute.type)
            }
            writer.write(.object(object))
        }
        return writer.bytes
    }

    /// The arguments in the order of their definition. AWS AppSync, "Scalar types": an AWSJSON is given to a resolver as
    /// the value that it holds.
    fileprivate func eventArguments(_ values: ArgumentValues, _ schema: Schema) -> JSONObject {
        var object = JSONObject()
        for argument in arguments {
            if let value = values[argument.name] {
                object[argument.name] = schema.eventValue(value, of: argument.type)
            } else if argument.isWritten {
                object[argument.name] = .null
            }
        }
        return object
    }
}

extension Schema {
    /// An input value as a resolver sees it.
    fileprivate func eventValue(_ value: CoercedValue, of type: GraphQLType) -> JSONValue {
        switch (type, value) {
        case (_, .null): return .null
        case (.nonNull(let inner), _): return eventValue(value, of: inner)
        case (.list(let element), .list(let items)): return .array(items.map { eventValue($0, of: element) })
        case (.named(let id), _):
            switch (self[id].kind, value) {
            case (.scalar(.awsJSON), .string(let text)): return (try? JSONReader.read(text)) ?? .string(text)
            case (.inputObject(let inputs), .object(let fields)):
                var object = JSONObject()
                for field in fields {
                    let input = inputs.first { $0.name == field.name }
                    object[field.name] = input.map { eventValue(field.value, of: $0.type) } ?? field.value.json
                }
                return .object(object)
            default: return value.json
            }
        default: return value.json
        }
    }
}
