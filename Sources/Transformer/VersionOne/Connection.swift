import GraphQL
import Tables

// @connection: a field leads to items of another model (reference: transformer, "@connection").

/// One `@connection`, read.
struct ConnectionDirective {
    let name: String?
    let keyField: String?
    let sortField: String?
    let keyName: String?
    let limit: Int?
    /// Fields of the parent; with them the directive is of the new style.
    let fields: [String]?
    let node: DirectiveNode

    /// `nil` when the arguments are not of their types, which validation reports.
    init?(_ node: DirectiveNode) {
        func text(_ argument: String) -> String? {
            node[argument]?.stringValue.flatMap { $0.isEmpty ? nil : $0 }
        }
        self.node = node
        name = text("name")
        keyField = text("keyField")
        sortField = text("sortField")
        keyName = text("keyName")
        limit = node["limit"]?.intValue
        if let fields = node["fields"], !fields.isNull {
            let names = fields.listCoercedValue.compactMap(\.stringValue)
            guard names.count == fields.listCoercedValue.count else { return nil }
            self.fields = names
        } else {
            fields = nil
        }
    }

    /// A name that cannot be what it is for: the connection's name goes into an index's, the key is a field of inputs.
    var misnamed: String? {
        if let name, !name.isIndexName { return name }
        if let keyField, !keyField.isGraphQLName { return keyField }
        return nil
    }
}

/// A connection while it is processed: the field P.f, its directive, and the model R it leads to.
struct Connection {
    let parent: ObjectTypeDefinition
    let field: FieldDefinition
    let directive: ConnectionDirective
    let related: ObjectTypeDefinition
    /// The positions of P and R in `TransformContext.models`.
    let parentModel: Int
    let relatedModel: Int

    var place: Place? { directive.node.place }
    var fieldName: FieldName { FieldName(type: parent.name, field: field.name) }
}

/// A page that a list connection answers with, until all indexes exist: one side of a pair may come before the side
/// that makes the index.
struct ConnectionPage {
    /// Where the condition on the sort key comes from.
    enum Sort {
        case none
        case argument([String])
        case parent([String])
    }

    let connection: Connection
    /// The index of R; `nil` is its primary key.
    let indexName: String?
    let partitionColumn: String
    let sort: Sort
}

extension TransformContext {
    /// Applies the connections of one type, in the order of its fields, and gives the pages that wait for indexes.
    mutating func applyConnections(of type: TypeDefinition) -> [ConnectionPage] {
        let fields: [FieldDefinition]
        switch type {
        case .object(let object): fields = object.fields
        case .interface(let interface): fields = interface.fields
        case .scalar, .union, .enumeration, .inputObject: return []
        }
        var pages: [ConnectionPage] = []
        for field in fields {
            guard let node = field.directive(named: "connection"), let directive = ConnectionDirective(node),
                let connection = connection(directive, at: field, of: type)
            else { continue }
            let page =
                if let fields = directive.fields {
                    connect(connection, by: fields)
                } else {
                    connectByGeneratedKey(connection)
                }
            if let page { pages.append(page) }
        }
        return pages
    }

    /// What every connection needs: models on both sides.
    private mutating func connection(
        _ directive: ConnectionDirective, at field: FieldDefinition, of type: TypeDefinition
    ) -> Connection? {
        let place = directive.node.place
        guard let parent = type.object, parent.isModel else {
            diagnostics.report(
                .invalidDirective, "@connection must be on a field of an object type with @model.", at: place,
                hint: "Add @model to type \(type.name), or remove @connection from \(type.name).\(field.name).")
            return nil
        }
        let name = field.type.namedType
        // A type that does not exist at all is validation's to report.
        guard declared[name] != nil || ScalarMapping[name] != nil else { return nil }
        guard let related = declared.object(named: name) else {
            diagnostics.report(
                .invalidDirective, "@connection leads to an object type; \(name) is none.", at: place)
            return nil
        }
        guard related.isModel else {
            diagnostics.report(
                .invalidDirective, "Object type \(name) must have @model to be connected.", at: place,
                hint: "Add @model to type \(name).")
            return nil
        }
        if let limit = directive.limit, limit < 1 {
            diagnostics.report(.invalidDirective, "The limit of a connection must be at least 1.", at: place)
        }
        // A model whose own directives are at fault has nothing to connect to; its faults are reported already.
        guard let parentModel = modelIndex(parent.name), let relatedModel = modelIndex(name),
            brokenModels.isDisjoint(with: [parent.name, name])
        else { return nil }
        return Connection(
            parent: parent, field: field, directive: directive, related: related, parentModel: parentModel,
            relatedModel: relatedModel)
    }

    /// Turns the list into a page in place. As the original does, it makes the field anew, without its description.
    mutating func makePage(of connection: Connection, sortArgument: InputValueDefinition?, keyType: String?) {
        let related = connection.related.name
        addConnectionType(for: related)
        let arguments =
            [sortArgument].compactMap { $0 } + [
                InputValueDefinition(name: "filter", type: .named(Names.filterInput(related))),
                InputValueDefinition(name: "sortDirection", type: .named(Names.sortDirection)),
                InputValueDefinition(name: "limit", type: .named("Int")),
                InputValueDefinition(name: "nextToken", type: .named("String")),
            ]
        updateObject(connection.parent.name) { type in
            guard let position = type.fields.firstIndex(where: { $0.name == connection.field.name }) else { return }
            type.fields[position] = FieldDefinition(
                name: connection.field.name, arguments: arguments, type: .named(Names.connection(related)),
                directives: connection.field.directives, place: connection.field.place)
        }
        addSortDirection()
        addFilterInput(for: connection.related)
        if let keyType { addKeyConditionInput(for: keyType) }
    }

    /// Makes the resolver of a page, now that every index has its position.
    mutating func resolve(_ page: ConnectionPage) {
        let connection = page.connection
        let model = models[connection.relatedModel]
        let access: Access
        let sortFields: [String]
        if let name = page.indexName {
            guard let index = model.index(named: name) else {
                diagnostics.warn(
                    "\(connection.fieldName.text) is always null: the other side of its pair makes no index.",
                    at: connection.place, hint: "Give each pair of fields a connection name of its own.")
                return
            }
            access = .index(index)
            sortFields = model.indexes[index].sortKeys
        } else {
            access = .primaryKey
            sortFields = Array(model.primaryKey.dropFirst())
        }
        guard columns(of: models[connection.parentModel]).contains(where: { $0.name == page.partitionColumn }) else {
            diagnostics.warn(
                "\(connection.fieldName.text) is always null: \(connection.parent.name) has no field "
                    + "\(page.partitionColumn) to find its items by.", at: connection.place,
                hint: "Connect by @connection(keyName:, fields:).")
            return
        }
        let sortKey: QueryItems.SortKey
        switch page.sort {
        case .none: sortKey = .none
        case .parent(let columns): sortKey = .parent(columns)
        case .argument(let fields):
            if fields == sortFields, let name = sortArgumentName(of: fields) {
                sortKey = .argument(name: name, fields: fields)
            } else {
                diagnostics.warn(
                    "The argument \(fields.joined(separator: "#")) of \(connection.fieldName.text) has no effect: "
                        + "the items are not kept in its order.", at: connection.place,
                    hint: "Give the same `sortField` on both sides of the connection.")
                sortKey = .none
            }
        }
        resolvers[connection.fieldName] = .query(
            QueryItems(
                model: connection.relatedModel, access: access, partitionKey: .parent(page.partitionColumn),
                sortKey: sortKey, indexSortFields: sortFields, limit: connection.directive.limit, kind: .connection))
    }

    /// Makes the resolver of a connection to one, if the columns are the whole primary key of R.
    mutating func relate(_ connection: Connection, by columns: [String]) {
        let key = models[connection.relatedModel].primaryKey
        guard columns.count == key.count else {
            diagnostics.warn(
                "\(connection.fieldName.text) is always null: the primary key of \(connection.related.name) is "
                    + "\(key.joined(separator: ", ")), and the connection gives only its first part.",
                at: connection.place, hint: "Connect by @connection(fields:) with a field for each part of the key.")
            return
        }
        resolvers[connection.fieldName] = .related(RelatedItem(model: connection.relatedModel, columns: columns))
    }
}

extension FieldName {
    /// `Post.comments`, for messages.
    var text: String { "\(type).\(field)" }
}
