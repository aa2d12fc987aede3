import GraphQL

@testable import SchemaEdit

/// A random edit of a schema. Most of them can be made.
struct RandomEdit {
    var random: SeededGenerator
    private var counter = 0

    init(random: SeededGenerator) { self.random = random }

    private mutating func chance(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &random) < percent }
    private mutating func pick<Element>(_ elements: [Element]) -> Element? { elements.randomElement(using: &random) }

    private mutating func name(_ prefix: String) -> String {
        counter += 1
        return "\(prefix)\(counter)"
    }

    mutating func edit(of model: IntendedModel) -> Edit {
        let objects = model.objects
        let models = model.models
        let enums = model.enums
        let object = pick(objects)
        let field = object.flatMap { pick($0.fields) }
        let kind = pick(Edit.kinds) ?? "addModel"
        switch kind {
        case "addCustomType":
            return .addCustomType(Edit.Object(name: name("C"), fields: [self.field(model)], description: text()))
        case "addEnum": return .addEnum(name: name("E"), values: ["X", "Y"], description: text())
        case "removeType":
            guard let type = pick(objects.map(\.name) + enums.map(\.name)) else { break }
            return .removeType(name: type, removingReferences: chance(60))
        case "renameType":
            guard let type = pick(objects.map(\.name) + enums.map(\.name)) else { break }
            return .renameType(name: type, to: name("R"), keepingData: chance(60))
        case "addEnumValue", "moveEnumValue", "renameEnumValue", "removeEnumValue":
            guard let type = pick(enums), let value = pick(type.values) else { break }
            if kind == "addEnumValue" {
                return .addEnumValue(
                    type: type.name, value: name("V"), position: position(type.values.map(\.name)), description: text())
            }
            if kind == "moveEnumValue" {
                let others = type.values.map(\.name).filter { $0 != value.name }
                return .moveEnumValue(type: type.name, value: value.name, position: position(others))
            }
            return kind == "removeEnumValue"
                ? .removeEnumValue(type: type.name, value: value.name)
                : .renameEnumValue(type: type.name, value: value.name, to: name("V"))
        case "addKey", "changeKey", "removeKey", "setModelArguments", "addRelationship":
            guard let type = pick(models) else { break }
            return modelEdit(kind, type, model)
        case "addModel": break
        default:
            guard let object, let field else { break }
            return fieldEdit(kind, object, field, model)
        }
        return .addModel(
            Edit.Object(
                name: name("N"), fields: chance(50) ? [] : [self.field(model), self.field(model)],
                rules: chance(50) ? [["allow": .enumValue("public")]] : [], description: text()))
    }

    private mutating func fieldEdit(
        _ kind: String, _ object: ObjectTypeDefinition, _ field: FieldDefinition, _ model: IntendedModel
    ) -> Edit {
        let type = object.name
        switch kind {
        case "addField":
            return .addField(type: type, field: self.field(model), position: position(object.fields.map(\.name)))
        case "changeField":
            var change = Edit.FieldChange()
            if chance(40) { change.type = pick(["String", "Int", "AWSDate"]) }
            if chance(50) { change.isRequired = chance(50) }
            if chance(40) { change.isList = chance(50) }
            if chance(30) { change.isElementRequired = chance(50) }
            if model.isVersionTwo, chance(30) { change.defaultValue = chance(60) ? .set("7") : .remove }
            return .changeField(type: type, field: field.name, change: change)
        case "renameField":
            return .renameField(type: type, field: field.name, to: name("r"), keepingData: chance(60))
        case "moveField":
            return .moveField(
                type: type, field: field.name, position: position(object.fields.map(\.name).filter { $0 != field.name })
            )
        case "removeRelationship":
            return .removeRelationship(
                type: type, field: field.name, removingReverse: chance(40), removingKey: chance(40))
        case "setRules":
            let rules: [ConstValue] = [
                ["allow": .enumValue("public")], ["allow": .enumValue("owner"), "ownerField": .string("o\(counter)")],
                ["allow": .enumValue("groups"), "groups": ["A", "B"], "operations": [.enumValue("read")]],
            ]
            return .setRules(
                type: type, field: chance(40) ? field.name : nil, rules: rules.filter { _ in chance(60) })
        case "setDescription":
            if chance(30), let type = pick(model.enums) {
                return .setDescription(
                    type: type.name, member: chance(60) ? pick(type.values)?.name : nil, description: text())
            }
            return .setDescription(type: type, member: chance(60) ? field.name : nil, description: text())
        default: return .removeField(type: type, field: field.name)
        }
    }

    private mutating func modelEdit(_ kind: String, _ type: ObjectTypeDefinition, _ model: IntendedModel) -> Edit {
        let scalars = type.fields.filter { ["ID", "String", "Int"].contains($0.type.namedType) && !$0.type.isList }
            .map(\.name).shuffled(using: &random)
        let fields = Array(scalars.prefix(Int.random(in: 1...2, using: &random)))
        let names = (type.directives + type.fields.flatMap(\.directives)).filter { ["key", "index"].contains($0.name) }
            .compactMap { $0["name"]?.stringValue }
        var key = Edit.Key(name: chance(80) ? name("k") : nil, fields: fields)
        if key.name != nil, chance(40) { key.queryField = .named(name("q")) }
        switch kind {
        case "addKey": return .addKey(type: type.name, key: key)
        case "changeKey":
            let old = chance(80) ? pick(names) : nil
            if old == nil {
                key = Edit.Key(name: nil, fields: fields)
            } else if key.name == nil || chance(50) {
                key.name = old
            }
            return .changeKey(type: type.name, name: old, key: key)
        case "removeKey": return .removeKey(type: type.name, name: chance(80) ? pick(names) : nil)
        case "addRelationship":
            let target = pick(model.models.map(\.name)) ?? type.name
            var relationship = Edit.Relationship(
                type: type.name, has: chance(60) ? .one : .many, target: target, field: name("to"),
                reverse: chance(50) ? .none : chance(50) ? .one : .many, isRequired: chance(40))
            if relationship.reverse != .none { relationship.reverseField = name("from") }
            if chance(30) { relationship.keyField = name("key") }
            relationship.index = chance(70) ? name("by") : nil
            relationship.position = chance(70) ? position(type.fields.map(\.name)) : nil
            relationship.name = name("J")
            return .addRelationship(relationship)
        default:
            let arguments = [
                Edit.ModelArgument(name: "queries", value: chance(50) ? .null : ["get": "g", "list": .null]),
                Edit.ModelArgument(name: "subscriptions", value: ["level": .enumValue("off"), "onCreate": ["c"]]),
                Edit.ModelArgument(name: "timestamps", value: ["createdAt": .string("c\(counter)")]),
            ]
            return .setModelArguments(type: type.name, arguments: arguments.filter { _ in chance(50) })
        }
    }

    private mutating func position(_ names: [String]) -> Edit.Position {
        if chance(30) { return .first }
        guard chance(60), let name = pick(names) else { return .last }
        return .after(name)
    }

    private mutating func field(_ model: IntendedModel) -> Edit.Field {
        let isList = chance(30)
        return Edit.Field(
            name: name("n"), type: pick(["String", "Int", "AWSDate", "ID"] + model.enums.map(\.name)) ?? "Int",
            isRequired: chance(40), isList: isList, isElementRequired: isList && chance(50),
            defaultValue: model.isVersionTwo && !isList && chance(30) ? "1" : nil, description: text())
    }

    private mutating func text() -> String? {
        chance(70)
            ? nil
            : pick(["What it is.", "two\nlines", "a \"quoted\" é", "ends in \\", "", "\"\"\"", " leading\n\n  end"])
    }
}
