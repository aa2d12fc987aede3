import GraphQL
import JSON
import Testing

@Suite("Collected fields")
struct ExecutionCollectFieldsTests {
    @Test("are merged by response key, in the order of first occurrence")
    func merging() throws {
        let fields = try collected(
            "{ b: iamOnly ...F a: scal b: iamOnly } fragment F on Query { a: scal c: __typename b: iamOnly }")
        #expect(fields.map(\.responseKey) == ["b", "a", "c"])
        #expect(fields.map(\.node.offset) == [2, 61, 69])
        #expect(fields[2].reference == .typename)
        #expect(fields.allSatisfy { $0.inclusion.isAlways })
    }

    @Test("the fields of an abstract type are those of the object's type")
    func typeConditions() throws {
        let text =
            "{ any { ... on Todo { a: id } ... on Node { b: id } ... on User { c: id } ...F } } fragment F on Any { __typename }"
        var collector = FieldCollector(try operation(text))
        let any = try #require(try collector.collectFields().first)
        func keys(_ type: String) throws -> [String] {
            try collector.collectSubfields(of: any, as: try #require(fixture.type(named: type))).map(\.responseKey)
        }
        #expect(try keys("Todo") == ["a", "b", "__typename"])
        #expect(try keys("User") == ["b", "c", "__typename"])
    }

    @Test("are decided by constants, and wait for variables")
    func conditions() throws {
        let text = """
            query ($x: Boolean!, $y: Boolean!) {
              gone: iamOnly @skip(if: true)
              kept: iamOnly @include(if: true) @skip(if: false)
              both: iamOnly @include(if: $x) @skip(if: $y)
              never: iamOnly @include(if: $x) @skip(if: $x)
              either: iamOnly @include(if: $x)
              ... @include(if: $y) { either: iamOnly }
              always: iamOnly @include(if: $x)
              always: iamOnly
            }
            """
        let fields = try collected(text)
        #expect(fields.map(\.responseKey) == ["kept", "both", "either", "always"])
        #expect(fields.map(\.inclusion.isAlways) == [true, false, false, true])
        #expect(fields[1].inclusion.alternatives.map(\.count) == [2])
        #expect(fields[2].inclusion.alternatives.map(\.count) == [1, 1])
    }

    @Test("collected fields are bounded, since nested fragments can multiply them")
    func bound() throws {
        var text = "{ bad { ...L0 } }"
        for level in 0..<20 {
            text +=
                " fragment L\(level) on Todo { a: owner { todos { ...L\(level + 1) } } b: owner { todos { ...L\(level + 1) } } }"
        }
        text += " fragment L20 on Todo { id }"
        var collector = FieldCollector(try operation(text))
        let error = #expect(throws: GraphQLError.self) {
            var open = try collector.collectFields()
            while let field = open.popLast() {
                let type = fixture.definition(of: field.reference, in: field.parentType).type.namedType
                if !field.selectionSets.isEmpty { open += try collector.collectSubfields(of: field, as: type) }
            }
        }
        #expect(error?.message.hasPrefix("Query complexity limit exceeded") == true)
    }

    /// For each request the fields that are included are those that the specification's own algorithm would collect.
    @Test("agree with the specification's algorithm whatever the variables", arguments: 0..<150 as Range<UInt64>)
    func agreesWithModel(seed: UInt64) throws {
        var writer = RandomSelections(seed: seed)
        let text = writer.document()
        let operation = try operation(text)
        for _ in 0..<8 {
            let given = Dictionary(
                uniqueKeysWithValues: ["x", "y", "z"].map { ($0, Bool.random(using: &writer.random)) })
            let variables = try operation.variables.coerceVariableValues(
                JSONObject(given.sorted { $0.key < $1.key }.map { ($0.key, .bool($0.value)) }), schema: fixture)
            var collector = FieldCollector(operation)
            let planned = try tree(try collector.collectFields(), variables, &collector)
            let model = Model(document: operation.document, given: given)
            let expected = model.tree([operation.definition.selectionSet])
            #expect(planned == expected, "seed \(seed): \(text) \(given)")
        }
    }

    private func collected(_ text: String) throws -> [CollectedField] {
        var collector = FieldCollector(try operation(text))
        return try collector.collectFields()
    }

    private func tree(
        _ fields: [CollectedField], _ variables: VariableValues, _ collector: inout FieldCollector
    ) throws -> String {
        var parts: [String] = []
        for field in fields where field.inclusion.holds(variables) {
            let type = fixture.definition(of: field.reference, in: field.parentType).type.namedType
            let below = field.selectionSets.isEmpty ? [] : try collector.collectSubfields(of: field, as: type)
            parts.append(
                field.responseKey + (field.selectionSets.isEmpty ? "" : try tree(below, variables, &collector)))
        }
        // The order of fields may differ where the first place of a key is left out; their set may not.
        return "{" + parts.sorted().joined(separator: " ") + "}"
    }

    /// Spec §6.3.2 CollectFields, word for word, with the variables known; every fragment is on the type at hand.
    private struct Model {
        var document: Document
        var given: [String: Bool]

        func tree(_ sets: [NodeRange<Selection>]) -> String {
            var groups: [String: [NodeRange<Selection>]] = [:]
            var visited: Set<String> = []
            for set in sets { collect(set, &groups, &visited) }
            let parts = groups.map { key, sets in key + (sets.isEmpty ? "" : tree(sets)) }
            return "{" + parts.sorted().joined(separator: " ") + "}"
        }

        private func collect(
            _ set: NodeRange<Selection>, _ groups: inout [String: [NodeRange<Selection>]], _ visited: inout Set<String>
        ) {
            for selection in document[set] where isIncluded(selection.directives) {
                switch selection {
                case .field(let field):
                    groups[document.name(field.responseKey), default: []] += field.selectionSet.map { [$0] } ?? []
                case .inlineFragment(let fragment): collect(fragment.selectionSet, &groups, &visited)
                case .fragmentSpread(let spread):
                    guard visited.insert(document.name(spread.name)).inserted,
                        let fragment = document.fragment(named: spread.name)
                    else { continue }
                    collect(fragment.selectionSet, &groups, &visited)
                }
            }
        }

        private func isIncluded(_ directives: NodeRange<Directive>) -> Bool {
            document[directives].allSatisfy { directive in
                guard let argument = document[directive.arguments].first else { return true }
                let value =
                    switch argument.value.kind {
                    case .boolean(let value): value
                    case .variable(let name): given[document.name(name)] ?? false
                    default: false
                    }
                return document.isName(directive.name, "include") == value
            }
        }
    }

    /// Documents on Todo and User with fragments and conditions, always valid.
    private struct RandomSelections {
        var random: SplitMix
        var fragments: [String] = []

        init(seed: UInt64) { random = SplitMix(state: seed) }

        mutating func document() -> String {
            let body = "{ bad { x: id @skip(if: $x) y: id @skip(if: $y) z: id @skip(if: $z) \(selections(depth: 0)) } }"
            return "query ($x: Boolean!, $y: Boolean!, $z: Boolean!) \(body) " + fragments.joined(separator: " ")
        }

        private mutating func selections(depth: Int) -> String {
            var parts = ["id"]
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                switch Int.random(in: 0..<6, using: &random) {
                case 0 where depth < 3:
                    fragments.append("")
                    let index = fragments.count - 1
                    fragments[index] = "fragment F\(index) on Todo { \(selections(depth: depth + 1)) }"
                    parts.append("...F\(index)\(directives())")
                    parts.append("...F\(index)\(directives())")
                case 1 where depth < 3: parts.append("...\(directives()) { \(selections(depth: depth + 1)) }")
                case 2 where depth < 3:
                    parts.append("owner\(directives()) { id todos\(directives()) { \(selections(depth: depth + 1)) } }")
                default:
                    parts.append(
                        ["n", "color", "tags", "name"].randomElement(using: &random).map { $0 + directives() } ?? "n")
                }
            }
            return parts.joined(separator: " ")
        }

        private mutating func directives() -> String {
            guard Bool.random(using: &random) else { return "" }
            let name = Bool.random(using: &random) ? "include" : "skip"
            let value = ["$x", "$y", "$z", "true", "false"].randomElement(using: &random) ?? "true"
            return " @\(name)(if: \(value))"
        }
    }
}

/// A small generator with a seed of its own.
private struct SplitMix: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var value = state
        value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
        value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
        return value ^ (value >> 31)
    }
}
