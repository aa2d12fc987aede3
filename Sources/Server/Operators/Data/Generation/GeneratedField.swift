import GraphQL
import JSON
import Transformer

/// A field of generated items, and how its values are made.
struct GeneratedField: Sendable {
    let name: String
    /// The type of the input without its wrappers; of a link the other model.
    let typeName: String
    let isRequired: Bool
    let isList: Bool
    /// What its generator may be.
    let choices: [String]
    var generator: Generator
    /// The other model, and the columns that name its item; nil for a field that is no link.
    var link: RelatedItem?

    /// As `GET /data/{model}/generate` has it.
    var json: JSONValue {
        [
            "name": .string(name), "type": .string(typeName), "required": .bool(isRequired), "list": .bool(isList),
            "generator": generator.json, "choices": .array(choices.map(JSONValue.string)),
        ]
    }

    /// A field of an input, with the generator of its type and name.
    ///
    /// - Parameter depth: How many custom types it is in.
    init(_ name: String, _ input: DataSourceFields.Input, in typeName: String, depth: Int = 0) {
        self.name = name
        isRequired = input.type.isNonNull
        isList = input.type.element != nil
        // The input of a custom type is called after it.
        self.typeName =
            input.fields != nil && input.typeName.hasSuffix("Input")
            ? String(input.typeName.dropLast(5)) : input.typeName
        choices = Self.choices(of: input) + (isRequired ? [] : ["none"])
        generator = Self.generator(name, input, in: typeName, depth: depth)
    }

    /// A field that leads to an item of another model.
    init(_ name: String, to target: String, _ link: RelatedItem, isRequired: Bool) {
        (self.name, typeName, self.isRequired, self.link) = (name, target, isRequired, link)
        (isList, choices, generator) = (false, isRequired ? ["link"] : ["link", "none"], Generator(.link))
    }

    /// Levels of custom types whose optional fields are generated unless they are asked for.
    private static let depthMax = 3

    private static func generator(
        _ name: String, _ input: DataSourceFields.Input, in typeName: String, depth: Int
    ) -> Generator {
        let isRequired = input.type.isNonNull
        if !isRequired, depth >= depthMax || name == "owner" { return Generator(.none) }
        let values: Generator.Values?
        if let fields = input.fields {
            values = .custom(
                fields.map { ($0.name, GeneratedField($0.name, $0.input, in: input.typeName, depth: depth + 1)) })
        } else if let names = input.values {
            values = names.isEmpty ? nil : .enumeration(names)
        } else {
            values = DefaultGenerator(field: name, typeName: input.typeName, parent: typeName).values
        }
        guard let values else { return Generator(isRequired ? .constant("") : .none) }
        guard input.type.element != nil else { return Generator(values) }
        return Generator(.list(Generator(values), count: 1...3))
    }

    /// The generators that a type takes; of a list those of its elements.
    static func choices(of input: DataSourceFields.Input) -> [String] {
        if input.fields != nil { return ["custom", "constant"] }
        if input.values != nil { return ["enum", "constant"] }
        return choices(ofScalar: input.typeName) + ["constant"]
    }

    private static func choices(ofScalar name: String) -> [String] {
        switch name {
        case "String":
            [
                "word", "sentence", "paragraph", "person", "firstName", "lastName", "username", "email", "phone", "url",
                "address",
                "city", "country", "postcode", "company", "ip", "color", "uuid", "date", "time", "dateTime", "json",
                "sequence",
            ]
        case "ID": ["uuid", "username", "email", "word", "sequence"]
        case "Int", "BigInt": ["integer", "price", "timestamp", "sequence"]
        case "Float", "Double": ["float", "price", "integer", "sequence"]
        case "Boolean": ["boolean"]
        case "AWSDate": ["date"]
        case "AWSTime": ["time"]
        case "AWSDateTime": ["dateTime"]
        case "AWSTimestamp": ["timestamp"]
        case "AWSEmail": ["email"]
        case "AWSPhone": ["phone"]
        case "AWSURL": ["url"]
        case "AWSIPAddress": ["ip"]
        case "AWSJSON": ["json"]
        default: []
        }
    }
}
