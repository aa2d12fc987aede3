import Testing

@testable import GraphQL

@Suite("Parser and Printer, on seeded random documents")
struct LanguageRandomTests {
    @Test("a random schema, printed and parsed, is the same schema")
    func schemas() {
        let seed = UInt64.testSeed(in: 0 ... .max)
        var random = RandomLanguage(seed: seed)
        for _ in 0..<150 {
            let document = TypeSystemDocument((0..<random.number(5)).map { _ in random.definition() })
            let text = Printer.print(document)
            let (parsed, errors) = Parser.parseTypeSystem([Source(text)], keepingPlaces: false)
            guard errors.isEmpty, parsed.definitions == document.definitions else {
                let differences = zip(parsed.definitions, document.definitions).first { $0 != $1 }
                Issue.record("seed \(seed):\n\(errors)\n\(String(describing: differences))")
                return
            }
            #expect(Printer.print(parsed) == text)
        }
    }

    @Test("a random operation, printed, has the same tokens, and printed again the same text")
    func operations() throws {
        let seed = UInt64.testSeed(in: 0 ... .max)
        var random = RandomLanguage(seed: seed)
        for _ in 0..<150 {
            let words = (0...random.number(3)).flatMap { _ in random.executableDefinition() }
            let text = words.map { $0 + random.space() }.joined()
            let printed = Printer.print(try Parser.parse(Source(text)))
            let tokens = try LanguageLexerTests.tokens(of: printed)
            guard try tokens == LanguageLexerTests.tokens(of: text) else {
                Issue.record("seed \(seed):\n\(text)\n\(printed)")
                return
            }
            #expect(Printer.print(try Parser.parse(Source(printed))) == printed, "seed \(seed)")
        }
    }

    @Test("a parser answers for any bytes: it never crashes, and an error lies within the text")
    func mutations() {
        let seed = UInt64.testSeed(in: 0 ... .max)
        var random = RandomLanguage(seed: seed)
        let seeds = [LanguageParserTests.kitchenSink, LanguageTypeSystemTests.kitchenSink].map { Array($0.utf8) }
        let pieces = [
            "{", "}", "(", ")", "\"", "\"\"\"", "\\", "...", "$", "@", ":", "!", "[", "]", "#", "-", "1.", "\u{FEFF}",
            "é",
        ]
        for round in 0..<600 {
            var bytes = seeds[round % 2]
            for _ in 0...random.number(4) {
                let place = random.number(bytes.count)
                switch random.number(3) {
                case 0: bytes.remove(at: place)
                case 1: bytes.insert(contentsOf: random.pick(pieces).utf8, at: place)
                default: bytes[place] = UInt8(truncatingIfNeeded: random.next())
                }
            }
            let source = Source(bytes)
            do {
                _ = Printer.print(try Parser.parse(source))
            } catch {
                #expect(error.offset >= 0 && error.offset <= bytes.count, "seed \(seed)")
                #expect(!error.description.isEmpty && error.graphQLError.message.hasPrefix("Invalid Syntax"))
            }
            let (document, errors) = Parser.parseTypeSystem([source])
            #expect(errors.allSatisfy { $0.offset >= 0 && $0.offset <= bytes.count }, "seed \(seed)")
            _ = Printer.print(document)
        }
    }
}

/// Random documents out of a seed (SplitMix64; Steele, Lea, Flood 2014).
struct RandomLanguage: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ mixed >> 30) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
        return mixed ^ mixed >> 31
    }

    /// A number below `bound`.
    mutating func number(_ bound: Int) -> Int { bound < 1 ? 0 : Int.random(in: 0..<bound, using: &self) }
    mutating func pick<Choice>(_ choices: [Choice]) -> Choice { choices[number(choices.count)] }
    mutating func chance(_ oneIn: Int) -> Bool { number(oneIn) == 0 }
    mutating func some<Part>(_ countMax: Int, _ part: (inout Self) -> Part) -> [Part] {
        (0..<number(countMax + 1)).map { _ in part(&self) }
    }

    mutating func name() -> String {
        pick([
            "a", "b", "id", "type", "query", "input", "on", "fragment", "_x1", "Post", "implements", "extend",
            "repeatable", "createdAt",
        ])
    }

    mutating func string() -> String {
        (0..<number(6)).map { _ in
            pick(["a", " ", "\n", "\"", "\\", "é", "😀", "\t", "\u{1}", "\"\"\"", "word", "\r", "  ", "b\nc"])
        }.joined()
    }
}

// MARK: - Schemas

extension RandomLanguage {
    mutating func constant(_ depth: Int = 3) -> ConstValue {
        switch number(depth > 0 ? 9 : 7) {
        case 0: .null
        case 1: .int(pick(["0", "-1", "42"]))
        case 2: .float(pick(["0.5", "1e3", "-2.5E-1"]))
        case 3: .string(string())
        case 4: .boolean(chance(2))
        case 5, 6: .enumValue(name())
        case 7: .list(some(3) { $0.constant(depth - 1) })
        default: .object(some(3) { ConstObjectField(name: $0.name(), value: $0.constant(depth - 1)) })
        }
    }

    mutating func type(_ depth: Int = 2) -> TypeNode {
        let inner: TypeNode = depth > 0 && chance(3) ? .list(type(depth - 1)) : .named(name())
        return chance(3) ? .nonNull(inner) : inner
    }

    mutating func description() -> Description? {
        chance(3) ? Description(string(), isBlock: chance(2)) : nil
    }

    mutating func directives() -> [DirectiveNode] {
        some(2) { random in
            DirectiveNode(
                random.name(), arguments: random.some(2) { ConstArgument(name: $0.name(), value: $0.constant()) })
        }
    }

    mutating func inputValue() -> InputValueDefinition {
        InputValueDefinition(
            description: description(), name: name(), type: type(), defaultValue: chance(3) ? constant() : nil,
            directives: directives())
    }

    mutating func field() -> FieldDefinition {
        FieldDefinition(
            description: description(), name: name(), arguments: some(3) { $0.inputValue() }, type: type(),
            directives: directives())
    }

    mutating func type(isExtension: Bool) -> TypeDefinition {
        let description = isExtension ? nil : description()
        // An extension must add something.
        let directives = isExtension ? [DirectiveNode("added")] : directives()
        let name = name()
        return switch number(6) {
        case 0: .scalar(ScalarTypeDefinition(description: description, name: name, directives: directives))
        case 1:
            .object(
                ObjectTypeDefinition(
                    description: description, name: name, interfaces: some(2) { $0.name() }, directives: directives,
                    fields: some(4) { $0.field() }))
        case 2:
            .interface(
                InterfaceTypeDefinition(
                    description: description, name: name, interfaces: some(2) { $0.name() }, directives: directives,
                    fields: some(4) { $0.field() }))
        case 3:
            .union(
                UnionTypeDefinition(
                    description: description, name: name, directives: directives, members: some(3) { $0.name() }))
        case 4:
            .enumeration(
                EnumTypeDefinition(
                    description: description, name: name, directives: directives,
                    values: some(3) {
                        EnumValueDefinition(
                            description: $0.description(), name: $0.name(), directives: $0.directives())
                    }))
        default:
            .inputObject(
                InputObjectTypeDefinition(
                    description: description, name: name, directives: directives, fields: some(3) { $0.inputValue() }))
        }
    }

    mutating func definition() -> TypeSystemDefinition {
        switch number(8) {
        case 0:
            .schema(
                SchemaDefinition(
                    description: description(), directives: directives(),
                    operationTypes: [OperationTypeDefinition(operation: pick([.query, .mutation]), typeName: name())]))
        case 1:
            .directive(
                DirectiveDefinition(
                    description: description(), name: name(), arguments: some(3) { $0.inputValue() },
                    isRepeatable: chance(2), locations: ["FIELD"] + some(2) { $0.pick(["OBJECT", "QUERY"]) }))
        case 2: .typeExtension(type(isExtension: true))
        default: .type(type(isExtension: false))
        }
    }
}

// MARK: - Operations, as words

extension RandomLanguage {
    /// What may stand between two words.
    mutating func space() -> String { pick([" ", "\n", " , ", "\t ", " # comment {\n", "\r\n"]) }

    mutating func executableDefinition() -> [String] {
        if chance(3) { return ["fragment", "F", "on", name()] + directiveWords() + selectionWords() }
        let variables = some(3) { random in
            ["$", random.name(), ":", random.type().description]
                + (random.chance(3) ? ["=", random.constant().description] : [])
                + random.directiveWords(isConst: true)
        }.flatMap(\.self)
        return [pick(["query", "mutation", "subscription"]), "Name"]
            + (variables.isEmpty ? [] : ["("] + variables + [")"])
            + directiveWords() + selectionWords()
    }

    private mutating func selectionWords(_ depth: Int = 3) -> [String] {
        let selections = (0...number(3)).flatMap { _ -> [String] in
            switch number(6) {
            case 0: ["...", "F"] + directiveWords()
            case 1: ["..."] + (chance(2) ? ["on", name()] : []) + directiveWords() + selectionWords(depth - 1)
            default:
                (chance(4) ? [name(), ":"] : []) + [name()] + argumentWords() + directiveWords()
                    + (depth > 0 && chance(2) ? selectionWords(depth - 1) : [])
            }
        }
        return ["{"] + selections + ["}"]
    }

    private mutating func argumentWords(isConst: Bool = false) -> [String] {
        let arguments = some(2) { [$0.name(), ":"] + $0.valueWords(isConst: isConst) }.flatMap(\.self)
        return arguments.isEmpty ? [] : ["("] + arguments + [")"]
    }

    private mutating func directiveWords(isConst: Bool = false) -> [String] {
        some(1) { ["@", $0.name()] + $0.argumentWords(isConst: isConst) }.flatMap(\.self)
    }

    private mutating func valueWords(isConst: Bool, _ depth: Int = 3) -> [String] {
        switch number(6) {
        case 0 where !isConst: ["$", name()]
        case 1 where depth > 0: ["["] + some(3) { $0.valueWords(isConst: isConst, depth - 1) }.flatMap(\.self) + ["]"]
        case 2 where depth > 0:
            ["{"] + some(3) { [$0.name(), ":"] + $0.valueWords(isConst: isConst, depth - 1) }.flatMap(\.self) + ["}"]
        default: [constant(0).description]
        }
    }
}
