import GraphQL
import JSON
import Transformer

/// What changes for clients from one API to another: types, fields, arguments and values of enums, each by a name like
/// `Booking.note`.
struct APIDifference: Sendable, Equatable {
    private(set) var added: [String] = []
    private(set) var removed: [String] = []
    /// With both types: `Booking.note: String → Int`.
    private(set) var changed: [String] = []
    /// What apps that were built for the old API would notice, as sentences.
    private(set) var breaking: [String] = []

    init(from old: APIDefinition, to new: APIDefinition) {
        let (before, after) = (Self.parts(of: old), Self.parts(of: new))
        let roots = Set(
            [old.schema.queryType, old.schema.mutationType, old.schema.subscriptionType].compactMap { $0 }
                .map { old.schema[$0].name })
        for type in after.order {
            let members = after.types[type] ?? []
            guard let known = before.types[type] else {
                added += roots.contains(type) ? members.map { "\(type).\($0.name)" } : [type]
                continue
            }
            for member in members where member.isOfField(in: known) {
                let name = "\(type).\(member.name)"
                guard let other = known.first(where: { $0.name == member.name }) else {
                    added.append(name)
                    if member.isRequiredInput { breaking.append("\(name) is required.") }
                    continue
                }
                guard member.type != other.type else { continue }
                changed.append("\(name): \(other.type) → \(member.type)")
                if member.breaks(other) { breaking.append("\(name) changes from \(other.type) to \(member.type).") }
            }
        }
        for type in before.order {
            guard let members = after.types[type] else {
                removed.append(type)
                breaking.append("\(type) is removed.")
                continue
            }
            for member in before.types[type] ?? []
            where member.isOfField(in: members) && !members.contains(where: { $0.name == member.name }) {
                removed.append("\(type).\(member.name)")
                breaking.append("\(type).\(member.name) is removed.")
            }
        }
    }

    var json: JSONValue {
        func list(_ names: [String]) -> JSONValue { .array(names.map(JSONValue.string)) }
        return ["added": list(added), "removed": list(removed), "changed": list(changed)]
    }

    private struct Member {
        let name: String
        let node: TypeNode?
        /// The field that it is an argument of; nil for a field or a value.
        var field: String?
        var isInput = false
        var hasDefault = false

        var type: String { node.map { "\($0)" } ?? "" }
        var isRequiredInput: Bool { isInput && !hasDefault && node?.isNonNull == true }

        /// Whether the other API has its field: with a field that is new or removed its arguments are as well.
        func isOfField(in others: [Member]) -> Bool {
            field.map { field in others.contains { $0.name == field } } ?? true
        }

        /// Whether a client of the other type fails. A result may become more certain, an input less demanding.
        func breaks(_ other: Member) -> Bool {
            guard let node, let before = other.node else { return true }
            return isInput
                ? node.nullable != before.nullable || node.isNonNull
                : node.nullable != before.nullable || !node.isNonNull
        }
    }

    private static func parts(of definition: APIDefinition) -> (types: [String: [Member]], order: [String]) {
        var types: [String: [Member]] = [:]
        var order: [String] = []
        // Nobody has built an app for a schema that is not modelled yet.
        guard !FirstSchema.isServed(as: definition) else { return (types, order) }
        func add(_ name: String, _ members: [Member]) {
            types[name] = members
            order.append(name)
        }
        func arguments(_ field: FieldDefinition) -> [Member] {
            field.arguments.map {
                Member(
                    name: "\(field.name)(\($0.name))", node: $0.type, field: field.name, isInput: true,
                    hasDefault: $0.defaultValue != nil)
            }
        }
        for case .type(let type) in definition.document.definitions {
            switch type {
            case .object(let type):
                add(type.name, type.fields.flatMap { [Member(name: $0.name, node: $0.type)] + arguments($0) })
            case .interface(let type):
                add(type.name, type.fields.flatMap { [Member(name: $0.name, node: $0.type)] + arguments($0) })
            case .inputObject(let type):
                add(
                    type.name,
                    type.fields.map {
                        Member(name: $0.name, node: $0.type, isInput: true, hasDefault: $0.defaultValue != nil)
                    })
            case .enumeration(let type): add(type.name, type.values.map { Member(name: $0.name, node: nil) })
            case .union(let type): add(type.name, type.members.map { Member(name: $0, node: nil) })
            case .scalar(let type): add(type.name, [])
            }
        }
        return (types, order)
    }
}
