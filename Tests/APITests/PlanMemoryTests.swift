#if os(Linux)
import Foundation
import GraphQL
import JSON
import Tables
import Testing

@testable import API

/// `PlanBytes` is an estimate. Here it is compared with the memory that the process really takes, each document in a
/// process of its own, where nothing else allocates. The estimate counts what a plan may come to have: a page's fetches
/// are made when requests first ask for them, so here they are all made, and no two plans share one.
@Suite(
    "The estimate of a plan's memory",
    .disabled(if: Sanitizer.isOn, "a sanitizer has an allocator of its own, which counts nothing")
) struct PlanMemoryTests {
    static let schema = """
        type Node @model {
          id: ID! name: String n: Int price: Float tags: [String] place: Place kind: Kind
          parent: Node @connection children: [Node] @connection
        }
        type Place { city: String inner: Place places: [Place] }
        enum Kind { SMALL LARGE }
        """

    /// A document of a kind; the number makes it another document with another plan.
    struct Kind: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let document: @Sendable (Int) -> String
    }

    private static let introspection = """
        query Introspection { __schema { queryType { name } mutationType { name } types { kind name description
          fields(includeDeprecated: true) { name description args { ...Input } type { ...Type } isDeprecated }
          inputFields { ...Input } interfaces { ...Type } enumValues { name } possibleTypes { ...Type } } } }
        fragment Input on __InputValue { name description type { ...Type } defaultValue }
        fragment Type on __Type { kind name ofType { kind name ofType { kind name ofType { kind name } } } }
        """

    static let kinds = [
        Kind(testDescription: "an item") { "query Get\($0) { getNode(id: \"\($0)\") { id name n price tags } }" },
        Kind(testDescription: "a page with relations") { number in
            """
            query List\(number)($filter: ModelNodeFilterInput, $limit: Int) { listNodes(filter: $filter, limit: $limit) {
              items { id name n price parent { id name } children(limit: \(number)) { items { id n } nextToken } }
              nextToken } }
            """
        },
        Kind(testDescription: "a mutation") { number in
            """
            mutation Update\(number)($condition: ModelNodeConditionInput) {
              updateNode(input: {id: "\(number)", name: "name", n: \(number), place: {city: "c", inner: {city: "d"}}},
                condition: $condition) { id name n tags place { city inner { city } } } }
            """
        },
        Kind(testDescription: "a subscription") {
            "subscription On\($0) { onCreateNode { id name n place { city } parent { id } } }"
        },
        Kind(testDescription: "introspection") { introspection + "# \($0)" },
        Kind(testDescription: "many aliases of a leaf") { number in
            let fields = (0..<1_000).map { "alias\(number)x\($0): id" }
            return "{ getNode(id: 1) { \(fields.joined(separator: " ")) } }"
        },
        Kind(testDescription: "many pages") { number in
            let fields = (0..<200).map { "p\(number)x\($0): children { items { id } }" }
            return "{ getNode(id: 1) { \(fields.joined(separator: " ")) } }"
        },
        Kind(testDescription: "fragments that double") { number in
            let fragments = (0..<8).map { level in
                let next = level < 7 ? "...F\(level + 1)" : "id name n"
                return "fragment F\(level) on Node { a\(number)l: parent { \(next) } r: parent { \(next) } }"
            }
            return "{ getNode(id: 1) { ...F0 } } " + fragments.joined(separator: " ")
        },
        Kind(testDescription: "a large literal") { number in
            let terms = (0..<400).map { "{name: {eq: \"term \($0) of document \(number)\"}}" }
            return "{ listNodes(filter: {or: [\(terms.joined(separator: ", "))]}) { items { id } } }"
        },
        Kind(testDescription: "nested JSON") { number in
            let levels = 40
            let inner = String(repeating: "inner { places { city } ", count: levels)
            return "{ getNode(id: \(number)) { place { \(inner) city \(String(repeating: "}", count: levels)) } } }"
        },
        Kind(testDescription: "conditions on every field") { number in
            let fields = (0..<500).map { "c\(number)x\($0): n @include(if: $a) @skip(if: $b)" }
            return "query Q($a: Boolean!, $b: Boolean!) { getNode(id: 1) { \(fields.joined(separator: " ")) } }"
        },
    ]

    /// The memory of the process that is in use, in bytes: `statm`'s second number, in pages.
    static func residentBytes() throws -> Int {
        let text = try String(contentsOfFile: "/proc/self/statm", encoding: .utf8)
        let pages = try #require(text.split(separator: " ").dropFirst().first.flatMap { Int($0) })
        return pages * Int(sysconf(Int32(_SC_PAGESIZE)))
    }

    /// The bytes that plans of a kind take over those that are estimated for them.
    static func ratio(of kind: Kind) throws -> Double {
        var limits = APILimits()
        limits.planBytesMax = 8 << 30
        limits.documentTokensMax = 100_000
        limits.fetchCacheCountMax = 0
        let service = try Service(schema, options: APIOptions(limits: limits))
        func plan(_ number: Int) throws -> Plan {
            switch service.api.schema.plan(Array(kind.document(number).utf8), operationName: nil) {
            case .plan(let plan):
                makeFetches(of: plan.roots)
                return plan
            case .refused(let errors): throw TestFailure("\(errors)")
            case .badRequest(_, let error): throw TestFailure("\(error)")
            case .forbidden(let fields): throw TestFailure("\(fields)")
            }
        }
        // What planning itself allocates is there afterwards.
        let estimate = try plan(1).byteCount
        let count = max(2, (12 << 20) / estimate)
        var plans: [Plan] = []
        plans.reserveCapacity(count)
        let before = try residentBytes()
        for number in 0..<count { plans.append(try plan(1_000 + number)) }
        let after = try residentBytes()
        let estimated = plans.reduce(0) { $0 + $1.byteCount }
        return withExtendedLifetime(plans) { Double(after - before) / Double(estimated) }
    }

    /// Asks the pages among the fields for the fetches of their two orders, from the beginning and after a position.
    private static func makeFetches(of fields: [PlannedField]) {
        for field in fields {
            switch field.resolution {
            case .item(let plan): makeFetches(of: plan.selection.fields)
            case .write(let plan): makeFetches(of: plan.fields)
            case .page(let plan):
                makeFetches(of: plan.bare)
                for case .items(let family, let selection) in plan.parts.map(\.part) {
                    makeFetches(of: family)
                    makeFetches(of: selection.fields)
                }
            default: break
            }
        }
    }

    private static func makeFetches(of family: FetchFamily) {
        for number in 0..<4 {
            _ = family.fetch(
                for: PageRequest(
                    partitionKey: family.access == .scan ? nil : .value(.text("1")), isDescending: number & 1 == 1,
                    limit: 1,
                    after: number & 2 == 0 ? nil : Position(sort: nil, rowID: 1)))
        }
    }

    @Test("is not far below what the plan takes, and at most three times as much", arguments: kinds.indices)
    func estimate(index: Int) async {
        await #expect(processExitsWith: .success) { [index] in
            let ratio = try Self.ratio(of: Self.kinds[index])
            #expect(ratio > 1 / 3 && ratio < 1.5, "\(Self.kinds[index].testDescription): \(ratio)")
        }
    }
}
#endif
