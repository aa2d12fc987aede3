extension EditSession {
    /// Makes an edit, in one or more steps.
    mutating func make(_ edit: Edit) throws(EditRefusal) {
        switch edit {
        case .addModel(let object): try addObject(object, isModel: true)
        case .addCustomType(let object): try addObject(object, isModel: false)
        case .addEnum(let name, let values, let description): try addEnum(name, values, description)
        case .removeType(let name, let removesReferences): try removeType(name, removesReferences)
        case .renameType(let name, let new, let keepsData): try renameType(name, to: new, keepsData)
        case .setDescription(let type, let member, let text): try setDescription(of: type, member, to: text)
        case .addField(let type, let field, let position): try addField(field, to: type, position)
        case .changeField(let type, let field, let change): try changeField(field, of: type, change)
        case .renameField(let type, let field, let new, let keepsData):
            try renameField(field, of: type, to: new, keepsData)
        case .moveField(let type, let field, let position): try moveField(field, of: type, position)
        case .removeField(let type, let field): try removeField(field, of: type)
        case .addEnumValue(let type, let value, let position, let description):
            try addEnumValue(value, to: type, position, description)
        case .moveEnumValue(let type, let value, let position): try moveEnumValue(value, of: type, position)
        case .renameEnumValue(let type, let value, let new): try renameEnumValue(value, of: type, to: new)
        case .removeEnumValue(let type, let value): try removeEnumValue(value, of: type)
        case .addRelationship(let relationship): try addRelationship(relationship)
        case .removeRelationship(let type, let field, let removesReverse, let removesKey):
            try removeRelationship(field, of: type, removesReverse, removesKey)
        case .addKey(let type, let key): try addKey(key, to: type)
        case .changeKey(let type, let name, let key): try changeKey(name, of: type, to: key)
        case .removeKey(let type, let name): try removeKey(name, of: type)
        case .setRules(let type, let field, let rules): try setRules(rules, of: type, field)
        case .setModelArguments(let type, let arguments): try setModelArguments(arguments, of: type)
        }
    }
}
